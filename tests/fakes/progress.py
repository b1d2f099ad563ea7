"""A `Progress` that remembers what it was told."""

from __future__ import annotations

from citeloom.application.events import Progress


class RecordedProgress(Progress):
    """Keeps every call in order: `stages` and `outcomes` as (document, what), and how many pages
    and chunks were done.
    """

    def __init__(self) -> None:
        self.total: int | None = None
        self.stages: list[tuple[str, str]] = []
        self.outcomes: list[tuple[str, str]] = []
        self.pages = self.chunks = 0
        self.finished = False

    def start(self, total: int) -> None:
        self.total = total

    def stage(self, document: str, stage: str) -> None:
        self.stages.append((document, stage))

    def count(self, document: str, *, pages: int = 0, chunks: int = 0) -> None:
        self.pages += pages
        self.chunks += chunks

    def advance(self, document: str, outcome: str) -> None:
        self.outcomes.append((document, outcome))

    def finish(self) -> None:
        self.finished = True
