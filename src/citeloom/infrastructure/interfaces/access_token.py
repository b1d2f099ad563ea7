"""The bearer token that callers over HTTP must have."""

from __future__ import annotations

import hmac
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

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
