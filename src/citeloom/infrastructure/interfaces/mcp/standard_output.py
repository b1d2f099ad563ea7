"""Descriptor 1, kept for the protocol while nobody speaks it."""

from __future__ import annotations

import os

_STDOUT, _STDERR = 1, 2


class StandardOutput:
    """While it is held, whatever this process or its children print goes to stderr."""

    def __init__(self) -> None:
        self._kept: int | None = None

    def hold(self) -> None:
        """Lead descriptor 1 to stderr."""
        if self._kept is None:
            self._kept = os.dup(_STDOUT)
            os.dup2(_STDERR, _STDOUT)

    def give_back(self) -> None:
        """Lead it to where it led before."""
        if self._kept is not None:
            os.dup2(self._kept, _STDOUT)
            os.close(self._kept)
            self._kept = None
