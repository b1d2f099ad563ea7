"""A Qdrant server or cluster by Qdrant's own client: addresses, retries and failures."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from json import JSONDecodeError
from typing import TypeVar
from urllib.parse import urlsplit

import httpx
import structlog

from citeloom.domain.errors import IndexLocked, IndexUnavailable
from citeloom.infrastructure.remote.retries import sentence_of
from citeloom.infrastructure.remote.transport import EXCHANGE, DeadlineTransport, Exchange
from citeloom_qdrant.official_client import (
    QdrantClient,
    QdrantException,
    ResponseHandlingException,
    UnexpectedResponse,
    models,
    without_fastembed,
)

QUESTION_SECONDS = 5.0
"""How long a question waits for a server that is away."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_SAID = 200
_BUSY = (429, 502, 503, 504)
_KEY = "CITELOOM_QDRANT_API_KEY"
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_log = structlog.get_logger("citeloom.store")

T = TypeVar("T")


class _Away(Exception):
    """No answer, or one that another try may change."""

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


class _BoundedTransport(httpx.BaseTransport):
    """Gives each request `seconds` until its answer has been read whole."""

    def __init__(self, inner: httpx.BaseTransport, seconds: float) -> None:
        self._inner = inner
        self._seconds = seconds

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.extensions = {**request.extensions, EXCHANGE: Exchange(self._seconds)}
        return self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()


class QdrantServer:
    """A server at one of several `addresses` of one cluster, for any number of threads.

    A request that finds no server is tried at the next address, and again with growing pauses: for
    `retry_for` seconds inside `patient`, else for 5 seconds at most. Every request has the same
    effect when it is made twice. The text of errors never holds the key. `lost_leases` are the
    errors of projects that another machine has taken over, to be raised by the next write.
    `clients` are those that exist already, by their address; the others are made when needed.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        *,
        api_key: str | None = None,
        timeout: float = 30,
        retry_for: float = 0.0,
        transport: httpx.BaseTransport | None = None,
        clients: Mapping[str, QdrantClient] | None = None,
    ) -> None:
        self._addresses = [shown(address) for address in addresses]
        self._key = api_key
        self._timeout = timeout
        self._retry_for = retry_for
        self._transport = transport
        self._clients = dict(clients or {})
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

    def ask(self, request: Callable[[QdrantClient], T], *, question: bool = False) -> T:
        """The result of a request; a `question` is not waited for longer than 5 seconds.

        Raises `IndexUnavailable`, with the status of an error that was answered.
        """
        seconds = self._retry_for
        if question or not self._patient:
            seconds = min(seconds, QUESTION_SECONDS)
        deadline, pause, warned = time.monotonic() + seconds, _FIRST_PAUSE, False
        while True:
            try:
                return self._anywhere(request)
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

    def version(self, address: str) -> str:
        """The version that a server gives; raises `IndexUnavailable` where none is there."""
        try:
            return self._once(shown(address), lambda qdrant: qdrant.info()).version
        except _Away as away:
            raise self._unreachable(away, shown(address)) from away

    def close(self) -> None:
        """Close the connections; the next request opens new ones. May be called twice."""
        with self._guard:
            clients, self._clients = self._clients, {}
        for client in clients.values():
            client.close()

    def _anywhere(self, request: Callable[[QdrantClient], T]) -> T:
        """The answer at the address in use, or at the first of the others that answers."""
        first = self._current
        for step in range(len(self._addresses)):
            at = (first + step) % len(self._addresses)
            try:
                result = self._once(self._addresses[at], request)
            except _Away:
                if step == len(self._addresses) - 1:
                    raise
            else:
                self._current = at
                return result
        raise AssertionError("there is at least one address")

    def _once(self, at: str, request: Callable[[QdrantClient], T]) -> T:
        try:
            return request(self._client(at))
        except UnexpectedResponse as answer:
            if answer.status_code in _BUSY:
                raise _Away(self._sentence(answer), answer.status_code) from None
            raise self._refusal(at, answer) from None
        except QdrantException as busy:  # 429 with Retry-After
            raise _Away(self._without_key(str(busy)), _BUSY[0]) from None
        except ResponseHandlingException as failure:
            if isinstance(failure.source, httpx.TransportError | httpx.DecodingError):
                reason = self._without_key(str(failure.source))
                raise _Away(reason or type(failure.source).__name__) from failure.source
            raise _no_qdrant(at, self._without_key(str(failure.source))) from None
        except (AssertionError, JSONDecodeError, UnicodeDecodeError):
            raise _no_qdrant(at, "its answer holds no result") from None

    def _client(self, address: str) -> QdrantClient:
        with self._guard:
            if address not in self._clients:
                self._clients[address] = self._connected(address)
            return self._clients[address]

    def _connected(self, address: str) -> QdrantClient:
        """A client, which makes no request of its own and goes to the port in the address."""
        headers = {"accept-encoding": "gzip"}
        if self._key:  # as an argument, it would warn of http also on this machine
            headers["api-key"] = self._key
        with without_fastembed():
            return QdrantClient(
                url=address,
                port=None,
                timeout=math.ceil(self._timeout),
                headers=headers,
                check_compatibility=False,
                transport=_BoundedTransport(self._transport or DeadlineTransport(), self._timeout),
            )

    def _unreachable(self, away: _Away, *tried: str) -> IndexUnavailable:
        where = " or ".join(tried)
        if away.status is not None:
            message, hint = f"The Qdrant server at {where} is busy: {away}", "Try again later."
            return _refused(message, hint, status=away.status)
        return IndexUnavailable(
            f"No Qdrant server answers at {where}: {away}",
            "Start it, or correct [qdrant] url; without a url the index is kept in process.",
        )

    def _refusal(self, at: str, answer: UnexpectedResponse) -> IndexUnavailable:
        sentence, status = self._sentence(answer), answer.status_code or 0
        if status in (401, 403):
            return _refused(
                f"The Qdrant server at {at} refused: {sentence}",
                self._hint_for_key(status, sentence),
                status=status,
            )
        if not _is_qdrant(answer):
            return _no_qdrant(at, f"{status}: {sentence}")
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
            return peers_of(self._once(at, lambda qdrant: qdrant.cluster_status()))[0]
        except (_Away, IndexUnavailable):
            return []

    def _sentence(self, answer: UnexpectedResponse) -> str:
        """What the server says itself, on one line of at most 200 characters, without the key."""
        return sentence_of(answer.content, [self._key or ""], _SAID) or answer.reason_phrase

    def _without_key(self, message: str) -> str:
        return sentence_of(message.encode(), [self._key or ""], _SAID)


def _refused(message: str, hint: str, *, status: int) -> IndexUnavailable:
    refusal = IndexUnavailable(message, hint)
    refusal.status = status
    return refusal


def _no_qdrant(at: str, reason: str) -> IndexUnavailable:
    return _refused(
        f"What answers at {at} is no Qdrant server that is understood here ({reason})",
        "Correct [qdrant] url: the address of Qdrant's REST interface, often port 6333.",
        status=0,
    )


def shown(address: str) -> str:
    """An address without credentials and a slash at its end, fit to be shown."""
    parts = urlsplit(address)
    place = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{place}{parts.path.rstrip('/')}"


def is_local(address: str) -> bool:
    """Whether an address is of this machine."""
    return (urlsplit(address).hostname or "") in _LOCAL


def peers_of(cluster: models.ClusterStatus) -> tuple[list[str], tuple[str, ...]]:
    """The nodes of a cluster that are away, and all; none where there is no cluster."""
    if not isinstance(cluster, models.ClusterStatusOneOf1):
        return [], ()
    uris = {key: peer.uri for key, peer in cluster.peers.items()}
    return [uris.get(node, node) for node in cluster.message_send_failures], tuple(uris.values())


def _is_qdrant(answer: UnexpectedResponse) -> bool:
    try:
        known = answer.structured()
    except ValueError:
        return False
    return isinstance(known, dict) and "status" in known


def _too_few_copies(status: int, sentence: str) -> bool:
    words = sentence.casefold()
    away = "failed to apply" in words or "consistency" in words or "replica" in words
    return status >= 500 and away
