"""What all calls of a server share."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock, Thread

from citeloom.application.jobs import Jobs
from citeloom.application.library import Library
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.interfaces.calls import Calls, SharedCalls

_CLOSING_SECONDS = 10.0


@dataclass(slots=True)
class ServerState:
    """The library, its jobs, and the calls that are running: those that answer questions and those
    that read much apart, so that slow ones take no slot of others.
    """

    library: Library
    jobs: Jobs
    calls: Calls
    answers: Calls
    heavy: SharedCalls = field(default_factory=SharedCalls)
    _warming: Thread | None = None
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, library: Library) -> ServerState:
        """The state of a server of this library; opens nothing."""
        limits = library.limits
        return cls(library, Jobs(library, clock=SystemClock()), Calls(limits), Calls(limits))

    def warm(self, project: str | None = None) -> None:
        """Load the models in the background, once: those of a project, or of all."""
        with self._lock:
            if self._warming is None:
                names = self.library.project_ids() if project is None else (project,)
                self._warming = Thread(
                    target=self._load, args=(names,), name="warming", daemon=True
                )
                self._warming.start()

    def _load(self, names: Sequence[str]) -> None:
        for project_id in names:
            with suppress(CiteloomError):  # told to whoever asks something that needs it
                self.library.project(project_id).load_models()

    def close(self) -> None:
        """Stop the jobs in order, then close the library."""
        self.jobs.close(_CLOSING_SECONDS)
        self.library.close()
