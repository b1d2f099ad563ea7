"""A Qdrant server that is the local mode of Qdrant's own client.

Every body is read by the client's own models, which refuse what the server would. It keeps count
of requests and bytes, and goes wrong where a test says so.
"""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from itertools import chain
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import httpx
import numpy as np
from qdrant_client import QdrantClient, models

from citeloom_qdrant.client import QdrantServer
from citeloom_qdrant.index import QdrantServerIndex
from citeloom_qdrant.settings import ClusterOptions
from tests.fakes.loopback import listening

Json = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """How a request goes wrong: no connection, a late answer, or another answer."""

    refused: bool = False
    late: bool = False
    status: int = 500
    said: str = "Service internal error: scripted"
    body: bytes | None = None
    after: bool = False
    """Whether the request has its effect, and only the answer is lost."""


@dataclass
class LocalQdrant:
    """A server in memory; `requests` are those made, as method and path, `sent_bytes` those of the
    bodies of its answers, compressed as Qdrant does where that is accepted. A collection has this
    `status`, and these `parameters`.
    """

    version: str = "1.18.3"
    key: str = ""
    read_only_key: str = ""
    keeps_metadata: bool = True
    requests: list[tuple[str, str]] = field(default_factory=list)
    sent_bytes: int = 0
    faults: deque[Fault | None] = field(default_factory=deque)
    before: Callable[[str, str], object] = lambda _method, _path: None
    engine: QdrantClient = field(default_factory=lambda: QdrantClient(":memory:"))
    peers: Json = field(default_factory=dict)
    status: str = "green"
    parameters: Json = field(default_factory=dict)
    _guard: threading.RLock = field(default_factory=threading.RLock)

    def index(
        self, *, api_key: str | None = None, retry_for: float = 0.0, cluster: Any = None
    ) -> QdrantServerIndex:
        """An index on this server."""
        made = ClusterOptions() if cluster is None else cluster
        return QdrantServerIndex(self.server(api_key=api_key, retry_for=retry_for), cluster=made)

    def server(self, *, api_key: str | None = None, retry_for: float = 0.0) -> QdrantServer:
        """The server as the adapter reaches it, within the process."""
        return QdrantServer(
            ["http://qdrant"],
            api_key=api_key,
            retry_for=retry_for,
            transport=httpx.MockTransport(self.answer),
        )

    def misbehave(self, *faults: Fault | None) -> None:
        """The next requests go wrong, one fault each; None lets one pass."""
        self.faults.extend(faults)

    def answer(self, request: httpx.Request) -> httpx.Response:
        status, content = self.reply(
            request.method,
            request.url.raw_path.decode(),
            request.content,
            request.headers.get("api-key", ""),
        )
        body, headers = self.packed(content, request.headers)
        return httpx.Response(status, content=body, headers=headers)

    def packed(self, content: bytes, asked: Mapping[str, str]) -> tuple[bytes, dict[str, str]]:
        """The body of an answer as it is sent, and the headers that say so."""
        accepted = "gzip" in asked.get("accept-encoding", "")
        body = gzip.compress(content, 1, mtime=0) if accepted else content
        self.sent_bytes += len(body)
        return body, {"content-encoding": "gzip"} if accepted else {}

    def reply(self, method: str, target: str, content: bytes, key: str = "") -> tuple[int, bytes]:
        """The status and body of an answer."""
        path = unquote(urlsplit(target).path)
        self.before(method, path)
        with self._guard:
            self.requests.append((method, path))
            fault = self.faults.popleft() if self.faults else None
            if fault and not fault.after:
                return _failed(fault)
            answered = self._replied(method, path, content, key)
            return _failed(fault) if fault else answered

    def _replied(self, method: str, path: str, content: bytes, key: str) -> tuple[int, bytes]:
        if refusal := self._key_refused(method, path, key):
            return refusal
        if path == "/":
            return 200, json.dumps({"title": "qdrant", "version": self.version}).encode()
        body: Json = json.loads(content) if content else {}
        try:
            result = self._result(method, path, body)
        except ValueError as error:
            return _error(_status_of(str(error)), str(error))
        return 200, _encoded({"result": result, "status": "ok", "time": 0.0})

    def _key_refused(self, method: str, path: str, key: str) -> tuple[int, bytes] | None:
        known = [one for one in (self.key, self.read_only_key) if one]
        if not known or path == "/":  # which the server answers to everybody
            return None
        if not key:
            return 401, b"Must provide an API key or an Authorization bearer token"
        if key not in known:
            return 401, b"Invalid API key or JWT"
        reads = method == "GET" or path.rpartition("/points/")[2] in _READS
        reads = reads or (method == "POST" and path.endswith("/points"))
        if key == self.read_only_key and not (reads or path.endswith("/facet")):
            return _error(403, "Forbidden: Write access is required")
        return None

    def _result(self, method: str, path: str, body: Json) -> object:
        parts = path.strip("/").split("/")
        if parts == ["cluster"]:
            return _CLUSTER | self.peers if self.peers else {"status": "disabled"}
        if parts == ["aliases"]:
            return self.engine.get_aliases().model_dump()
        if parts == ["collections"]:
            return {"collections": [{"name": one} for one in self.engine._client.collections]}  # type: ignore[attr-defined]
        if parts == ["collections", "aliases"]:
            changes = models.ChangeAliasesOperation.model_validate(body)
            return self.engine.update_collection_aliases(changes.actions)
        if len(parts) == 2:
            return self._collection(method, parts[1], body)
        return self._points(method, parts[1], "/".join(parts[2:]), body)

    def _collection(self, method: str, name: str, body: Json) -> object:
        if method == "GET":
            info: Json = json.loads(self.engine.get_collection(name).model_dump_json())
            info["status"] = self.status
            info["config"]["params"] |= self.parameters
            return info
        if method == "DELETE":
            return self.engine.delete_collection(name)
        made = models.CreateCollection.model_validate(body)
        return self.engine.create_collection(
            name,
            vectors_config=made.vectors,
            sparse_vectors_config=made.sparse_vectors,
            metadata=made.metadata if self.keeps_metadata else None,
        )

    def _points(self, method: str, name: str, rest: str, body: Json) -> object:
        if rest == "index":
            models.CreateFieldIndex.model_validate(body)
            self.engine.get_collection(name)
            return _DONE
        if rest == "cluster":
            return _COLLECTION_CLUSTER | self.peers.get("collection", {})
        return _CALLS[method, rest](self.engine, name, body)


Write = Callable[[BaseHTTPRequestHandler, bytes], object]
"""Sends the body of an answer, or fails to."""


def drip(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    """Send a byte every 20 ms."""
    for byte in body:
        handler.wfile.write(bytes([byte]))
        time.sleep(0.02)


def reset(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    """Send half of the body, then reset the connection."""
    handler.wfile.write(body[: len(body) // 2])
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.connection.close()
    handler.close_connection = True


@contextmanager
def serving(
    qdrant: LocalQdrant, *, delay: float = 0.0, writes: deque[Write] | None = None
) -> Iterator[str]:
    """The address of the server on the loopback interface; each answer comes `delay` s late, and
    the first ones are sent by `writes`.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            content = self.rfile.read(length)
            try:
                status, body = qdrant.reply(
                    self.command, self.path, content, self.headers.get("api-key", "")
                )
            except httpx.TransportError:
                self.close_connection = True
                return
            time.sleep(delay)
            accepted = {"accept-encoding": self.headers.get("accept-encoding", "")}
            body, encoding = qdrant.packed(body, accepted)
            self.send_response(status)
            for name, value in encoding.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if writes:
                writes.popleft()(self, body)
            else:
                self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815 - names of the base class

        def log_message(self, *_: object) -> None: ...

    with listening(Handler) as address:
        yield address


def _failed(fault: Fault) -> tuple[int, bytes]:
    if fault.refused:
        raise httpx.ConnectError("[Errno 111] Connection refused")
    if fault.late:
        raise httpx.ReadTimeout("timed out")
    if fault.body is not None:
        return fault.status, fault.body
    return _error(fault.status, fault.said)


def _status_of(said: str) -> int:
    """The status with which a server says what the local mode does."""
    return 409 if "already exists" in said else 404 if "not found" in said else 400


def _error(status: int, said: str) -> tuple[int, bytes]:
    return status, _encoded({"status": {"error": said}, "time": 0.0})


def _encoded(value: Mapping[str, object]) -> bytes:
    encode = json.JSONEncoder(
        separators=(",", ":"), default=lambda one: one.model_dump(mode="json")
    ).encode
    return encode(value).encode()


_CLUSTER: Json = {
    "status": "enabled",
    "peer_id": 1,
    "peers": {},
    "raft_info": {"term": 1, "commit": 1, "pending_operations": 0, "is_voter": True},
    "consensus_thread_status": {
        "consensus_thread_status": "working",
        "last_update": "2026-01-01T00:00:00Z",
    },
    "message_send_failures": {},
}
_COLLECTION_CLUSTER: Json = {
    "peer_id": 1,
    "shard_count": 0,
    "local_shards": [],
    "remote_shards": [],
    "shard_transfers": [],
}
_READS = {"query", "query/batch", "scroll", "count", "facet"}
_DONE = {"operation_id": 1, "status": "completed"}


def _upsert(engine: QdrantClient, name: str, body: Json) -> Json:
    made = models.PointsList.model_validate(body)
    engine.upsert(name, made.points, update_filter=made.update_filter)
    return _DONE


def _retrieve(engine: QdrantClient, name: str, body: Json) -> list[Json]:
    made = models.PointRequest.model_validate(body)
    found = engine.retrieve(
        name,
        made.ids,
        with_payload=made.with_payload or False,
        with_vectors=made.with_vector or False,
    )
    return [one.model_dump(mode="json") for one in found]


def _delete(engine: QdrantClient, name: str, body: Json) -> Json:
    engine.delete(name, models.FilterSelector.model_validate(body))
    return _DONE


def _set_payload(engine: QdrantClient, name: str, body: Json) -> Json:
    made = models.SetPayload.model_validate(body)
    assert made.filter is not None
    engine.set_payload(name, made.payload, made.filter)
    return _DONE


def _query(engine: QdrantClient, name: str, body: Json) -> object:
    [found] = _batch(engine, name, {"searches": [body]})
    return found


def _batch(engine: QdrantClient, name: str, body: Json) -> list[Json]:
    made = models.QueryRequestBatch.model_validate(body)
    found = engine.query_batch_points(name, made.searches)
    return [_as_single_precision(one.model_dump(mode="json")) for one in found]


def _as_single_precision(value: Any) -> Any:
    """Numbers with as many digits as the server prints of its 32-bit ones."""
    if isinstance(value, dict):
        return {key: _as_single_precision(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_as_single_precision(one) for one in value]
    return float(str(np.float32(value))) if isinstance(value, float) else value


def _scroll(engine: QdrantClient, name: str, body: Json) -> Json:
    made = models.ScrollRequest.model_validate(body)
    found, following = engine.scroll(
        name,
        scroll_filter=made.filter,
        limit=made.limit or 10,
        offset=made.offset,
        with_payload=made.with_payload if made.with_payload is not None else True,
        with_vectors=made.with_vector or False,
    )
    points = [one.model_dump(mode="json") for one in found]
    return {"points": points, "next_page_offset": following}


def _count(engine: QdrantClient, name: str, body: Json) -> object:
    made = models.CountRequest.model_validate(body)
    return engine.count(name, made.filter, exact=True).model_dump()


def _facet(engine: QdrantClient, name: str, body: Json) -> Json:
    """The values of a key with their counts, as they are: the local mode writes any 32 hexadecimal
    digits, such as the id of a document, as a UUID.
    """
    made = models.FacetRequest.model_validate(body)
    found, _ = engine.scroll(
        name,
        scroll_filter=made.filter,
        limit=engine.count(name).count or 1,
        with_payload=[made.key],
    )
    values = ((one.payload or {}).get(made.key, []) for one in found)
    listed = (value if isinstance(value, list) else [value] for value in values)
    counts = Counter(chain.from_iterable(set(one) for one in listed))
    hits = [{"value": value, "count": count} for value, count in counts.most_common(made.limit)]
    return {"hits": hits}


_CALLS: dict[tuple[str, str], Callable[[QdrantClient, str, Json], object]] = {
    ("PUT", "points"): _upsert,
    ("POST", "points"): _retrieve,
    ("POST", "points/delete"): _delete,
    ("POST", "points/payload"): _set_payload,
    ("POST", "points/query"): _query,
    ("POST", "points/query/batch"): _batch,
    ("POST", "points/scroll"): _scroll,
    ("POST", "points/count"): _count,
    ("POST", "facet"): _facet,
}
