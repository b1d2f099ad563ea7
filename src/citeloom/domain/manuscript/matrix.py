"""A literature matrix: works down, questions across, each cell the best passage of that work."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.domain.answers.relevance import Verdict
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import StoredChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a work has on a question.

    `passage` is its best passage where the verdict reaches the threshold, else None, and `start`
    the offset there of the sentence that shares most words with the question; `evidence` is what
    the verdict rests on: 0 to 1.5.
    """

    verdict: Verdict
    evidence: float
    passage: StoredChunk | None = None
    start: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """A work and its cell for each question. A document without a reference is a work of its own,
    named by its file.
    """

    name: str
    reference: CitationMeta | None
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """The rows by year and name; `calibrated` says whether the thresholds are the project's own,
    `notes` what else is to be known of them.
    """

    project: str
    questions: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    calibrated: bool
    notes: tuple[str, ...] = ()

    @property
    def filled(self) -> int:
        """How many cells have a passage."""
        return sum(cell.passage is not None for row in self.rows for cell in row.cells)
