"""Files of decisions in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from citeloom.application.ports.records import DecisionFiles


class InMemoryDecisionFiles(DecisionFiles):
    """Texts by the path of their file; a test may change them as a reader would."""

    def __init__(self) -> None:
        self.texts: dict[Path, str] = {}

    def path(self, draft: Path) -> Path:
        return draft.with_name(f"{draft.name}.citeloom.json")

    def read(self, draft: Path) -> str | None:
        return self.texts.get(self.path(draft))

    def change(self, draft: Path, change: Callable[[str | None], str]) -> None:
        self.texts[self.path(draft)] = change(self.read(draft))
