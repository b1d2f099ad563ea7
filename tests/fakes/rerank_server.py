"""A service with the rerank APIs of Cohere, Jina and Text Embeddings Inference on the loopback
interface, that answers as a test says.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from citeloom.infrastructure.embedding.rerank_service import (
    CohereShape,
    JinaShape,
    RerankService,
    Shape,
    TeiShape,
)
from citeloom.infrastructure.remote.endpoint import ServiceEndpoint
from citeloom.infrastructure.remote.service import RemoteService
from tests.fakes.loopback import JsonHandler, listening
from tests.fakes.reranker import SharedWords

KEY = "sk-sEcReTkEyOfTheUser"
SHAPES: dict[str, Callable[[], Shape]] = {
    "cohere": lambda: CohereShape("served"),
    "jina": lambda: JinaShape("served"),
    "tei": TeiShape,
}
_PATHS = {"/v2/rerank": "cohere", "/v1/rerank": "jina", "/rerank": "tei"}
Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Misdeed:
    """How a request goes wrong: a status, a header, another body, a late answer, a change."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    change: Callable[[list[Json]], list[Json]] | None = None
    delay: float = 0.0


@dataclass(frozen=True)
class AskedRerank:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Json

    @property
    def texts(self) -> list[str]:
        texts: list[str] = self.body["texts" if self.path == "/rerank" else "documents"]
        return texts


@dataclass(kw_only=True)
class RerankingService:
    """What the service does, and what it was asked; the best text comes first in its answers."""

    key: str = ""
    asked: list[AskedRerank] = field(default_factory=list)
    misdeeds: deque[Misdeed] = field(default_factory=deque)

    def misbehave(self, *misdeeds: Misdeed) -> None:
        """The next requests go wrong, one misdeed each."""
        self.misdeeds.extend(misdeeds)

    def answer(self, asked: AskedRerank) -> Misdeed:
        """The answer to a request, as if it were a misdeed with the right body."""
        self.asked.append(asked)
        if self.key and asked.headers.get("authorization") != f"Bearer {self.key}":
            return Misdeed(status=401, body=b'{"message": "no valid key"}')
        misdeed = self.misdeeds.popleft() if self.misdeeds else Misdeed()
        time.sleep(misdeed.delay)
        if misdeed.body is not None or misdeed.status != 200:
            return misdeed
        right = self._right(asked)
        return Misdeed(body=_shaped(asked, misdeed.change(right) if misdeed.change else right))

    def _right(self, asked: AskedRerank) -> list[Json]:
        family = _PATHS[asked.path]
        assert all(text.strip() for text in asked.texts), "an empty text was sent"
        assert family == "tei" or asked.body["model"] == "served"
        assert family != "tei" or len(asked.texts) <= 32
        scores = SharedWords().score(asked.body["query"], asked.texts, 1.0)
        name = "score" if family == "tei" else "relevance_score"
        results = [{"index": place, name: score} for place, score in enumerate(scores)]
        return sorted(results, key=lambda result: -result[name])


def _shaped(asked: AskedRerank, results: list[Json]) -> bytes:
    whole: object = results if asked.path == "/rerank" else {"id": "1", "results": results}
    return json.dumps(whole).encode()


@dataclass(frozen=True)
class ServedReranker:
    """A service and its address."""

    service: RerankingService
    url: str

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://")

    def reranker(self, family: str = "cohere", *, key: str = KEY) -> RerankService:
        """A reranker that asks the service."""
        name = f"{family}/served"
        endpoint = ServiceEndpoint(
            model=name,
            base_url=self.url,
            place=("rerank",),
            timeout=5,
            key=key,
            variable="SERVED_API_KEY",
        )
        service = RemoteService(endpoint, first_pause=0.01)
        return RerankService(name, service=service, shape=SHAPES[family]())


@contextmanager
def rerank_server(service: RerankingService | None = None) -> Iterator[ServedReranker]:
    """A service that listens until this ends."""
    serving = service or RerankingService()
    with listening(_handler(serving)) as url:
        yield ServedReranker(serving, url)


def _handler(service: RerankingService) -> type[BaseHTTPRequestHandler]:
    class Handler(JsonHandler):
        def reply_to(self, path: str, headers: Mapping[str, str], posted: Json) -> None:
            answer = service.answer(AskedRerank(path, headers, posted))
            body = answer.body or b""
            self.begin_reply(answer.status, answer.headers, len(body))
            self.wfile.write(body)

    return Handler
