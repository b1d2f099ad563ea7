"""The embeddings API of OpenAI, which many servers share: Ollama, vLLM, TEI, LM Studio."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from citeloom.infrastructure.embedding.remote.dialect import Answer, Dialect, Role
from citeloom.infrastructure.remote.exchange import InvalidAnswer


class _Item(msgspec.Struct):
    index: int
    embedding: list[float]


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    total_tokens: int | None = None


class _Body(msgspec.Struct):
    data: list[_Item]
    usage: _Usage | None = None


class OpenAiDialect(Dialect):
    """Asks for numbers rather than base64, which servers misunderstand, and sorts by `index`.

    Prefixes, where a model wants them, tell passages from questions.
    """

    def __init__(
        self,
        model: str,
        *,
        passage_prefix: str = "",
        query_prefix: str = "",
        dimensions: int | None = None,
    ) -> None:
        self._model = model
        self._prefixes = {Role.PASSAGE: passage_prefix, Role.QUERY: query_prefix}
        self._dimensions = dimensions

    @property
    def path(self) -> str:
        return "/embeddings"

    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:
        body: dict[str, object] = {
            "model": self._model,
            "input": [self._prefixes[role] + text for text in texts],
            "encoding_format": "float",
        }
        return body if self._dimensions is None else {**body, "dimensions": self._dimensions}

    def read(self, body: bytes, count: int) -> Answer:
        try:
            answer = msgspec.json.decode(body, type=_Body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InvalidAnswer(f"it is not that of an embeddings API ({error})") from error
        items = sorted(answer.data, key=lambda item: item.index)
        if [item.index for item in items] != list(range(count)):
            raise InvalidAnswer(f"{len(items)} vectors for {count} texts, or not one for each")
        usage = answer.usage or _Usage()
        tokens = usage.total_tokens if usage.total_tokens is not None else usage.prompt_tokens
        return Answer(vectors=[item.embedding for item in items], tokens=tokens)
