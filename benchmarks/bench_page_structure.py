"""How often a passage stands in another section than in HTML, and what becomes of its tables.

    python -m benchmarks.bench_page_structure FOLDER [--faults FILE]

FOLDER is as for `bench_page_twins`. A block of text is where the HTML has it, below the last
heading there; headings that the pages do not show do not count. Its section is *right* if it has
that title, *extra* if the HTML has no heading with its title, *missed* if it is of another section,
*none* without one. Of right sections whose number has several parts, *parents* are right if the
section around has the number without the last. Tables of the HTML with three rows and two columns
or more are compared where a page and the two behind it show most of their rows: a cell is *lost* if
no passage of these pages has it, and *alone* if a table has it so; a row is *in table* or
*together* if a table or another passage has its cells one after the other, *torn* if something is
between them, and *divided* if no passage has them all.
"""

from __future__ import annotations

import argparse
import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pypdfium2 as pdfium
from benchmarks.bench_page_twins import read_result
from benchmarks.page_twins.alignment import Lettered, Places, Run
from benchmarks.page_twins.html_text import END, MARKS, text_beside

from citeloom.domain.chunks.chunk import Chunk, ChunkKind
from citeloom.domain.documents.conversion import Block, BlockKind, ConversionResult
from citeloom.domain.errors import CiteloomError
from citeloom_pdf.structure.chapters import LABEL

_LEAST_LETTERS = 40  # of a block, to be found in the HTML
_TWIN = 0.6  # of the letters of a block, or of the cells of a table, must be in the other text
_LEAST_ROWS, _LEAST_COLUMNS = 3, 2  # of a table of data
_LONG = 8  # letters of one cell, at least: numbers alone may be of any table
_MOST_PAGES = 3  # that a table is sought on
_LONGEST_CELL = 400  # letters: longer ones are of a table that lays the page out
_LEVELS = {MARKS[f"h{level}"]: level for level in range(1, 7)}
_HEADING = re.compile(f"([{''.join(_LEVELS)}])([^{END}]*){END}")
_NUMBER = re.compile(
    r"\s*(?:(?:[Cc]hapter|[Ss]ection|[Aa]ppendix|[Pp]art|§)\s*)?"
    r"((?:\d+|[A-Z]|[IVX]+)(?:\.\d+)*)(?:[.:)]\s*|\s+)"
)
_WORD = re.compile(r"[^\W\d_]{2}")
_OTHERS = frozenset(
    {
        BlockKind.HEADING,
        BlockKind.TITLE,
        BlockKind.HIDDEN,
        BlockKind.AUTHORS,
        BlockKind.FOOTNOTE,
    }
)


@dataclass(frozen=True)
class HtmlHeading:
    """A heading of the HTML, and the first letter behind its title."""

    level: int
    title: str
    end: int


@dataclass(frozen=True)
class Fault:
    """A block in another section than in the HTML, or a row that is not as in the HTML."""

    kind: str
    page: int
    ours: str
    html: str
    text: str


class Twins:
    """A PDF as it was read and the same document in HTML."""

    def __init__(self, path: Path) -> None:
        self.result, self.chunks = read_result(path)
        with closing(pdfium.PdfDocument(path)) as document:
            raw = [page.get_textpage().get_text_range() for page in document]
        self.pages = [Lettered(text).letters for text in raw]
        self.raw = "".join(self.pages)
        self.marked = text_beside(path, marked=True)
        self.html = Lettered(self.marked)
        self.ours = Lettered(self.result.plain_text)

    @cached_property
    def headings(self) -> Sequence[HtmlHeading]:
        """Those that the pages show, in the order of the HTML."""
        return [
            HtmlHeading(_LEVELS[found[1]], " ".join(found[2].split()), self._letter(found.end()))
            for found in _HEADING.finditer(self.html.text)
            if (letters := _letters(found[2])) in self.raw and _WORD.search(letters)
        ]

    def _letter(self, place: int) -> int:
        return bisect_right(self.html.places, place - 1)

    def sections(self) -> Iterator[tuple[Block, str, HtmlHeading]]:
        """Each block that the HTML has, whether its section is right, and the section there."""
        ends = [heading.end for heading in self.headings]
        known = {_bare(heading.title) for heading in self.headings}
        runs = Places(self.html, (self.ours,)).runs(self.ours)
        begins = [run.here for run in runs]
        for block in self.result.blocks:
            at = self._place(block, runs, begins)
            index = bisect_right(ends, at) - 1 if at is not None else -1
            if index < 0:
                continue
            true = self.headings[index]
            if block.section is None:
                yield block, "none", true
                continue
            ours = self.result.headings[block.section].title
            if _is_same(ours, true.title):
                yield block, "right", true
            else:
                yield block, "missed" if _bare(ours) in known else "extra", true

    def _place(self, block: Block, runs: Sequence[Run], begins: Sequence[int]) -> int | None:
        """The letter of the HTML at which a block of text begins, if the HTML has most of it."""
        if block.kind in _OTHERS:
            return None
        start, end = (bisect_right(self.ours.places, at - 1) for at in (block.start, block.end))
        if end - start < _LEAST_LETTERS:
            return None
        covered, place = 0, None
        for run in runs[max(0, bisect_right(begins, start) - 1) :]:
            if run.here >= end:
                break
            shared = min(end, run.here + run.length) - max(start, run.here)
            if shared > 0:
                covered += shared
                if place is None and shared >= 10:
                    place = run.there + max(0, start - run.here)
        return place if covered >= _TWIN * (end - start) else None

    def tables(self) -> Iterator[tuple[Sequence[Sequence[str]], tuple[int, int]]]:
        """The letters of the cells of each table of data that the pages show, row by row, and the
        first and the last page that may have it.
        """
        for source in _tables(self.marked):
            rows = [
                [letters for cell in row.split(MARKS["td"])[1:] if (letters := _letters(cell))]
                for row in source.split(MARKS["tr"])[1:]
            ]
            rows = [row for row in rows if len(row) >= _LEAST_COLUMNS]
            longest = max((len(cell) for row in rows for cell in row), default=0)
            if len(rows) < _LEAST_ROWS or not _LONG < longest <= _LONGEST_CELL:
                continue
            shown = [sum(_has(page, row) for row in rows) for page in self.pages]
            first = max(range(len(shown)), key=lambda n: sum(shown[n : n + _MOST_PAGES]))
            pages = self.pages[first : first + _MOST_PAGES]
            rows = [row for row in rows if any(_has(page, row) for page in pages)]
            if len(rows) >= max(_LEAST_ROWS, _TWIN * (source.count(MARKS["tr"]) - 1)):
                yield rows, (first + 1, first + len(pages))


def _has(page: str, cells: Sequence[str]) -> bool:
    return all(cell in page for cell in cells)


def _tables(marked: str) -> Iterator[str]:
    """The marked content of the tables that have no other within, and neither heading nor code."""
    others = re.compile(f"[{''.join(_LEVELS)}{MARKS['pre']}]")
    for source in marked.split(MARKS["table"])[1:]:
        depth, at = 1, 0
        while depth and at < len(source):
            depth += 1 if source[at] in _OPENS else -1 if source[at] == END else 0
            at += 1
        if not depth and not others.search(source[:at]):
            yield source[:at]


_OPENS = frozenset(MARKS.values())


def _letters(text: str) -> str:
    return Lettered(text).letters


def _bare(title: str) -> str:
    number = _NUMBER.match(title)
    return _letters(title[number.end() if number else 0 :]) or _letters(title)


def _is_same(ours: str, other: str) -> bool:
    mine, its = _bare(ours), _bare(other)
    return mine == its or (min(len(mine), len(its)) > 3 and (mine in its or its in mine))


def _parent_right(result: ConversionResult, section: int) -> bool | None:
    """Whether the section around one with a number of several parts has the number without the
    last; None for others, and where that number is spelled: `Chapter One`.
    """
    number = _NUMBER.match(result.headings[section].title)
    parent = result.headings[section].parent
    if number is None or "." not in number[1]:
        return None
    title = result.headings[parent].title if parent is not None else ""
    above = _NUMBER.match(title)
    if above is None and LABEL.match(title):
        return None
    return above is not None and above[1] == number[1].rpartition(".")[0]


def section_faults(twins: Twins, counts: Counter[str]) -> Iterator[Fault]:
    """Count the blocks by their sections, and give those that are in another."""
    for block, found, true in twins.sections():
        kind = found
        if found == "right" and block.section is not None:
            parent = _parent_right(twins.result, block.section)
            if parent is not None:
                counts["parent right" if parent else "parent wrong"] += 1
            kind = "parent wrong" if parent is False else found
        counts[found] += 1
        if kind != "right":
            path = " > ".join(twins.result.section_path(block.section))
            text = twins.result.text_of(block)[:90]
            yield Fault(kind, block.fragments[0].page or 0, path, true.title, text)


def row_faults(twins: Twins, counts: Counter[str]) -> Iterator[Fault]:
    """Count the rows and cells of tables, and give the rows that are not together or not whole."""
    for rows, (first, last) in twins.tables():
        chunks = [
            chunk
            for chunk in twins.chunks
            if chunk.page_span and chunk.page_span[0] <= last and chunk.page_span[1] >= first
        ]
        passages = [_letters(chunk.text) for chunk in chunks]
        tables = [chunk.text for chunk in chunks if chunk.kind is ChunkKind.TABLE]
        alone = {_letters(cell) for text in tables for cell in re.split(r"[|\n]", text)}
        counts["tables"] += 1
        for row in rows:
            lost = sum(not any(cell in letters for letters in passages) for cell in row)
            counts["cells"] += len(row)
            counts["cells alone"] += sum(cell in alone for cell in row)
            counts["cells lost"] += lost
            counts["rows"] += 1
            kind = _of_row(row, passages, set(map(_letters, tables)))
            counts[kind] += 1
            if kind not in {"row together", "row in table"}:
                cell = max(row, key=len)
                ours = next((c for c, text in zip(chunks, passages) if cell in text), None)
                said = _around(ours, cell) if ours else ""
                page = ours.page_span[0] if ours and ours.page_span else first
                yield Fault(kind, page, said, " | ".join(row), "")


def _of_row(row: Sequence[str], passages: Sequence[str], tables: Set[str]) -> str:
    """What became of a row: `in table` and `together` where its cells follow one another."""
    if any("".join(row) in letters for letters in tables):
        return "row in table"
    if any("".join(row) in letters for letters in passages):
        return "row together"
    if any(_has(letters, row) for letters in passages):
        return "row torn"
    lost = not all(any(cell in letters for letters in passages) for cell in row)
    return "row lost" if lost else "row divided"


def _around(chunk: Chunk, letters: str) -> str:
    """The text of a chunk around some letters of it."""
    text = Lettered(chunk.text)
    at = text.letters.find(letters)
    return f"{chunk.kind.value}: {text.around(at, at + len(letters), 60)}"


def main() -> None:
    """Read the pairs one by one and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="holds the pairs")
    parser.add_argument("--faults", type=Path, help="write each fault here, as JSON lines")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    lines = []
    for path in sorted(options.folder.glob("*.pdf")):
        counts: Counter[str] = Counter()
        try:
            twins = Twins(path)
        except CiteloomError as error:
            print(f"{path.stem}: {error}")
            continue
        faults = (*section_faults(twins, counts), *row_faults(twins, counts))
        lines += [
            json.dumps({"pdf": path.stem, **vars(fault)}, ensure_ascii=False) for fault in faults
        ]
        print(f"{path.stem}: {dict(counts)}", flush=True)
        total += counts
    if options.faults:
        options.faults.write_text("\n".join([*lines, ""]), encoding="utf-8")
    print(dict(total))


if __name__ == "__main__":
    main()
