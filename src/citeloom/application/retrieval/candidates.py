"""What goes through the stages of retrieval, and the shape of a stage."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from citeloom.domain.passage import Hit, IndexQuery


class StageName(StrEnum):
    """The stages of retrieval, in the order they run."""

    QUOTATIONS = "quotations"
    EXPAND = "expand"
    RETRIEVE = "retrieve"
    FUSE = "fuse"
    DIVERSIFY = "diversify"
    FOLD = "fold"
    FLOOR = "floor"
    GROUP = "group"
    LIMIT = "limit"


ESSENTIAL = frozenset({StageName.RETRIEVE, StageName.FUSE, StageName.LIMIT})
"""The stages without which there is no answer; every other can be switched off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTrace:
    """What a stage did: how many hits came in and went out, and the rest in words."""

    name: StageName
    hits_in: int
    hits_out: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The hits so far, best first, for the question `text`, and the query that finds more.

    `sides` are rankings that are not fused yet. `quoted` are the ids of hits that hold the text
    word for word: they stand first. `settled` says that nothing more needs to be searched.
    `feedback` are the ids of the chunks that the query was expanded by, `folded` the hits that
    were folded under another by its chunk id, `notes` what a user should know of the answer.
    """

    text: str
    query: IndexQuery
    hits: tuple[Hit, ...] = ()
    sides: tuple[tuple[Hit, ...], ...] = ()
    quoted: frozenset[str] = frozenset()
    settled: bool = False
    feedback: tuple[str, ...] = ()
    folded: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)
    detail: str = ""
    notes: tuple[str, ...] = ()
    trace: tuple[StageTrace, ...] = ()

    @property
    def count(self) -> int:
        """How many chunks there are, each counted once."""
        rankings = (self.hits, *self.sides)
        return len({hit.stored.chunk.id for ranking in rankings for hit in ranking})


class Stage(Protocol):
    """One step of retrieval: candidates in, candidates out, with a `detail` of what it did."""

    @property
    @abstractmethod
    def name(self) -> StageName:
        """What the stage is called in a trace."""
        ...

    @abstractmethod
    def __call__(self, candidates: Candidates) -> Candidates:
        """The candidates after this stage."""
        ...
