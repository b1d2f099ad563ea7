"""Lets those through who have the token."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from citeloom.infrastructure.interfaces.access_token import AccessToken

Message = MutableMapping[str, Any]
App = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Any
]

_SCHEME = b"bearer "


class BearerGate:
    """An ASGI application that answers 401 to requests without the token, before their body is
    read.
    """

    def __init__(self, app: App, token: AccessToken) -> None:
        self._app = app
        self._token = token

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        """Hand the request on, or refuse it."""
        if scope["type"] == "lifespan" or self._may_pass(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await _refuse(send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _may_pass(self, scope: Message) -> bool:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) != 1 or given[0][: len(_SCHEME)].lower() != _SCHEME:
            return False
        return self._token.matches(given[0][len(_SCHEME) :].decode("latin-1"))


async def _refuse(send: Callable[[Message], Awaitable[None]]) -> None:
    body = b'{"error": "the bearer token is missing or wrong"}'
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"www-authenticate", b'Bearer realm="citeloom"'),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})
