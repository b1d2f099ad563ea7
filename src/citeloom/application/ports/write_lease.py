"""The write lease, which lets one process at a time change a project."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

Waiting = Callable[[str], None]
"""Called once with the owner of the lease, before waiting for it."""


class WriteLease(Protocol):
    """The right to change a project's manifest and index. Readers need none."""

    @abstractmethod
    def hold(
        self, project_id: str, *, waiting: Waiting | None = None
    ) -> AbstractContextManager[None]:
        """Hold the lease until the context or the process ends. It is reentrant.

        While another process holds it, raises `IndexLocked` with its owner, or calls `waiting`
        with the owner and waits. Raises `IndexUnavailable` if the lease cannot be written.
        """
        ...
