"""Who may ask, and the way in: every request gets an id, is checked, measured and answered."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import logging
import os
import re
import secrets
import stat
import time
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.interfaces.http.metrics import Metrics, route_of
from citeloom.infrastructure.interfaces.http.problems import UNEXPECTED, Refusal, problem_response
from citeloom.infrastructure.interfaces.mcp.mcp_app import MAX_MESSAGE_BYTES, MCP_PATH

# The bearer token that callers must have.

VARIABLE = "CITELOOM_TOKEN"
_LEAST_LENGTH = 16
_TOKEN_HINT = (
    f"Put a long random text into {VARIABLE}, or into a file that only you can read (chmod 600): "
    'python -c "import secrets; print(secrets.token_urlsafe(32))"'
)


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A secret; never shown."""

    secret: str = field(repr=False)

    def matches(self, given: str) -> bool:
        """Whether it is the same; takes the same time wherever they differ."""
        return hmac.compare_digest(self.secret.encode(), given.encode("utf-8", "surrogatepass"))


def read_token(file: Path | None = None) -> AccessToken | None:
    """The token in `file`, or in the environment; None where there is neither.

    Raises `ConfigError` for a short one, and for a file that others may read.
    """
    text = os.environ.get(VARIABLE, "")
    if file is not None:
        try:
            with file.open(encoding="utf-8") as stream:
                mode = os.fstat(stream.fileno()).st_mode
                if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
                    raise ConfigError(f"others may read the token in {file}", f"chmod 600 {file}")
                text = stream.read()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"the token in {file} cannot be read: {error}", _TOKEN_HINT
            ) from error
    if not (token := text.strip()):
        if file is None:
            return None
        raise ConfigError(f"{file} holds no token", _TOKEN_HINT)
    if len(token) < _LEAST_LENGTH:
        raise ConfigError(f"the token has fewer than {_LEAST_LENGTH} characters", _TOKEN_HINT)
    return AccessToken(token)


# Who may ask: the right host, no foreign web page, and where there is a token, who knows it.

MAX_BODY_BYTES = 64_000
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
ROOM_BYTES = 200_000_000
"""Largest upload to the reading room."""
OPEN_TO_ALL = frozenset({"/api/docs", "/api/openapi.json", "/api/v1/health", "/api/v1/ready"})
"""What is answered without a token: the documentation, and whether the server is up."""

TOO_LARGE = Refusal(
    status=413,
    code="TOO_LARGE",
    message=f"the request is larger than {MAX_BODY_BYTES:,} bytes ({MAX_MESSAGE_BYTES:,} over MCP)",
    hint="Ask for one thing at a time.",
)
_TOO_LARGE_FOR_ROOM = replace(
    TOO_LARGE,
    message=f"what is sent is larger than {ROOM_BYTES // 1_000_000} MB",
    hint="Go back, and send less at a time.",
)
_LENGTH = re.compile("[0-9]{1,12}")
_PORT = re.compile(r":\d+$")
_OWN_SITES = frozenset({"none", "same-origin"})
"""Where a browser says a request without an Origin comes from, if not from a page elsewhere: an
image or a link there sends none.
"""
_ANY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach the address."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPolicy:
    """Checks requests before anything of them is read but their headers.

    `hosts` are the names by which clients may call the server, `origins` the web pages whose
    scripts may ask, besides the server's own. `with_room`, what is neither the API's nor MCP's is
    the reading room's, which has sessions of its own.
    """

    hosts: frozenset[str]
    origins: frozenset[str] = frozenset()
    token: AccessToken | None = None
    max_body_bytes: int = MAX_BODY_BYTES
    with_room: bool = True

    @classmethod
    def of(
        cls,
        *,
        address: str,
        hosts: Collection[str],
        origins: Collection[str],
        token: AccessToken | None,
    ) -> AccessPolicy:
        bound = {f"[{address}]" if ":" in address else address} - _ANY_ADDRESS
        return cls(
            hosts=frozenset(name.lower() for name in {*LOCAL_NAMES, *bound, *hosts}),
            origins=frozenset(origin.lower().rstrip("/") for origin in origins),
            token=token,
        )

    def refusal(self, connection: HTTPConnection) -> Refusal | None:
        """Why the request is refused; None when it is not."""
        headers, path = connection.headers, connection.scope["path"]
        hosts = [_PORT.sub("", host.lower()) for host in headers.getlist("host")]
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return Refusal(
                status=421,
                code="HOST_NOT_ALLOWED",
                message="this server is not known by the name in the Host header",
                hint="Add the name to [server] hosts if clients should use it.",
            )
        is_room = self.with_room and not path.startswith("/api/") and path != MCP_PATH
        # the reading room sends to the login whoever has no session
        is_open = is_room or path in OPEN_TO_ALL or path.startswith("/api/docs/")
        is_link = (
            is_open
            and headers.get("sec-fetch-mode") == "navigate"
            and connection.scope["method"] in {"GET", "HEAD"}
        )
        if not (is_link or self.is_origin(headers)):
            return Refusal(
                status=403,
                code="ORIGIN_NOT_ALLOWED",
                message="web pages of other origins may not use this server",
                hint="Add the page's origin to [server] origins if it should.",
            )
        # a browser asks what a page may do without a token
        asks = "access-control-request-method" in headers and self.origins
        is_preflight = asks and connection.scope["method"] == "OPTIONS"
        if not (is_open or is_preflight or self.knows(connection)):
            return Refusal(
                status=401,
                code="UNAUTHORIZED",
                message="this server requires a token",
                hint="Send it as the header Authorization: Bearer TOKEN.",
            )
        # a body without a length of its own is counted as it arrives
        length = headers.get("content-length", "0")
        most = MAX_MESSAGE_BYTES if path == MCP_PATH else self.max_body_bytes
        most = ROOM_BYTES if is_room else most
        is_small = _LENGTH.fullmatch(length) and int(length) <= most
        return None if is_small else _TOO_LARGE_FOR_ROOM if is_room else TOO_LARGE

    def knows(self, connection: HTTPConnection) -> bool:
        """Whether a request has the token as a bearer, or none is needed."""
        kind, _, secret = connection.headers.get("authorization", "").partition(" ")
        is_bearer = kind.lower() == "bearer"
        return self.token is None or (is_bearer and self.token.matches(secret.strip()))

    def is_origin(self, headers: Headers) -> bool:
        """Whether a request comes from no web page, or from one that may ask."""
        origin = headers.get("origin")
        if origin is None:
            return headers.get("sec-fetch-site", "none").lower() in _OWN_SITES
        own = headers.get("host", "").lower()
        return origin.lower() in self.origins or origin.lower().partition("://")[2] == own


# The way in: every request gets an id, is checked, measured and answered, whatever happens.

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
_SLOW = Refusal(
    status=408,
    code="TIMEOUT",
    message="the request was not complete in time",
    hint="Send the whole request at once.",
)
_log = logging.getLogger(__name__)


class RequestMiddleware:
    """Wraps an app; a request must be answered, or its answer begun, within `seconds`."""

    def __init__(
        self, app: ASGIApp, *, guard: AccessPolicy, metrics: Metrics, seconds: float
    ) -> None:
        self._app = app
        self._guard = guard
        self._metrics = metrics
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        name = connection.headers.get("x-request-id", "")
        name = name if _REQUEST_ID.fullmatch(name) else secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = name
        answer = _Answer(scope, send)
        began = time.perf_counter()
        with self._metrics.in_progress():
            try:
                await self._answered(connection, receive, answer)
            finally:
                spent = time.perf_counter() - began
                self._metrics.observe(scope, answer.status, spent)
                _log.info(
                    "answered",
                    extra={
                        "request_id": answer.request_id,
                        "route": route_of(scope),
                        "status": answer.status,
                        "ms": round(1000 * spent, 1),
                    },
                )

    async def _answered(
        self, connection: HTTPConnection, receive: Receive, answer: _Answer
    ) -> None:
        try:
            if refusal := self._guard.refusal(connection):
                await answer.refuse(refusal, receive)
                return
            async with asyncio.timeout(self._seconds) as answer.deadline:
                await self._respond(connection.scope, receive, answer.send)
        except Exception as error:  # noqa: BLE001 - no request may go without an answer
            is_slow = answer.deadline is not None and answer.deadline.expired()
            answer.deadline = None
            if is_slow and isinstance(error, TimeoutError):
                await answer.refuse(_SLOW, receive)
                return
            _log.exception("a request failed", extra={"request_id": answer.request_id})
            await answer.refuse(UNEXPECTED, receive)

    async def _respond(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask the app; a HEAD is a GET without its body, but of events, which never end."""
        if scope["method"] != "HEAD" or scope["path"].endswith("/events"):
            await self._app(scope, receive, send)
            return

        async def headers_only(message: Message) -> None:
            await send({**message, "body": b""} if "body" in message else message)

        as_get = {**scope, "method": "GET"}
        try:
            await self._app(as_get, receive, headers_only)
        finally:
            scope["route"] = as_get.get("route")


class ConditionalAnswers:
    """Gives every whole answer to a GET that has no `ETag` one, and answers 304 to a client that
    has it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        tags = {tag.strip() for tag in Headers(scope=scope).get("if-none-match", "").split(",")}
        start: Message | None = None

        async def validated(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                headers = Headers(raw=message["headers"])
                is_whole = "content-length" in headers and "etag" not in headers
                if is_whole and message["status"] == 200:
                    start = message
                    return
            if start is not None:
                begun, start = start, None
                if await self._validated(begun, message, tags, send):
                    return
            await send(message)

        await self._app(scope, receive, validated)

    async def _validated(self, start: Message, body: Message, tags: set[str], send: Send) -> bool:
        """Send the start of the answer with its validator; whether that was all."""
        tag = f'W/"{hashlib.blake2b(body.get("body", b""), digest_size=12).hexdigest()}"'
        headers = MutableHeaders(scope=start)
        headers["ETag"] = tag
        headers.setdefault("Cache-Control", "private, no-cache")
        is_cached = tag in tags or "*" in tags
        if is_cached:
            start["status"] = 304
            del headers["content-length"]
        await send(start)
        if is_cached:
            await send({"type": "http.response.body", "body": b""})
        return is_cached


class _Answer:
    """The answer to a request as it is sent."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.status = 0
        self.deadline: asyncio.Timeout | None = None
        self._scope = scope
        self._send = send

    @property
    def request_id(self) -> str:
        return str(self._scope["state"]["request_id"])

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-ID"] = self.request_id
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            if self.deadline is not None:
                self.deadline.reschedule(None)
        await self._send(message)

    async def refuse(self, refusal: Refusal, receive: Receive) -> None:
        """Answer with a problem, unless an answer has begun."""
        if not self.status:
            response = problem_response(refusal, self.request_id)
            await response(self._scope, receive, self.send)
