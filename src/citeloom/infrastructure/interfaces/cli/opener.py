"""The program with which a system opens links."""

from __future__ import annotations

import subprocess
import sys

from citeloom.domain.errors import CiteloomError

_OPENERS = {
    "darwin": ("open",),
    "win32": ("rundll32", "url.dll,FileProtocolHandler"),
}
_ANYWHERE_ELSE = ("xdg-open",)
_SECONDS_TO_FAIL = 3.0


def opener(link: str, platform: str) -> tuple[str, ...]:
    """The command that opens a link; no shell ever sees it."""
    return (*_OPENERS.get(platform, _ANYWHERE_ELSE), link)


def open_link(link: str) -> None:
    """Open a link and leave the reader running. Raises `CiteloomError` when that fails at once."""
    command = opener(link, sys.platform)
    try:
        started = subprocess.Popen(  # noqa: S603 - the program is fixed, the link encoded
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        code = started.wait(_SECONDS_TO_FAIL)
    except subprocess.TimeoutExpired:
        return
    except OSError as error:
        raise CiteloomError(
            f"{command[0]}, which opens links here, cannot be started: {error.strerror}",
            f"Open {link} yourself.",
        ) from error
    if code:
        raise CiteloomError(
            f"{command[0]} found nothing to open the link with (exit {code})",
            f"Open {link} yourself.",
        )
