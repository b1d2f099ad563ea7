"""A Qdrant server or cluster over its REST interface: requests, retries and failures."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import msgspec
import structlog

from citeloom.domain.errors import IndexLocked, IndexUnavailable
from citeloom.infrastructure.remote.retries import sentence_of
from citeloom.infrastructure.remote.transport import EXCHANGE, DeadlineTransport, Exchange

QUESTION_SECONDS = 5.0
"""How long a question waits for a server that is away."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_SAID = 200
_BUSY = (429, 502, 503, 504)
_KEY = "CITELOOM_QDRANT_API_KEY"
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_log = structlog.get_logger("citeloom.store")


class _Away(Exception):
    """No answer, or one that another try may change."""

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


class QdrantServer:
    """A server at one of several `addresses` of one cluster, for any number of threads.

    A request that finds no server is tried at the next address, and again with growing pauses: for
    `retry_for` seconds inside `patient`, else for 5 seconds at most. Every request has the same
    effect when it is made twice. The text of errors never holds the key. `lost_leases` are the
    errors of projects that another machine has taken over, to be raised by the next write.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        *,
        api_key: str | None = None,
        timeout: float = 30,
        retry_for: float = 0.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._addresses = [shown(address) for address in addresses]
        self._key = api_key
        self._timeout = timeout
        self._retry_for = retry_for
        self._transport = transport
        self._current = 0
        self._patient = 0
        self._guard = threading.Lock()
        self.lost_leases: dict[str, IndexLocked] = {}
        bare = [
            address
            for address in self._addresses
            if address.startswith("http:") and not is_local(address)
        ]
        if api_key and bare:
            _log.warning(f"the API key goes to {bare[0]} without encryption; https:// encrypts it")

    @property
    def address(self) -> str:
        """The address that is in use."""
        return self._addresses[self._current]

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every configured address."""
        return tuple(self._addresses)

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Wait for the server for `retry_for` seconds while this context lasts."""
        with self._guard:
            self._patient += 1
        try:
            yield
        finally:
            with self._guard:
                self._patient -= 1

    def get(self, path: str, *, question: bool = False) -> Any:
        """The `result` of a GET request. Raises as `send` does."""
        return self.send("GET", path, question=question)

    def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        question: bool = False,
    ) -> Any:
        """The `result` of a request; a `question` is not waited for longer than 5 seconds.

        Raises `IndexUnavailable`, with the status of an error that was answered.
        """
        content = None if body is None else msgspec.json.encode(body)
        return self._with_retries(
            lambda at: self._once(at, method, path, content), question=question
        )

    def version(self, address: str | None = None) -> str:
        """The version that a server gives; raises `IndexUnavailable` where none is there."""
        at = self.address if address is None else shown(address)
        try:
            answer = self._exchanged(at, "GET", "/", None)
        except _Away as away:
            raise self._unreachable(away, at) from away
        known = _decoded(answer)
        version = known.get("version") if isinstance(known, dict) else None
        if answer.status_code != 200 or not isinstance(version, str):
            raise self._refusal(at, answer)
        return version

    def close(self) -> None:
        """Close the connections. May be called twice."""
        if "_http" in self.__dict__:
            self._http.close()

    @cached_property
    def _http(self) -> httpx.Client:
        headers = {"accept-encoding": "gzip"}
        if self._key:
            headers["api-key"] = self._key
        transport = self._transport or DeadlineTransport()
        return httpx.Client(headers=headers, timeout=self._timeout, transport=transport)

    def _with_retries(self, once: Callable[[str], Any], *, question: bool) -> Any:
        seconds = self._retry_for
        if question or not self._patient:
            seconds = min(seconds, QUESTION_SECONDS)
        deadline, pause, warned = time.monotonic() + seconds, _FIRST_PAUSE, False
        while True:
            try:
                return self._anywhere(once)
            except _Away as away:
                if time.monotonic() + pause > deadline:
                    raise self._unreachable(away, *self._addresses) from away
                if not warned:
                    _log.warning(
                        f"the store at {self.address} does not answer: trying again for "
                        f"{seconds:g} s",
                        reason=str(away),
                    )
                    warned = True
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _anywhere(self, once: Callable[[str], Any]) -> Any:
        """The answer at the address in use, or at the first of the others that answers."""
        first = self._current
        for step in range(len(self._addresses)):
            at = (first + step) % len(self._addresses)
            try:
                result = once(self._addresses[at])
            except _Away:
                if step == len(self._addresses) - 1:
                    raise
            else:
                self._current = at
                return result
        raise AssertionError("there is at least one address")

    def _once(self, at: str, method: str, path: str, content: bytes | None) -> Any:
        answer = self._exchanged(at, method, path, content)
        if answer.status_code in _BUSY:
            raise _Away(self._sentence(answer), answer.status_code)
        known = _decoded(answer)
        if not answer.is_success or not isinstance(known, dict) or "result" not in known:
            raise self._refusal(at, answer)
        return known["result"]

    def _exchanged(self, at: str, method: str, path: str, content: bytes | None) -> httpx.Response:
        headers = {"content-type": "application/json"} if content is not None else {}
        extensions = {EXCHANGE: Exchange(self._timeout)}
        try:
            return self._http.request(
                method, at + path, content=content, headers=headers, extensions=extensions
            )
        except (httpx.TransportError, httpx.DecodingError) as error:
            reason = sentence_of(str(error).encode(), (), _SAID)
            raise _Away(reason or type(error).__name__) from error

    def _unreachable(self, away: _Away, *tried: str) -> IndexUnavailable:
        where = " or ".join(tried)
        if away.status is not None:
            message, hint = f"The Qdrant server at {where} is busy: {away}", "Try again later."
            return _refused(message, hint, status=away.status)
        return IndexUnavailable(
            f"No Qdrant server answers at {where}: {away}",
            "Start it, or correct [qdrant] url; without a url the index is kept in process.",
        )

    def _refusal(self, at: str, answer: httpx.Response) -> IndexUnavailable:
        sentence, status = self._sentence(answer), answer.status_code
        if status in (401, 403):
            return _refused(
                f"The Qdrant server at {at} refused: {sentence}",
                self._hint_for_key(status, sentence),
                status=status,
            )
        if not _is_qdrant(answer):
            return _refused(
                f"What answers at {at} is no Qdrant server ({status}: {sentence})",
                "Correct [qdrant] url: the address of Qdrant's REST interface, often port 6333.",
                status=0,
            )
        hint = "See the server's log."
        if _too_few_copies(status, sentence):
            hint = self._hint_for_copies(at)
        return _refused(f"The Qdrant server at {at} refused: {sentence}", hint, status=status)

    def _hint_for_key(self, status: int, sentence: str) -> str:
        if not self._key:
            return f"Set the API key in the environment: {_KEY}."
        if status == 403 or "access" in sentence.casefold():
            return (
                f"The key in {_KEY} may not do this, such as a read-only key on a write: use one"
                " that may; questions need the right to read only."
            )
        return f"The key in {_KEY} is not this server's: set the right one."

    def _hint_for_copies(self, at: str) -> str:
        """What to do where a write was confirmed by too few copies, and which nodes are away."""
        away = self._nodes_away(at)
        which = f"Away: {', '.join(away)}. " if away else ""
        return (
            f"{which}Start the missing node, then run the same command again; or write with fewer "
            "copies: [qdrant] write_consistency, for a collection made anew."
        )

    def _nodes_away(self, at: str) -> list[str]:
        try:
            cluster = self._once(at, "GET", "/cluster", None)
        except (_Away, IndexUnavailable):
            return []
        peers = cluster.get("peers") or {}
        uris = {str(key): str(peer.get("uri", key)) for key, peer in peers.items()}
        failing = (cluster.get("message_send_failures") or {}).keys()
        return [uris.get(node, node) for node in failing]

    def _sentence(self, answer: httpx.Response) -> str:
        """What the server says itself, on one line of at most 200 characters, without the key."""
        return sentence_of(answer.content, [self._key or ""], _SAID) or answer.reason_phrase


def _refused(message: str, hint: str, *, status: int) -> IndexUnavailable:
    refusal = IndexUnavailable(message, hint)
    refusal.status = status
    return refusal


def shown(address: str) -> str:
    """An address without credentials and a slash at its end, fit to be shown."""
    parts = urlsplit(address)
    place = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{place}{parts.path.rstrip('/')}"


def is_local(address: str) -> bool:
    """Whether an address is of this machine."""
    return (urlsplit(address).hostname or "") in _LOCAL


def collection_path(name: str, rest: str = "") -> str:
    """The path of a collection, or of what is below it."""
    return f"/collections/{quote(name, safe='')}{rest}"


def _decoded(answer: httpx.Response) -> Any:
    try:
        return msgspec.json.decode(answer.content)
    except msgspec.DecodeError:
        return None


def _is_qdrant(answer: httpx.Response) -> bool:
    known = _decoded(answer)
    return isinstance(known, dict) and "status" in known


def _too_few_copies(status: int, sentence: str) -> bool:
    words = sentence.casefold()
    away = "failed to apply" in words or "consistency" in words or "replica" in words
    return status >= 500 and away
