"""A concordance: its answer, its text and its CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any, Generic, Self, TypeVar

from citeloom.application.retrieval.find import MOST_PASSAGES, Concordance, Occurrence
from citeloom.domain.chunks.chunk import pages_between
from citeloom.domain.documents.conversion import Doubt, doubts_in_words
from citeloom.domain.retrieval.passage import ChunkText
from citeloom.infrastructure.answers.model import UNTRUSTED, Model, Untrusted, filled
from citeloom.infrastructure.answers.text import one_line

_WIDTH = 200
_MOST_NAMED = 20
_COLUMNS = ("work", "year", "citation", "page", "before", "word", "after", "chunk_id", "doubts")
T = TypeVar("T")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class ConcordanceLine(Model):
    """A place of a word with the words around it, in one line each."""

    chunk_id: str
    """The chunk."""
    citekey: str | None
    """Null for a document without a reference."""
    year: int | None
    """The year of the work."""
    citation: str | None
    """Of the page that the word is on; null for a document without a reference."""
    locator: str
    """The page, section or paragraph."""
    doubts: tuple[Doubt, ...]
    """What speaks against the words of its passage, as in a query."""
    doubtful_words: tuple[str, ...]
    """Words that these are about."""
    before: str
    """Up to 200 characters before the word."""
    word: str
    """The word as it stands there."""
    after: str
    """Up to 200 characters behind it."""

    @classmethod
    def each(cls, occurrences: Iterable[Occurrence]) -> Iterator[Self]:
        """The lines of occurrences, in their order."""
        placed = _OncePerPage(_place)
        for occurrence in occurrences:
            yield cls(
                **placed(occurrence),
                word=occurrence.word,
                before=occurrence.before(_WIDTH),
                after=occurrence.after(_WIDTH),
            )


class ConcordanceAnswer(Model):
    """Every place of the words; the counts are of all, also where fewer are listed."""

    project: str
    """The project."""
    words: tuple[str, ...]
    """As they were asked for."""
    exact: bool
    """Whether other forms of the words were left out."""
    content: Untrusted = UNTRUSTED
    """The words of the object are a document's."""
    complete: bool
    """False where more passages have the words than are read."""
    occurrences: int
    """How many places."""
    passages: int
    """How many passages have the words."""
    in_reference_lists: int
    """How many places more are in reference lists, which `--kind reference` looks into."""
    notes: tuple[str, ...]
    """Why nothing was found, and which words stand in other forms alone."""
    works: Mapping[str, int]
    """How many places by citekey, or by file where there is none; first the works that have the
    words as they are written."""
    years: Mapping[str, int]
    """How many places by the year of the work."""
    items: tuple[ConcordanceLine, ...]
    """The places in the order of the works."""

    @classmethod
    def of(cls, concordance: Concordance, offset: int = 0) -> Self:
        """A concordance with the places that are to be shown from an offset on."""
        return filled(
            cls,
            concordance,
            occurrences=concordance.count,
            works=concordance.by_work(),
            years={str(year): count for year, count in sorted(concordance.by_year().items())},
            items=tuple(ConcordanceLine.each(islice(concordance.occurrences, offset, None))),
        )


def concordance_text(concordance: Concordance, width: int) -> Iterator[str]:
    """The lines of a concordance, below their citations; the counts first."""
    words = " and ".join(f"'{word}'" for word in concordance.words)
    counts = (
        (concordance.count, "occurrence"),
        (concordance.passages, "passage"),
        (len(concordance.by_work()), "work"),
    )
    times, passages, works = (f"{n:,} {noun}{'s' * (n != 1)}" for n, noun in counts)
    how = "as written" if concordance.exact else "in all forms"
    yield one_line(f"{words}, {how}: {times} in {passages} of {works}")
    if concordance.in_reference_lists:
        yield f"and {concordance.in_reference_lists:,} in reference lists (--kind reference)"
    works_found = [*concordance.by_work().items()]
    yield from (f"{count:>6}  {one_line(work)}" for work, count in works_found[:_MOST_NAMED])
    if len(works_found) > _MOST_NAMED:
        yield f"        and {len(works_found) - _MOST_NAMED} more works"
    if years := concordance.by_year():
        yield "by year: " + ", ".join(f"{year} {years[year]}" for year in sorted(years))
    for head, lines in groupby(concordance.occurrences, _OncePerPage(_head)):
        yield f"\n{head}"
        for line in lines:
            text = f"  {line.before(width):>{width}} [{line.word}]{line.after(width)}"
            yield one_line(text).rstrip()
    if more := concordance.count - len(concordance.occurrences):
        yield f"\n{more:,} more with a greater -k"


class _OncePerPage(Generic[T]):
    """What is made of an occurrence, once for all of a passage that are on the same pages."""

    def __init__(self, make: Callable[[Occurrence], T]) -> None:
        self._make = make
        self._last: tuple[ChunkText, tuple[int, int] | None, T] | None = None

    def __call__(self, occurrence: Occurrence) -> T:
        text, last = occurrence.text, self._last
        pages = pages_between(text.page_span, text.page_starts, occurrence.start, occurrence.end)
        if last is None or last[0] is not text or last[1] != pages:
            self._last = last = text, pages, self._make(occurrence)
        return last[2]


def _place(occurrence: Occurrence) -> Mapping[str, Any]:
    """What a line has of the passage and its page."""
    text = occurrence.text
    return {
        "chunk_id": text.chunk_id,
        "citekey": text.citekey,
        "year": text.year,
        "citation": occurrence.citation,
        "locator": str(text.locator_between(occurrence.start, occurrence.end)),
        "doubts": text.doubts,
        "doubtful_words": text.doubtful_words,
    }


def _head(occurrence: Occurrence) -> str:
    """What stands above the places of a passage."""
    text = occurrence.text
    doubts = doubts_in_words(text.doubts, text.doubtful_words)
    return one_line(f"{occurrence.citation or occurrence.work}{f' ({doubts})' if doubts else ''}")


def incomplete_note(concordance: Concordance) -> tuple[str, ...]:
    """What to tell where not every passage with the word was read."""
    if concordance.complete:
        return ()
    return (f"only the {MOST_PASSAGES:,} passages with most of the word were read; narrow it down",)


def concordance_csv(concordance: Concordance) -> str:
    """A concordance as comma-separated values; no cell is taken for a formula."""
    rows = [[*_COLUMNS]]
    occurrences = concordance.occurrences
    for occurrence, line in zip(occurrences, ConcordanceLine.each(occurrences)):
        page = occurrence.text.locator_between(occurrence.start, occurrence.end).page_start
        cells = (occurrence.work, line.year, line.citation, page)
        places = (line.before, line.word, line.after, line.chunk_id)
        values = (*cells, *places, doubts_in_words(line.doubts, line.doubtful_words))
        rows.append(["" if value is None else one_line(str(value)) for value in values])
    return csv_text(rows)


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Comma-separated values; no spreadsheet takes one for a formula."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    for row in rows:
        writer.writerow(f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in row)
    return written.getvalue().rstrip("\n")
