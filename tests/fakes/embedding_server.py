"""An embedding service on the loopback interface, of OpenAI's and of Cohere's kind, that answers as
a test says.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.fakes.embedders import HashingDense
from tests.fakes.loopback import JsonHandler, listening

KEY = "sk-sEcReTkEyOfTheUser"
Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Misdeed:
    """How a request goes wrong: a status, a header, another body, a late or a cut answer.

    `change` alters the right answer.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    change: Callable[[Json], object] | None = None
    cut: bool = False
    delay: float = 0.0


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Json

    @property
    def texts(self) -> list[str]:
        texts: list[str] = self.body["input"] if "input" in self.body else self.body["texts"]
        return texts


@dataclass(kw_only=True)
class EmbeddingService:
    """What the service does, and what it was asked."""

    dimension: int = 32
    key: str = ""
    longest: int | None = None
    most_texts: int | None = None
    delay: float = 0.0
    asked: list[Asked] = field(default_factory=list)
    misdeeds: deque[Misdeed] = field(default_factory=deque)
    at_once: int = 0
    most_at_once: int = 0
    embedded: Counter[str] = field(default_factory=Counter)
    """How often each text was embedded in an answer that was sent whole."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def misbehave(self, *misdeeds: Misdeed) -> None:
        """The next requests go wrong, one misdeed each."""
        self.misdeeds.extend(misdeeds)

    def answer(self, asked: Asked) -> Misdeed:
        """The answer to a request, as if it were a misdeed with the right body."""
        with self._lock:
            self.asked.append(asked)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            misdeed = self.misdeeds.popleft() if self.misdeeds else None
        try:
            time.sleep(self.delay)
            return self._answer(asked, misdeed)
        finally:
            with self._lock:
                self.at_once -= 1

    def _answer(self, asked: Asked, misdeed: Misdeed | None) -> Misdeed:
        if self.key and asked.headers.get("authorization") != f"Bearer {self.key}":
            return Misdeed(status=401, body=b'{"error": "Incorrect API key"}')
        if misdeed and misdeed.body is not None:
            return misdeed
        if misdeed and misdeed.status != 200:
            return Misdeed(
                status=misdeed.status, headers=misdeed.headers, body=b'{"error": "scripted"}'
            )
        if self._is_too_much(asked.texts):
            return Misdeed(status=413, body=b'{"error": "input is too long"}')
        answer = self._right(asked)
        changed = misdeed.change(answer) if misdeed and misdeed.change else answer
        return Misdeed(
            body=json.dumps(changed).encode(),
            cut=bool(misdeed and misdeed.cut),
            delay=misdeed.delay if misdeed else 0.0,
        )

    def _is_too_much(self, texts: Sequence[str]) -> bool:
        too_long = self.longest is not None and any(len(text) > self.longest for text in texts)
        return too_long or (self.most_texts is not None and len(texts) > self.most_texts)

    def _right(self, asked: Asked) -> Json:
        assert all(text.strip() for text in asked.texts), "an empty text was sent"
        vectors = HashingDense(dimension=self.dimension).embed_passages(asked.texts)
        tripled = [[3.0 * value for value in vector] for vector in vectors]
        tokens = sum(len(text.split()) for text in asked.texts)
        if asked.path.endswith("/v2/embed"):
            assert asked.body["input_type"] in {"search_document", "search_query"}
            assert len(asked.texts) <= 96
            units = {"billed_units": {"input_tokens": tokens}}
            return {"id": "1", "embeddings": {"float": tripled}, "meta": units}
        assert asked.path.endswith("/v1/embeddings")
        data = [
            {"object": "embedding", "index": place, "embedding": vector}
            for place, vector in enumerate(tripled)
        ]
        return {"data": data, "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}


@dataclass(frozen=True)
class ServedEmbeddings:
    """A service and its address."""

    service: EmbeddingService
    url: str

    @property
    def openai(self) -> str:
        return f"{self.url}/v1"


@contextmanager
def embedding_server(service: EmbeddingService | None = None) -> Iterator[ServedEmbeddings]:
    """A service that listens until this ends."""
    serving = service or EmbeddingService()
    with listening(_handler(serving)) as url:
        yield ServedEmbeddings(serving, url)


def _handler(service: EmbeddingService) -> type[BaseHTTPRequestHandler]:
    class Handler(JsonHandler):
        def reply_to(self, path: str, headers: Mapping[str, str], posted: Json) -> None:
            asked = Asked(path, headers, posted)
            answer = service.answer(asked)
            body = answer.body or b""
            self.begin_reply(answer.status, answer.headers, len(body))
            time.sleep(answer.delay)
            self.wfile.write(body[: len(body) // 2] if answer.cut else body)
            if answer.cut:
                self.close_connection = True
            elif answer.status == 200:
                service.embedded.update(asked.texts)

    return Handler
