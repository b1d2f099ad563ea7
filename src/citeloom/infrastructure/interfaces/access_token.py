"""The bearer token that callers over HTTP must have."""

from __future__ import annotations

import hmac
import os
import stat
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citeloom.domain.errors import ConfigError

VARIABLE = "CITELOOM_TOKEN"
_LEAST_LENGTH = 16
_HINT = (
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
    text = _content(file) if file is not None else os.environ.get(VARIABLE, "")
    if not (token := text.strip()):
        if file is None:
            return None
        raise ConfigError(f"{file} holds no token", _HINT)
    if len(token) < _LEAST_LENGTH:
        raise ConfigError(f"the token has fewer than {_LEAST_LENGTH} characters", _HINT)
    return AccessToken(token)


def _content(file: Path) -> str:
    try:
        with file.open(encoding="utf-8") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
                raise ConfigError(f"others may read the token in {file}", f"chmod 600 {file}")
            return stream.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the token in {file} cannot be read: {error}", _HINT) from error


# Lets those through who have the token.

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
