"""A `Progress` that remembers what it was told."""

from __future__ import annotations

from citeloom.application.ports.progress import Progress


class RecordedProgress(Progress):
    """Keeps every call in order: `stages` and `outcomes` as (document, what)."""

    def __init__(self) -> None:
        self.total: int | None = None
        self.stages: list[tuple[str, str]] = []
        self.outcomes: list[tuple[str, str]] = []
        self.finished = False

    def start(self, total: int) -> None:
        self.total = total

    def stage(self, document: str, stage: str) -> None:
        self.stages.append((document, stage))

    def advance(self, document: str, outcome: str) -> None:
        self.outcomes.append((document, outcome))

    def finish(self) -> None:
        self.finished = True
