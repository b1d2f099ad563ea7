"""Requests of those who write: support for drafts, and what the literature says on questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Annotated, cast

from annotated_types import Ge, Le, MaxLen, MinLen, doc

from citeloom.application.events import Progress
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.fields import Called, For, Reads, Served, flag
from citeloom.application.requests.passages import PassageFilters
from citeloom.domain.manuscript.draft import Draft
from citeloom.domain.retrieval.filters import check_text

MOST_QUESTIONS = 200

ShownProgress = Annotated[Progress | None, For.CALLERS, doc("Shows what is being done.")]
Ending = Annotated[Cancellation | None, For.CALLERS, doc("Ends it from another thread.")]


def _works(given: Iterable[str] | str) -> tuple[str, ...]:
    return tuple(name.removeprefix("@") for name in ([given] if isinstance(given, str) else given))


@dataclass(frozen=True)
class SupportRequest(PassageFilters):
    """What to find support for: the sentences of drafts without a citation that claim something, or
    those on `lines`, or with `every` all, in the passages that meet the filters.
    """

    drafts: Annotated[
        Sequence[str | Path | Draft] | str | Path | Draft,
        For.CALLERS,
        doc("Files, or drafts that have been read."),
    ] = ()
    _: KW_ONLY
    top_k: Annotated[
        int | None,
        Called("number of passages"),
        flag("-k", "--top-k"),
        Ge(1),
        Served(20),
        doc("Number of passages for each sentence; by default 3."),
    ] = None
    lines: Annotated[
        Sequence[Annotated[int, Ge(1), Le(1_000_000)]],
        For.PROGRAMS,
        Served(1_000),
        doc("Only the sentences that begin on these lines."),
    ] = ()
    every: Annotated[
        bool, flag("--all"), doc("All sentences, not only those that claim something.")
    ] = False
    progress: ShownProgress = field(default=None, compare=False, repr=False)
    cancellation: Ending = field(default=None, compare=False, repr=False)

    @property
    def files(self) -> tuple[str | Path | Draft, ...]:
        """The drafts."""
        return cast("tuple[str | Path | Draft, ...]", self.drafts)


@dataclass(frozen=True)
class MatrixRequest(PassageFilters):
    """Questions asked of each of `works`, or else of every work that meets the filters."""

    questions: Annotated[
        Sequence[str] | str,
        MinLen(1),
        MaxLen(MOST_QUESTIONS),
        Served(20),
        doc("The questions."),
    ]
    _: KW_ONLY
    works: Annotated[
        Sequence[str] | str, Reads(_works), Served(100), doc("Only the work with this citekey.")
    ] = ()
    strict: Annotated[bool, doc("Only passages that are likely to answer, none marked '?'.")] = (
        False
    )
    progress: ShownProgress = field(default=None, compare=False, repr=False)
    cancellation: Ending = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for question in self.questions:
            check_text("question", question)
