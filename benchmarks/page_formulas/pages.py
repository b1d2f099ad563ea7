"""What the pages say: sentences about formulas, displayed formulas, and scripts in plain text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.page_formulas.formulas import Node, formula
from benchmarks.page_statements.phrases import Writer

_HERE = Path(__file__).parent
HALVES = ("decide", "report", "fresh")


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence that goes on behind a formula or a text with scripts; a displayed formula stands
    on a row of its own, with its number.
    """

    kind: str  # inline, display, plain
    source: str
    before: str
    after: str
    more: str
    number: str = ""

    @property
    def formula(self) -> Node:
        """The formula in its parts."""
        return formula(self.source)


def parts(half: str, *, seed: int) -> list[Part]:
    """The parts of one half, `decide`, `report` or `fresh`, with sentences of their own.

    Scripts of plain text, which is no mathematics, stand between circumflexes and tildes.
    """
    writer, kind = Writer(Random(seed)), ""
    made: list[Part] = []
    for line in (_HERE / f"{half}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
            continue
        first, second, more = writer.sentences(3)
        number = f"({len(made) + 3})" if kind == "display" and len(made) % 2 else ""
        after = f"{second[0].lower()}{second[1:]}"
        made.append(Part(kind, line, first.removesuffix("."), after, more, number))
    return made
