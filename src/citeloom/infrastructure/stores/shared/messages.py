"""What processes say to one another about a collection, as MessagePack.

A request is the name of a call and its arguments; the answer is its result or why it failed. While
a call takes long, pulses say that it is being worked on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from citeloom.application.ports.vector_reader import IndexDescription
from citeloom.application.ports.vector_writer import MetadataUpdate
from citeloom.domain import errors
from citeloom.domain.passage import (
    DenseVector,
    EmbeddedChunk,
    ExaminedChunk,
    Hit,
    IndexQuery,
    Selection,
    SparseVector,
    StoredChunk,
)
from citeloom.domain.project import Collection

PULSE = b""


@dataclass(frozen=True, slots=True)
class Signature:
    """The types of a call's arguments and of its result."""

    arguments: Any
    result: Any


CALLS = {
    "create": Signature(tuple[Collection], None),
    "stage": Signature(tuple[Collection], str),
    "promote": Signature(tuple[str], None),
    "drop": Signature(tuple[str], None),
    "optimize": Signature(tuple[str], None),
    "flush": Signature(tuple[str], None),
    "upsert": Signature(tuple[str, list[EmbeddedChunk]], None),
    "delete": Signature(tuple[str, Selection, frozenset[str]], int),
    "update_metadata": Signature(tuple[str, Selection, MetadataUpdate], None),
    "search": Signature(tuple[str, IndexQuery], list[Hit]),
    "fetch": Signature(tuple[str, Selection, list[str]], list[StoredChunk]),
    "scroll_page": Signature(
        tuple[str, Selection, str | None], tuple[list[StoredChunk], str | None]
    ),
    "examine_page": Signature(
        tuple[str, Selection, str | None], tuple[list[ExaminedChunk], str | None]
    ),
    "chunk_ids": Signature(tuple[str, Selection], frozenset[str]),
    "count": Signature(tuple[str, Selection], int),
    "facets": Signature(tuple[str, str, Selection], dict[str, int]),
    "describe": Signature(tuple[str], IndexDescription),
    "embed_dense": Signature(tuple[str, str], DenseVector | None),
    "embed_sparse": Signature(tuple[str, str], SparseVector | None),
}


class Request(msgspec.Struct, array_like=True):
    """A call and its encoded arguments."""

    call: str
    arguments: msgspec.Raw


class Answer(msgspec.Struct, array_like=True, tag=True):
    """The encoded result of a call."""

    result: msgspec.Raw


class Failure(msgspec.Struct, array_like=True, tag=True):
    """Why a call failed; `code` is that of the error's class."""

    code: str
    message: str
    hint: str


_encode = msgspec.msgpack.Encoder().encode
_requests = msgspec.msgpack.Decoder(Request)
_answers = msgspec.msgpack.Decoder(Answer | Failure)
_decoder = cache(msgspec.msgpack.Decoder)


def request(call: str, arguments: Sequence[object]) -> bytes:
    """A request as it is sent."""
    return _encode((call, tuple(arguments)))


def read_request(message: bytes) -> tuple[str, tuple[Any, ...]]:
    """The call and its arguments. Raises `ValueError` where there is no such call."""
    asked = _requests.decode(message)
    if asked.call not in CALLS:
        raise ValueError(f"there is no call '{asked.call}'")
    arguments = _decoder(CALLS[asked.call].arguments).decode(asked.arguments)
    return asked.call, arguments


def answer(result: object) -> bytes:
    """A result as it is sent."""
    return _encode(Answer(msgspec.Raw(_encode(result))))


def failure(error: Exception) -> bytes:
    """An error as it is sent."""
    if isinstance(error, errors.CiteloomError):
        return _encode(Failure(error.code, error.message, error.hint))
    return _encode(Failure("", f"{type(error).__name__}: {error}", ""))


def read_answer(call: str, message: bytes) -> Any:
    """The result of a call; where it failed, its error is raised."""
    told = _answers.decode(message)
    if isinstance(told, Failure):
        raise _error(told)
    return _decoder(CALLS[call].result).decode(told.result)


def _error(told: Failure) -> errors.CiteloomError:
    kind = _error_classes().get(told.code)
    if kind is not None:
        return kind(told.message, told.hint)
    return errors.IndexUnavailable(
        f"The process that holds the index failed: {told.message}",
        "Try again; if this stays so, stop that process.",
    )


@cache
def _error_classes() -> dict[str, type[errors.CiteloomError]]:
    return {kind.code: kind for kind in errors.CiteloomError.__subclasses__()}
