"""Cohere's embed API, version 2, for its models v3 and v4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from citeloom.infrastructure.embedding.remote.dialect import Answer, Dialect, Role
from citeloom.infrastructure.remote.exchange import InvalidAnswer

_INPUT_TYPES = {Role.PASSAGE: "search_document", Role.QUERY: "search_query"}


class _Embeddings(msgspec.Struct):
    float_: list[list[float]] = msgspec.field(name="float")


class _Units(msgspec.Struct):
    input_tokens: float | None = None


class _Meta(msgspec.Struct):
    billed_units: _Units | None = None


class _Body(msgspec.Struct):
    embeddings: _Embeddings
    meta: _Meta | None = None


class CohereDialect(Dialect):
    """Tells passages from questions by input type, and lets no text be cut silently."""

    def __init__(self, model: str, *, dimensions: int | None = None) -> None:
        self._model = model
        self._dimensions = dimensions

    @property
    def path(self) -> str:
        return "/v2/embed"

    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:
        body: dict[str, object] = {
            "model": self._model,
            "texts": list(texts),
            "input_type": _INPUT_TYPES[role],
            "embedding_types": ["float"],
            "truncate": "NONE",
        }
        return body if self._dimensions is None else {**body, "output_dimension": self._dimensions}

    def read(self, body: bytes, count: int) -> Answer:
        try:
            answer = msgspec.json.decode(body, type=_Body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InvalidAnswer(f"it is not that of Cohere's embed API ({error})") from error
        vectors = answer.embeddings.float_
        if len(vectors) != count:
            raise InvalidAnswer(f"{len(vectors)} vectors for {count} texts")
        units = answer.meta.billed_units if answer.meta else None
        tokens = units.input_tokens if units else None
        return Answer(vectors=vectors, tokens=None if tokens is None else int(tokens))
