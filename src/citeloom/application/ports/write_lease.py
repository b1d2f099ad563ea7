"""The port that lets one process at a time change a project."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

Waiting = Callable[[str], None]
"""Is told once who holds the lease, before it is waited for."""


class WriteLease(Protocol):
    """The right to change a project's manifest and index. Readers need none."""

    @abstractmethod
    def hold(
        self, project_id: str, *, waiting: Waiting | None = None
    ) -> AbstractContextManager[None]:
        """Keep the project to oneself until the context ends, or the process does.

        Who holds it may take it again. While another holds it, raises `IndexLocked` at once,
        saying who that is, or with `waiting` tells that and waits. Raises `IndexUnavailable`
        where no lease can be kept.
        """
        ...
