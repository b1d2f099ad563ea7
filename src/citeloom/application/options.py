"""Options as callers from Python name them: of queries, ingests and watches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypedDict, TypeVar, cast

from citeloom.application.retrieval.question import QueryRequest
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.policies import GroupBy, Mode
from citeloom.domain.retrieval.candidates import StageName
from citeloom.domain.retrieval.filters import Filters, Where, conditions, parse_section, parse_years

if TYPE_CHECKING:
    from citeloom.application.ingest import IngestRequest
    from citeloom.application.ports.runtime import Cancellation
    from citeloom.application.reports import WithheldRemoval


# The options of queries and questions, as callers from Python name them.

_Named = TypeVar("_Named", bound=StrEnum)


class WorkOptions(TypedDict, total=False):
    """Which works count; all of them by default.

    `where` are conditions on front matter, `hardware_tier<=2`, or a mapping of fields to values;
    `years` is a first and a last year, either may be None, or "2019..2023"; a single tag may stand
    without a list.
    """

    citekey: str | None
    doc_id: str | None
    tags: Sequence[str] | str
    years: tuple[int | None, int | None] | str
    where: Sequence[str | Where] | Mapping[str, object]


class FilterOptions(WorkOptions, total=False):
    """What passages may be of, and how many there are; `section` is a prefix of section titles, or
    "Methods > Sampling"; a single kind may stand without a list.
    """

    kinds: Sequence[ChunkKind | str] | str
    section: Sequence[str] | str
    top_k: int | None


class AskOptions(FilterOptions, total=False):
    """The filters of a question; with `quote_first` a model chooses and orders quotations alone."""

    quote_first: bool


class DocumentOptions(WorkOptions, total=False):
    """Which documents are listed. Each word of `text` stands in the title, the authors, the citekey
    or the path.
    """

    text: str | None
    state: DocumentState | str | None
    missing_reference: bool


class QueryOptions(FilterOptions, total=False):
    """The filters and options of a query; the project's settings apply to those left out.

    `context` is the number of neighbouring chunks on each side; with `floor` nothing is returned
    where the project is not about the question. `group_by` is "document" for the best passage of
    each document, "none" for passages by score alone, or None: then the third passage of a work
    gives way to another work that fits alike. `by_document` is the same as "document". Each
    of `words` stands in a passage as a whole word; a single one may stand without a list.
    """

    mode: Mode | str | None
    min_score: float | None
    group_by: GroupBy | str | None
    by_document: bool
    context: int
    explain: bool
    full_text: bool
    floor: bool | None
    words: Sequence[str] | str


def question_of(text: str | None, question: str | None) -> str:
    """The question by its name or by its former one. Raises `InvalidFilter` without either."""
    given = question if text is None else text
    if given is None:
        raise InvalidFilter("there is no question", "Name it: text=…")
    return given


def filters_of(options: FilterOptions | DocumentOptions) -> Filters:
    """The filters among the options. Raises `InvalidFilter` for an impossible one."""
    options = cast("FilterOptions", options)
    years, section = options.get("years", (None, None)), options.get("section", ())
    year_from, year_to = parse_years(years) if isinstance(years, str) else years
    kinds = _listed(options.get("kinds", ()))
    return Filters(
        doc_id=options.get("doc_id"),
        citekey=options.get("citekey"),
        tags=_listed(options.get("tags", ())),
        year_from=year_from,
        year_to=year_to,
        kinds=tuple(choice("kind", ChunkKind, kind) for kind in kinds),
        section=parse_section(section) if isinstance(section, str) else tuple(section),
        where=conditions(options.get("where", ())),
    )


def query_request(text: str, options: QueryOptions) -> QueryRequest:
    """The request of a question with its options."""
    mode, named = options.get("mode"), options.get("group_by")
    group_by = None if named is None else choice("group_by", GroupBy, named)
    return QueryRequest(
        text=text,
        filters=filters_of(options),
        mode=None if mode is None else choice("mode", Mode, mode),
        top_k=options.get("top_k"),
        min_score=options.get("min_score"),
        by_document=options.get("by_document", False) or group_by is GroupBy.DOCUMENT,
        context=options.get("context", 0),
        explain=options.get("explain", False),
        full_text=options.get("full_text", False),
        without=frozenset({StageName.WORKS}) if group_by is GroupBy.NONE else frozenset(),
        words=_listed(options.get("words", ())),
    )


def modes_of(names: Sequence[Mode | str]) -> tuple[Mode, ...]:
    """The modes of those names."""
    return tuple(choice("mode", Mode, name) for name in names)


def choice(what: str, choices: type[_Named], name: str) -> _Named:
    """The one of `choices` with that name. Raises `InvalidFilter` with all of them for another."""
    try:
        return choices(name)
    except ValueError:
        known = ", ".join(choices)
        raise InvalidFilter(f"there is no {what} {name!r}", f"It is one of {known}.") from None


def _listed(values: Sequence[str] | str) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else tuple(values)


# The options of ingests and watches, as callers from Python name them.


class IngestOptions(TypedDict, total=False):
    """The options of an ingest, all off by default.

    `force` processes unchanged documents too, `dry_run` changes nothing, `rebuild` fills a new
    collection, `prune` removes documents whose file is gone; many at once only with `yes`, or
    if `confirm` returns True. `limit` is a maximum number of documents, `restore` indexes deleted
    documents again, `retry_failed` tries unchanged documents again that failed before. While
    another process changes the project, `waiting` is called with it and the ingest waits.
    """

    force: bool
    dry_run: bool
    rebuild: bool
    prune: bool
    yes: bool
    confirm: Callable[[WithheldRemoval], bool] | None
    restore: bool
    retry_failed: bool
    limit: int | None
    waiting: Callable[[str], None] | None


class WatchOptions(TypedDict, total=False):
    """The options of a watch: those of the same name of an ingest."""

    restore: bool
    retry_failed: bool
    waiting: Callable[[str], None] | None


Stop: TypeAlias = "Cancellation | Callable[[], bool] | None"
"""Ends an ingest in good order: once requested, or once the function returns True."""


def ingest_request(
    options: IngestOptions | WatchOptions,
    *sources: str | Path,
    stop: Stop = None,
) -> IngestRequest:
    """The request of an ingest with its options; relative sources are of the current folder."""
    from citeloom.application.ingest.request import IngestRequest
    from citeloom.application.ports.runtime import Cancellation

    cancellation = stop if isinstance(stop, Cancellation) else Cancellation(stop)
    return IngestRequest(sources=absolute(sources), cancellation=cancellation, **options)


def absolute(sources: Sequence[str | Path]) -> tuple[str, ...]:
    """The absolute paths of files and folders."""
    return tuple(str(Path(source).absolute()) for source in sources)
