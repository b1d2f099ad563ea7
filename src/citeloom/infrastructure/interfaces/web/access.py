"""Who may enter the reading room: sessions, login, tokens against forged forms, headers."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from http.cookies import SimpleCookie
from urllib.parse import parse_qsl, quote, urlencode

from fastapi import Request
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeloom.infrastructure.interfaces.http.gate import AccessPolicy, AccessToken
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary

COOKIE, CSRF_FIELD, CSRF_HEADER = "citeloom_session", "csrf", "x-csrf-token"
SESSION_SECONDS = 30 * 24 * 3600
"""How long a login lasts."""
_LOGIN, _LOGIN_PAUSE = "/login", 0.5
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        "object-src 'none'"
    ),
    "Cache-Control": "private, no-cache",
    "Referrer-Policy": "same-origin",  # without any, a browser sends forms with the origin "null"
}
_CHANGES = frozenset({"POST"})


class WebSessions:
    """The cookies of visitors. With a token, one is given for the token alone, and says until when
    it holds; its signature needs no memory. Without a token everybody gets one at the first visit.
    """

    def __init__(self, token: AccessToken | None) -> None:
        self._token = token
        self._key = secrets.token_bytes(32)

    def begun(self) -> str:
        """The value of a new session's cookie."""
        until = f"{int(time.time()) + SESSION_SECONDS}.{secrets.token_hex(16)}"
        return f"{until}.{self._signature(until)}"

    def holds(self, cookie: str) -> bool:
        """Whether a cookie is one of these, and not over."""
        value, _, signature = cookie.rpartition(".")
        until = value.partition(".")[0]
        is_signed = hmac.compare_digest(self._signature(value).encode(), signature.encode())
        return is_signed and until.isdigit() and int(until) > time.time()

    def opens(self, token: str) -> bool:
        """Whether it is the token of this server."""
        return self._token is None or self._token.matches(token)

    @property
    def needs_login(self) -> bool:
        return self._token is not None

    def csrf(self, cookie: str) -> str:
        """What a form of this session sends with every change."""
        return _hex(self._key, f"csrf {cookie}")

    def _signature(self, text: str) -> str:
        """By the token, so that a session outlives the server; without one by a key of its own."""
        key = self._key if self._token is None else self._token.secret.encode()
        return _hex(key, f"session {text}")


def _hex(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class RoomGate:
    """Lets those in who have a session, sends the others to the login, and gives every page the
    headers of one that loads nothing from elsewhere.

    A form's empty fields are no parameters, and a page without a `project` is of the first.
    """

    def __init__(
        self, app: ASGIApp, *, sessions: WebSessions, service: ServedLibrary, guard: AccessPolicy
    ) -> None:
        self._app = app
        self._sessions = sessions
        self._service = service
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        cookie = connection.cookies.get(COOKIE, "")
        is_known = self._sessions.holds(cookie)
        is_new = not is_known and not self._sessions.needs_login
        if is_new:
            cookie = self._sessions.begun()
        may_enter = is_known or is_new or self._guard.knows(connection)
        scope["state"]["session"] = cookie if is_known or is_new else ""
        scope["query_string"] = self._parameters(scope["query_string"])

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if is_new:
                    headers.append("Set-Cookie", session_cookie(cookie, scope))
            await send(message)

        if not (may_enter or scope["path"] == _LOGIN or scope["path"].startswith("/static/")):
            await _to_login(connection)(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)

    def _parameters(self, query: bytes) -> bytes:
        given = [pair for pair in parse_qsl(query.decode("latin-1")) if pair[1].strip()]
        if not any(name == "project" for name, _ in given):
            given.append(("project", self._service.projects[0]))
        return urlencode(given).encode("latin-1")


def _to_login(connection: HTTPConnection) -> Response:
    url = connection.url
    target = f"{url.path}?{url.query}" if url.query else url.path
    response = RedirectResponse(f"{_LOGIN}?to={quote(target)}", status_code=303)
    if "hx-request" in connection.headers:
        response = RedirectResponse(_LOGIN, status_code=200)
        response.headers["HX-Redirect"] = f"{_LOGIN}?to={quote(target)}"
    return response


def session_cookie(value: str, scope: Scope) -> str:
    """The header that gives a visitor a session."""
    cookie: SimpleCookie = SimpleCookie({COOKIE: value})
    morsel = cookie[COOKIE]
    morsel.update({"path": "/", "samesite": "Strict", "max-age": str(SESSION_SECONDS)})
    morsel["httponly"] = True
    morsel["secure"] = scope["scheme"] == "https" or ""
    return morsel.OutputString()


async def checked_form(request: Request) -> None:
    """Refuse with 403 a change without the token of the visitor's session."""
    if request.method not in _CHANGES:
        return
    sessions: WebSessions = request.app.state.sessions
    given = request.headers.get(CSRF_HEADER)
    if given is None:
        given = str((await request.form()).get(CSRF_FIELD, ""))
    expected = sessions.csrf(request.state.session)
    if not hmac.compare_digest(expected.encode(), given.encode()):
        raise HTTPException(403, "this form is not of your session: load the page again")


async def log_in(request: Request, token: str, target: str) -> Response | None:
    """The way to the page that was asked for, with a session; None for a wrong token."""
    sessions: WebSessions = request.app.state.sessions
    if not sessions.opens(token.strip()):
        await asyncio.sleep(_LOGIN_PAUSE)
        return None
    response = RedirectResponse(own_address(target), status_code=303)
    response.headers["Set-Cookie"] = session_cookie(sessions.begun(), request.scope)
    return response


def own_address(address: str) -> str:
    """An address of this server, or its first page."""
    is_own = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if is_own else "/"
