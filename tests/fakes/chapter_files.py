"""Files of chapters in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from citeloom.application.ports.records import ChapterFiles


class InMemoryChapterFiles(ChapterFiles):
    """Texts by name; a test may change them as a reader would."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def path(self, name: str) -> Path:
        return Path("collected") / f"{name}.md"

    def names(self) -> list[str]:
        return sorted(self.texts)

    def read(self, name: str) -> str | None:
        return self.texts.get(name)

    def append(self, name: str, addition: Callable[[str], str]) -> bool:
        before = self.texts.get(name, "")
        self.texts[name] = before + addition(before)
        return self.texts[name] != before
