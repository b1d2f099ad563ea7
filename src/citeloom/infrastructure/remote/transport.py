"""HTTP requests that end in time, however slowly the bytes of an answer come."""

from __future__ import annotations

import math
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

EXCHANGE = "citeloom_exchange"
"""Request extension: the `Exchange` of the request."""

_MOST_CONNECTIONS, _KEPT, _KEPT_SECONDS = 100, 20, 5.0
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class Exchange:
    """A request under way: the time that is left for its answer, and how another thread ends it."""

    current: ContextVar[Exchange | None] = ContextVar("exchange", default=None)

    def __init__(self, seconds: float = math.inf, stop: threading.Event | None = None) -> None:
        self.stop = stop or threading.Event()
        """Once it is set, a running try is the last."""
        self._cancelled = False
        self._connection: httpcore.NetworkStream | None = None
        self.allow(seconds)

    def allow(self, seconds: float) -> None:
        """Let the answer take so many seconds from now on until it has been read whole."""
        self._seconds = seconds
        self._ends = time.monotonic() + seconds

    def cancel(self) -> None:
        """End the request: it is not tried again, and its connection is cut, also while another
        thread reads.
        """
        self._cancelled = True
        self.stop.set()
        connection = self._connection.get_extra_info("socket") if self._connection else None
        with suppress(OSError):
            if connection is not None:
                connection.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Bound what is read and written in this context; errors are those of httpx."""
        token = self.current.set(self)
        try:
            yield
        except (
            httpcore.TimeoutException,
            httpcore.NetworkError,
            httpcore.ProtocolError,
            httpcore.ProxyError,
            httpcore.UnsupportedProtocol,
        ) as error:
            late = f"its answer takes longer than {self._seconds:g} s"
            message = late if self._left() <= 0 else str(error)
            raise getattr(httpx, type(error).__name__)(message) from error
        finally:
            self.current.reset(token)

    def bounded(self, timeout: float | None) -> float | None:
        """The timeout, or the time that is left if that is shorter."""
        if self._cancelled:
            raise httpcore.ReadError("the request was cancelled")
        left = self._left()
        if left <= 0:
            raise httpcore.ReadTimeout
        bounds = [bound for bound in (timeout, left) if bound not in (None, math.inf)]
        return min(bounds, default=None)

    def use(self, connection: httpcore.NetworkStream, timeout: float | None) -> float | None:
        """`bounded` for a step on a connection, which `cancel` then cuts."""
        self._connection = connection
        return self.bounded(timeout)

    def _left(self) -> float:
        return self._ends - time.monotonic()


class DeadlineTransport(httpx.BaseTransport):
    """Sends requests as httpx does, through the proxies of the environment but for hosts of this
    machine. One with the extension `EXCHANGE` fails with `httpx.ReadTimeout` when its time is up;
    the timeouts of httpx begin again with every byte, those of headers, too.
    """

    def __init__(self) -> None:
        self._pools: dict[tuple[str, str | None], httpcore.ConnectionPool] = {}
        self._guard = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        exchange = request.extensions.get(EXCHANGE) or Exchange()
        url = request.url
        sent = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with exchange.applied():
            answer = self._pool(url.scheme, _proxy_of(url)).handle_request(sent)
        assert isinstance(answer.stream, Iterable)
        return httpx.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer.stream, exchange),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        for pool in self._pools.values():
            pool.close()

    @cached_property
    def _certificates(self) -> ssl.SSLContext:
        return httpx.create_ssl_context()

    def _pool(self, scheme: str, proxy: str | None) -> httpcore.ConnectionPool:
        with self._guard:
            if (scheme, proxy) not in self._pools:
                self._pools[scheme, proxy] = self._new_pool(scheme, proxy)
            return self._pools[scheme, proxy]

    def _new_pool(self, scheme: str, proxy: str | None) -> httpcore.ConnectionPool:
        options: dict[str, Any] = {
            "ssl_context": self._certificates if scheme == "https" else None,
            "max_connections": _MOST_CONNECTIONS,
            "max_keepalive_connections": _KEPT,
            "keepalive_expiry": _KEPT_SECONDS,
            "network_backend": _Network(),
        }
        if proxy is None:
            return httpcore.ConnectionPool(**options)
        known = httpx.Proxy(proxy)
        kind = httpcore.SOCKSProxy if known.url.scheme.startswith("socks") else httpcore.HTTPProxy
        return kind(str(known.url), proxy_auth=known.raw_auth, **options)


def _proxy_of(url: httpx.URL) -> str | None:
    """The proxy that the environment names for an address."""
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or url.host in _LOCAL or proxy_bypass(url.host):
        return None
    return proxy if urlsplit(proxy).netloc else f"http://{proxy}"


class _Body(httpx.SyncByteStream):
    """The body of an answer, read before its deadline."""

    def __init__(self, parts: Iterable[bytes], exchange: Exchange) -> None:
        self._parts = parts
        self._exchange = exchange

    def __iter__(self) -> Iterator[bytes]:
        parts = iter(self._parts)
        while True:
            with self._exchange.applied():
                part = next(parts, None)
            if part is None:
                return
            yield part

    def close(self) -> None:
        if close := getattr(self._parts, "close", None):
            close()


class _Network(httpcore.NetworkBackend):
    """Connections that keep to the deadline of the exchange that uses them."""

    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        bounded = _exchange().bounded(timeout)
        return _Connection(
            self._inner.connect_tcp(host, port, bounded, local_address, socket_options)
        )


class _Connection(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _exchange().use(self._inner, timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _exchange().use(self._inner, timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        bounded = _exchange().use(self._inner, timeout)
        return _Connection(self._inner.start_tls(ssl_context, server_hostname, bounded))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _exchange() -> Exchange:
    return Exchange.current.get() or Exchange()
