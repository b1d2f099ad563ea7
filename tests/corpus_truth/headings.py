"""The headings of 25 papers as their pages show them, and how well a conversion finds them.

The papers may not be copied, so a title is kept as the beginning of the SHA-256 of its letters and
digits. A heading has a line to itself; one that text follows on the line is listed apart, as run
in, and counts neither as missed nor as wrong.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom.domain.chunks.chunk import Chunk, ChunkKind
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.domain.documents.sections import SectionRole, section_roles

TRUTH = Path(__file__).with_name("headings.jsonl")
_LINES = 4  # a heading takes at most so many
_BETWEEN_NAMES = re.compile(r"[,;\d\u00b2\u00b3\u00b9\u2070-\u2079\n\u2217\u2020\u2021]|\band\b")


@dataclass(frozen=True, slots=True)
class TrueHeading:
    """A heading's page, its level (0 where it is run in) and its title's fingerprint."""

    page: int
    level: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TruePaper:
    """What a reader sees in a paper; `abstract` is its heading or else its first five words."""

    file: str
    journal: str
    title: tuple[int, str]
    authors: frozenset[str]
    abstract: tuple[int, str] | None
    references: int | None
    appendix: int | None
    headings: tuple[TrueHeading, ...]
    run_in: tuple[TrueHeading, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Headings found, missed and wrong; of those found, how many have their level."""

    found: int
    missed: tuple[TrueHeading, ...]
    wrong: tuple[TrueHeading, ...]
    levels: int
    in_order: bool
    run_in: int

    @property
    def precision(self) -> float:
        """The share of what was taken for a heading that is one."""
        return self.found / max(self.found + len(self.wrong), 1)

    @property
    def recall(self) -> float:
        """The share of the headings that were found."""
        return self.found / max(self.found + len(self.missed), 1)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.found / max(2 * self.found + len(self.wrong) + len(self.missed), 1)


def true_papers() -> list[TruePaper]:
    """The truth of every paper."""
    return [_paper(json.loads(line)) for line in TRUTH.read_text(encoding="utf-8").splitlines()]


def fingerprint(text: str) -> str:
    """What stands for a title."""
    return hashlib.sha256(key(text).encode()).hexdigest()[:16]


def key(text: str) -> str:
    """The letters and digits of a text: readers differ in everything else."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()


def found_headings(result: ConversionResult) -> list[TrueHeading]:
    """The headings of a conversion as the truth has them."""
    return [TrueHeading(h.page or 0, h.level, fingerprint(h.title)) for h in result.headings]


def score(paper: TruePaper, found: Sequence[TrueHeading]) -> Score:
    """How `found` compares: page and title must agree, the level counts apart."""
    left = list(paper.headings)
    run_in = {(heading.page, heading.title) for heading in paper.run_in}
    wrong, matched, levels, extra = [], [], 0, 0
    for heading in found:
        place = (heading.page, heading.title)
        same = next((true for true in left if (true.page, true.title) == place), None)
        if same is not None:
            left.remove(same)
            matched.append(paper.headings.index(same))
            levels += same.level == heading.level
        elif place in run_in:
            extra += 1
        else:
            wrong.append(heading)
    return Score(
        found=len(matched),
        missed=tuple(left),
        wrong=tuple(wrong),
        levels=levels,
        in_order=matched == sorted(matched),
        run_in=extra,
    )


def roles_right(paper: TruePaper, result: ConversionResult) -> dict[str, bool]:
    """Of each part of a paper, whether it is recognised; of what is not there, whether none is."""
    roles = list(zip(result.headings, section_roles(result.headings)))

    def page_of(role: SectionRole) -> int | None:
        return next((heading.page for heading, its in roles if its is role), None)

    titles = [block for block in result.blocks if block.kind is BlockKind.TITLE]
    named = [fingerprint(result.text_of(block)) for block in titles]
    abstracts = [fingerprint(h.title) for h, its in roles if its is SectionRole.ABSTRACT]
    return {
        "title": named == [paper.title[1]],
        "authors": paper.authors == _names(result) & paper.authors,
        "abstract": abstracts == ([paper.abstract[1]] if paper.abstract else []),
        "references": page_of(SectionRole.REFERENCES) == paper.references,
        "appendix": page_of(SectionRole.APPENDIX) == paper.appendix,
    }


def _names(result: ConversionResult) -> frozenset[str]:
    text = "\n".join(result.text_of(b) for b in result.blocks if b.kind is BlockKind.AUTHORS)
    return frozenset(map(fingerprint, _BETWEEN_NAMES.split(text)))


def words_of(heading: TrueHeading, page_text: str) -> str | None:
    """The title in the raw text of its page, or None where its lines do not stand together."""
    lines = [line for line in page_text.splitlines() if line.strip()]
    for count in range(1, _LINES):
        for first in range(len(lines) - count + 1):
            words = " ".join(lines[first : first + count])
            if fingerprint(words) == heading.title:
                return words
    return None


def section_paths(
    paper: TruePaper, result: ConversionResult, chunks: Sequence[Chunk]
) -> Iterator[tuple[Chunk, tuple[str, ...]]]:
    """Each chunk of text whose place is found, and the path of titles that it lies under.

    A chunk lies where most of its characters do.
    """
    starts = _starts(paper, result)
    position = 0
    for chunk in chunks:
        if chunk.kind is ChunkKind.TABLE:
            continue
        at = result.plain_text.find(chunk.text[:60], max(position - 4000, 0))
        if at < 0:
            continue
        position = at
        weights: Counter[tuple[str, ...]] = Counter()
        for offset in range(at, min(at + len(chunk.text), len(result.plain_text))):
            weights[_path_at(starts, offset)] += 1
        yield chunk, weights.most_common(1)[0][0]


def _starts(paper: TruePaper, result: ConversionResult) -> list[tuple[int, tuple[str, ...]]]:
    """Where each heading of the truth stands in the converted text, with its whole path."""
    starts: list[tuple[int, tuple[str, ...]]] = []
    above: list[TrueHeading] = []
    for heading in paper.headings:
        above = [*(one for one in above if one.level < heading.level), heading]
        at = _place_of(heading, result)
        if at is not None:
            starts.append((at, tuple(one.title for one in above)))
    return sorted(starts)


def _place_of(heading: TrueHeading, result: ConversionResult) -> int | None:
    """Where on its page a title begins: as a heading, else as the first words of a block."""
    for block in sorted(result.blocks, key=lambda block: block.kind is not BlockKind.HEADING):
        if heading.page not in {fragment.page for fragment in block.fragments}:
            continue
        words = re.finditer(r"\S+", result.text_of(block)[:300])
        if any(fingerprint(result.text_of(block)[: w.end()]) == heading.title for w in words):
            return block.start
    return None


def _path_at(starts: Sequence[tuple[int, tuple[str, ...]]], offset: int) -> tuple[str, ...]:
    path: tuple[str, ...] = ()
    for start, titles in starts:
        if start > offset:
            break
        path = titles
    return path


def _paper(row: dict[str, Any]) -> TruePaper:
    return TruePaper(
        file=row["file"],
        journal=row["journal"],
        title=(row["title"][0], row["title"][1]),
        authors=frozenset(row["authors"]),
        abstract=(row["abstract"][0], row["abstract"][1]) if row["abstract"] else None,
        references=row["references"],
        appendix=row["appendix"],
        headings=tuple(TrueHeading(*heading) for heading in row["headings"]),
        run_in=tuple(TrueHeading(page, 0, title) for page, title in row["run_in"]),
    )
