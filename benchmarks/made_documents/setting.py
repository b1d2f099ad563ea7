"""What the programs that set stories have in common: element by element, and how they are run."""

from __future__ import annotations

import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from random import Random

from benchmarks.made_documents.stories import Element, Formula, Heading, Paragraph, Plot, Table

_MARKS = 60


class Setting(ABC):
    """Says each element of a story in a program's language."""

    def element(self, element: Element) -> str:
        """The element's source."""
        match element:
            case Heading():
                return self.heading(element)
            case Paragraph():
                return self.paragraph(element)
            case Formula():
                return self.formula(element)
            case Table():
                return self.table(element)
            case Plot():
                return self.plot(element)

    @abstractmethod
    def heading(self, heading: Heading) -> str: ...

    @abstractmethod
    def paragraph(self, paragraph: Paragraph) -> str: ...

    @abstractmethod
    def formula(self, formula: Formula) -> str: ...

    @abstractmethod
    def table(self, table: Table) -> str: ...

    @abstractmethod
    def plot(self, plot: Plot) -> str: ...


def marks_of(
    plot: Plot, across: tuple[float, float], down: tuple[float, float]
) -> list[tuple[float, float]]:
    """Where a plot's marks stand within these bounds, the same each time."""
    random = Random(plot.caption)
    return [(random.uniform(*across), random.uniform(*down)) for _ in range(_MARKS)]


def run(command: Sequence[str | Path], source: str = "") -> bytes:
    """What a program prints when it is given the source."""
    return subprocess.run(
        [str(part) for part in command],
        input=source.encode(),
        check=True,
        capture_output=True,
        timeout=120,
    ).stdout
