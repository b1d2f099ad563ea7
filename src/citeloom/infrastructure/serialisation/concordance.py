"""A concordance as documented JSON, as text and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import groupby, islice
from typing import TYPE_CHECKING

from citeloom.application.retrieval.find import MOST_PASSAGES, Concordance, Occurrence
from citeloom.infrastructure.serialisation.json import UNTRUSTED
from citeloom.infrastructure.serialisation.text import one_line

if TYPE_CHECKING:
    from citeloom.infrastructure.serialisation.schemas.passages import (
        ConcordanceAnswer,
        ConcordanceLine,
    )

_WIDTH = 200
_MOST_NAMED = 20
_COLUMNS = ("work", "year", "citation", "page", "before", "word", "after", "chunk_id", "doubts")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def concordance_json(
    concordance: Concordance, limit: int | None = None, offset: int = 0
) -> ConcordanceAnswer:
    """The documented JSON of a concordance, with up to so many places; the counts are of all."""
    end = None if limit is None else offset + limit
    return {
        "project": concordance.project,
        "words": list(concordance.words),
        "exact": concordance.exact,
        **UNTRUSTED,
        "complete": concordance.complete,
        "occurrences": len(concordance.occurrences),
        "passages": concordance.passages,
        "works": dict(concordance.by_work().most_common()),
        "years": {str(year): count for year, count in sorted(concordance.by_year().items())},
        "items": [_line(occurrence) for occurrence in islice(concordance.occurrences, offset, end)],
    }


def _line(one: Occurrence) -> ConcordanceLine:
    citation = one.stored.citation
    return {
        "chunk_id": one.stored.chunk.id,
        "citekey": citation.citekey if citation else None,
        "year": citation.year if citation else None,
        "citation": one.citation,
        "locator": str(one.stored.locator_between(one.start, one.end)),
        "doubts": list(one.stored.chunk.doubts),
        "before": one.before(_WIDTH),
        "word": one.word,
        "after": one.after(_WIDTH),
    }


def concordance_text(concordance: Concordance, limit: int | None, width: int) -> Iterator[str]:
    """The lines of a concordance, below their citations; the counts first."""
    words = " and ".join(f"'{word}'" for word in concordance.words)
    counts = (
        (len(concordance.occurrences), "occurrence"),
        (concordance.passages, "passage"),
        (len(concordance.by_work()), "work"),
    )
    times, passages, works = (f"{n:,} {noun}{'s' * (n != 1)}" for n, noun in counts)
    how = "as written" if concordance.exact else "in all forms"
    yield one_line(f"{words}, {how}: {times} in {passages} of {works}")
    works_found = concordance.by_work().most_common()
    yield from (f"{count:>6}  {one_line(work)}" for work, count in works_found[:_MOST_NAMED])
    if len(works_found) > _MOST_NAMED:
        yield f"        and {len(works_found) - _MOST_NAMED} more works"
    if years := concordance.by_year():
        yield "by year: " + ", ".join(f"{year} {years[year]}" for year in sorted(years))
    shown = list(islice(concordance.occurrences, limit))
    for (name, _), lines in groupby(shown, lambda one: (_headed(one), one.work)):
        yield f"\n{one_line(name)}"
        yield from (f"  {_aligned(line, width)}" for line in lines)
    if len(shown) < len(concordance.occurrences):
        yield f"\n{len(concordance.occurrences) - len(shown):,} more with a greater -k"


def _headed(one: Occurrence) -> str:
    """The citation that places stand below, else the work, and what speaks against the words."""
    doubts = f" ({one.stored.doubts})" if one.stored.doubts else ""
    return f"{one.citation or one.work}{doubts}"


def incomplete_note(concordance: Concordance) -> tuple[str, ...]:
    """What to tell where not every passage with the word was read."""
    if concordance.complete:
        return ()
    return (f"only the {MOST_PASSAGES:,} passages with most of the word were read; narrow it down",)


def _aligned(one: Occurrence, width: int) -> str:
    before = one_line(one.before(width))
    return f"{before:>{width}} [{one_line(one.word)}]{one_line(one.after(width))}".rstrip()


def concordance_csv(concordance: Concordance, limit: int | None = None) -> str:
    """A concordance as comma-separated values; no cell is taken for a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for occurrence in islice(concordance.occurrences, limit):
        line = _line(occurrence)
        page = occurrence.stored.locator_between(occurrence.start, occurrence.end).page_start
        cells = (occurrence.work, line["year"], line["citation"], page)
        places = (line["before"], line["word"], line["after"], line["chunk_id"])
        writer.writerow([_cell(value) for value in (*cells, *places, occurrence.stored.doubts)])
    return text.getvalue().rstrip("\n")


def _cell(value: object) -> str:
    text = "" if value is None else one_line(str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text
