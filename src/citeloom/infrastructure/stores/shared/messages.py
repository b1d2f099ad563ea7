"""The messages between the clients and the holder of a collection, as MessagePack.

A request is the name of a call and its arguments; the answer is a result or a failure. During a
long call the holder sends heartbeats.
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
    BatchHits,
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
from citeloom.infrastructure.stores.records.decoding import decoder

HEARTBEAT = b""


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
    "search_batch": Signature(tuple[str, list[IndexQuery], list[IndexQuery]], BatchHits),
    "fetch": Signature(tuple[str, Selection, list[str]], list[StoredChunk]),
    "scroll_batch": Signature(tuple[str, list[Selection]], list[list[StoredChunk]]),
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
    "embed_texts": Signature(tuple[str, list[str]], list[DenseVector] | None),
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
    """Why a call failed; `code` is the code of the error's class."""

    code: str
    message: str
    hint: str


_encode = msgspec.msgpack.Encoder().encode
_requests = msgspec.msgpack.Decoder(Request)
_answers = msgspec.msgpack.Decoder(Answer | Failure)


def request(call: str, arguments: Sequence[object]) -> bytes:
    """An encoded request."""
    return _encode((call, tuple(arguments)))


def read_request(message: bytes) -> tuple[str, tuple[Any, ...]]:
    """The call and its arguments. Raises `ValueError` for an unknown call."""
    received = _requests.decode(message)
    if received.call not in CALLS:
        raise ValueError(f"there is no call '{received.call}'")
    arguments = decoder(CALLS[received.call].arguments).decode(received.arguments)
    return received.call, arguments


def answer(result: object) -> bytes:
    """An encoded result."""
    return _encode(Answer(msgspec.Raw(_encode(result))))


def failure(error: Exception) -> bytes:
    """An encoded failure."""
    if isinstance(error, errors.CiteloomError):
        return _encode(Failure(error.code, error.message, error.hint))
    return _encode(Failure("", f"{type(error).__name__}: {error}", ""))


def read_answer(call: str, message: bytes) -> Any:
    """The result of a call. Raises the error that the call failed with."""
    reply = _answers.decode(message)
    if isinstance(reply, Failure):
        raise _error(reply)
    return decoder(CALLS[call].result).decode(reply.result)


def _error(failed: Failure) -> errors.CiteloomError:
    kind = _error_classes().get(failed.code)
    if kind is not None:
        return kind(failed.message, failed.hint)
    return errors.IndexUnavailable(
        f"The process that holds the index failed: {failed.message}",
        "Try again; if it fails again, stop that process.",
    )


@cache
def _error_classes() -> dict[str, type[errors.CiteloomError]]:
    return {kind.code: kind for kind in errors.CiteloomError.__subclasses__()}
