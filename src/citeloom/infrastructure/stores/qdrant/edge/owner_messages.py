"""The owner process of a collection, and its messages with clients, as MessagePack."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from citeloom.application.ports.vector_index import IndexDescription, MetadataUpdate
from citeloom.domain import errors
from citeloom.domain.project import Collection
from citeloom.domain.retrieval.passage import (
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
from citeloom.infrastructure.stores.records.payload import decoder

# The owner of a collection: its process, and the address and key of its socket.

PROTOCOL = 1
"""Raised when messages change their meaning; processes of different versions do not connect."""

_FILE = "holder"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerProcess:
    """A process that has a collection open.

    `address` and `key` belong to its socket and are empty while it does not serve others. `folder`
    identifies the folder it owns; in a copy of that folder the record does not count.
    """

    pid: int
    purpose: str = ""
    started_at: float = 0.0
    protocol: int = PROTOCOL
    address: str = ""
    key: str = ""
    folder: str = ""

    @classmethod
    def this_process(cls, purpose: str) -> OwnerProcess:
        """This process, with `purpose` or else its command."""
        return cls(pid=os.getpid(), purpose=purpose or command(), started_at=time.time())

    def __str__(self) -> str:
        return f"process {self.pid} ({self.purpose})" if self.purpose else f"process {self.pid}"


def command() -> str:
    """The command that this process was started as, shortened."""
    script = Path(sys.argv[0] or "python")
    program = script.parent.name if script.stem == "__main__" else script.stem
    words = [word for word in sys.argv[1:2] if not word.startswith("-")]
    return " ".join((program, *words))


def read_owner(folder: Path) -> OwnerProcess | None:
    """The owner recorded in the folder; None where there is none or the file is unreadable."""
    try:
        owner = OwnerProcess(**json.loads((folder / _FILE).read_text(encoding="utf-8")))
        return owner if owner.folder == _identity(folder) else None
    except (OSError, ValueError, TypeError):
        return None


def write_owner(folder: Path, owner: OwnerProcess) -> None:
    """Record the owner in a file that only this user can read."""
    part = folder / f"{_FILE}.{owner.pid}.part"
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump(asdict(replace(owner, folder=_identity(folder))), stream)
    part.replace(folder / _FILE)


def remove_owner(folder: Path) -> None:
    """Delete the record of the owner."""
    (folder / _FILE).unlink(missing_ok=True)


def _identity(folder: Path) -> str:
    """The identity of the folder itself, whichever path names it."""
    known = folder.stat()
    return f"{known.st_dev}:{known.st_ino}"


# The messages between the clients and the owner of a collection, as MessagePack.

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
