"""How often passages differ from the same document in HTML, where PDFium's reading does not.

    python -m benchmarks.bench_page_twins FOLDER [--faults FILE]

FOLDER has pairs `NAME.pdf` and `NAME.html`, or `NAME/` with several HTML files, such as the manuals
that many packages of Debian have in both forms. Letters are compared first, then what stands
between them. A difference is *ours* where PDFium's raw text of the pages agrees with the HTML,
*shared* where it has the same as the passage, *apart* where all three differ (editions differ in
numbers, references to pages and notes), and *aside* where the passage goes past a table, a note or
what is left out on purpose. Hyphens at the ends of lines, which PDFium does not tell apart, are
always ours. *Saved* is what the raw text has wrong and the passage right. A passage is *silent* if
it has an error and no doubt. What the raw text shares with the HTML and no passage has is *lost*,
unless it was left out on purpose. Breaks between the blocks of the HTML are counted, too, see
`page_twins.breaks`. `--faults` writes a line of JSON for each difference, with the three texts
around it, and for each wrong break.
"""

from __future__ import annotations

import argparse
import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import pypdfium2 as pdfium
from benchmarks.page_twins.alignment import (
    Difference,
    Lettered,
    Places,
    Run,
    differences,
    gap_kind,
    is_break,
)
from benchmarks.page_twins.breaks import Break, breaks
from benchmarks.page_twins.html_text import text_beside

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import CiteloomError
from citeloom.domain.policies import ChunkingPolicy
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter

_CONTEXT = 12  # letters on each side of a difference that another text must have, too
_LEAST_LETTERS = 40  # of a passage, and of what is lost
_TWIN = 0.6  # of the letters of a passage must be the HTML's, else it is of another edition
_GRAM = 16  # letters by which lost text is told from text that stands elsewhere
_OF_GAPS = frozenset(
    {"glued", "torn", "space at sign", "hyphen lost", "hyphen added", "sign", "quote"}
)
_URL = re.compile(r"://|www\.")
_NOTE = re.compile("[⁰¹²³⁴-⁹*†‡]|\\d{1,3} ")
_HYPHENS = frozenset({"hyphen lost", "hyphen added"})


@dataclass(frozen=True)
class Passage:
    """A passage as a user gets it."""

    text: str
    kind: str
    pages: tuple[int, int]
    page_starts: tuple[int, ...]
    doubts: tuple[str, ...]

    def page_at(self, place: int) -> int:
        """The page of a character."""
        return self.pages[0] + bisect_right(self.page_starts, place)


@dataclass(frozen=True)
class Reading:
    """What citeloom and PDFium read of a PDF; `aside` is what is in no passage on purpose."""

    passages: Sequence[Passage]
    aside: str
    raw: Sequence[str]


@dataclass(frozen=True)
class Fault:
    """A difference from the HTML: of which kind, on which page, by whom, in which passage."""

    kind: str
    verdict: str
    page: int
    passage: int
    doubts: tuple[str, ...]
    texts: tuple[str, str, str]

    @property
    def is_ours(self) -> bool:
        """Whether the passage has it wrong; the form of quotes is a matter of taste."""
        return self.verdict == "ours" and self.kind != "quote"


def read_result(path: Path) -> tuple[ConversionResult, Sequence[Chunk]]:
    """A PDF as it is converted, and its chunks."""
    result = PdfConverter().convert(SourceFile(path=path, doc_id="doc", content_hash=""))
    chunks = chunk_document(
        result,
        policy=ChunkingPolicy(overlap_tokens=0),
        embedding_model="words",
        special_tokens=2,
        count_all=lambda texts: [len(text.split()) * 4 // 3 for text in texts],
    ).chunks
    return result, chunks


def read(path: Path) -> Reading:
    """Convert and chunk a PDF, and read it with PDFium alone."""
    result, chunks = read_result(path)
    with closing(pdfium.PdfDocument(path)) as document:
        raw = [page.get_textpage().get_text_range() for page in document]
    return Reading([_passage(chunk) for chunk in chunks], _aside(result, chunks), raw)


def _passage(chunk: Chunk) -> Passage:
    return Passage(
        text=chunk.text,
        kind=chunk.kind.value,
        pages=chunk.page_span or (1, 1),
        page_starts=chunk.page_starts,
        doubts=tuple(doubt.value for doubt in chunk.doubts),
    )


def _aside(result: ConversionResult, chunks: Iterable[Chunk]) -> str:
    left_out = (text.text for texts in result.left_out.values() for text in texts)
    titles = {title for chunk in chunks for title in chunk.titles}
    return "\n\n".join((*left_out, *sorted(titles)))


class Twins:
    """A PDF as it was read and the same document in HTML."""

    def __init__(self, reading: Reading, html: str) -> None:
        self.reading = reading
        self.ours = Lettered("\n\n".join(passage.text for passage in reading.passages))
        self.raw = Lettered("\n".join(reading.raw))
        self.html = Lettered(html)
        self.aside = Lettered(reading.aside).letters
        tables = [passage.text for passage in reading.passages if passage.kind == "table"]
        self.tables = Lettered("\n\n".join(tables)).letters
        places = Places(self.html, (self.ours, self.raw))
        self.our_runs, self.raw_runs = places.runs(self.ours), places.runs(self.raw)

    @cached_property
    def starts(self) -> Sequence[int]:
        """The first letter of each passage, and the end of the last."""
        lengths = (len(Lettered(passage.text).letters) for passage in self.reading.passages)
        return [0, *accumulate(lengths)]

    @cached_property
    def comparable(self) -> Sequence[int]:
        """The passages that the HTML has, too."""
        covered = [0] * len(self.reading.passages)
        for run in self.our_runs:
            for n in range(self.passage_at(run.here), len(covered)):
                begun, ended = max(run.here, self.starts[n]), run.here + run.length
                if begun >= ended:
                    break
                covered[n] += min(ended, self.starts[n + 1]) - begun
        return [
            n
            for n, count in enumerate(covered)
            if self.starts[n + 1] - self.starts[n] >= _LEAST_LETTERS
            and count >= _TWIN * (self.starts[n + 1] - self.starts[n])
        ]

    def breaks(self, html: str) -> Iterator[Break]:
        """Where the HTML, with what kind of break stands between blocks, or a passage begins a
        line.
        """
        return breaks(self.ours, Lettered(html), self.our_runs, set(self.starts))

    def passage_at(self, letter: int) -> int:
        """The passage that has a letter of ours."""
        return bisect_right(self.starts, letter) - 1

    def faults(self) -> Iterator[Fault]:
        """What differs in the passages that can be compared, then what is lost."""
        comparable = set(self.comparable)
        for difference in differences(self.ours, self.html, self.our_runs):
            start, end = difference.here
            passage = self.passage_at(start)
            within = self.starts[passage] < start <= end < self.starts[passage + 1]
            if passage in comparable and within and not self._is_of_url(difference):
                yield self._fault(difference, passage)
        yield from self._lost()

    def _is_of_url(self, difference: Difference) -> bool:
        """Whether it is in an address that only the PDF has: HTML has it in a link."""
        mine = self.ours.word_at(difference.here[0])
        return bool(_URL.search(mine)) and not _URL.search(self.html.word_at(difference.there[0]))

    def saved(self) -> Iterator[str]:
        """The kinds of what only the raw text has wrong."""
        for difference in differences(self.raw, self.html, self.raw_runs):
            if _verdict(difference, self.raw, self.ours, self.html, self.our_runs) == "ours":
                yield difference.kind

    def _fault(self, difference: Difference, number: int) -> Fault:
        passage = self.reading.passages[number]
        start, end = difference.here
        verdict = _verdict(difference, self.ours, self.raw, self.html, self.raw_runs)
        if self._is_aside(difference):
            verdict = "aside"
        offset = self.ours.places[start] - self.ours.places[self.starts[number]]
        kind = difference.kind
        missing = self.html.letters[slice(*difference.there)]
        if kind == "lacks" and len(missing) >= _CONTEXT and missing in self.ours.letters:
            kind = "moved away"
        return Fault(
            kind=kind,
            verdict=verdict,
            page=passage.page_at(offset),
            passage=number,
            doubts=passage.doubts,
            texts=(
                self.ours.around(start, end),
                self._html_around(difference),
                self._raw_around(difference),
            ),
        )

    def _is_aside(self, difference: Difference) -> bool:
        """Whether the HTML goes on with what was left out on purpose, such as a list of contents,
        or has a table or a note there, which may stand anywhere.
        """
        start, end = difference.there
        moved = difference.kind == "moved"
        if moved:
            start, end = difference.after, difference.after + _CONTEXT
        follows = self.html.letters[start:end]
        if len(follows) >= _CONTEXT and any(follows in text for text in (self.aside, self.tables)):
            return True
        return moved and self._is_at_note(*difference.here)

    def _is_at_note(self, start: int, end: int) -> bool:
        """Whether a paragraph that ends or begins there is a note."""
        text, places = self.ours.text, self.ours.places
        ended = text.rfind("\n\n", 0, places[start - 1]) + 2
        begun = text.rfind("\n\n", 0, places[end]) + 2
        is_break = begun > places[start - 1]
        return is_break and any(_NOTE.match(text, place) for place in (max(ended, 0), begun))

    def _html_around(self, difference: Difference) -> str:
        start, end = difference.there
        if difference.kind != "moved":
            return self.html.around(start, end)
        led_to = self.html.around(difference.after, difference.after)
        return f"{led_to} … {self.html.around(start, start)}"

    def _raw_around(self, difference: Difference) -> str:
        start, end = difference.there
        if difference.kind in _OF_GAPS:
            for at in _places(self.raw_runs, start):
                return self.raw.around(at, at)
        context = self.html.letters[max(0, start - _CONTEXT) : start]
        at = self.raw.letters.find(context)
        if at < 0:
            return ""
        at += len(context)
        return self.raw.around(at, min(len(self.raw.letters), at + end - start))

    def _lost(self) -> Iterator[Fault]:
        kept = _grams(self.ours.letters) | _grams(self.aside)
        pages = list(accumulate(len(Lettered(text).letters) for text in self.reading.raw))
        said = {
            page
            for passage in self.reading.passages
            if "loss" in passage.doubts
            for page in range(passage.pages[0], passage.pages[1] + 1)
        }
        for run in self.raw_runs:
            start = None
            for n in range(run.here, run.here + run.length - _GRAM + 2):
                is_last = n > run.here + run.length - _GRAM
                missing = not is_last and self.raw.letters[n : n + _GRAM] not in kept
                if missing and start is None:
                    start = n
                elif not missing and start is not None:
                    end = n + _GRAM - 1
                    if end - start >= _LEAST_LETTERS:
                        page = bisect_right(pages, start) + 1
                        doubts = ("loss",) if page in said else ()
                        text = self.raw.part(start, end)
                        yield Fault("lost", "ours", page, -1, doubts, ("", text, text))
                    start = None


def _grams(letters: str) -> set[str]:
    return {letters[n : n + _GRAM] for n in range(len(letters) - _GRAM + 1)}


def _verdict(
    difference: Difference, mine: Lettered, other: Lettered, html: Lettered, runs: Sequence[Run]
) -> str:
    """Whose error a difference of `mine` from the HTML is, by the `other` reading."""
    start, end = difference.there
    if difference.kind in _OF_GAPS:
        seen = [other.between(n) for n in _places(runs, start)]
        agrees = any(not gap_kind(gap, html.between(start), html, start) for gap in seen)
        same = any(not gap_kind(gap, mine.between(difference.here[0]), html, start) for gap in seen)
        if difference.kind in _HYPHENS and any(map(is_break, seen)):
            return "ours"
        return "shared" if same else "ours" if agrees else "apart"
    here = max(0, difference.here[0] - _CONTEXT), difference.here[1] + _CONTEXT
    if difference.kind == "moved":
        contexts = [
            html.letters[max(0, n - _CONTEXT) : n + _CONTEXT] for n in (start, difference.after)
        ]
    else:
        contexts = [html.letters[max(0, start - _CONTEXT) : end + _CONTEXT]]
    if mine.letters[here[0] : here[1]] in other.letters:
        return "shared"
    return "ours" if any(context in other.letters for context in contexts) else "apart"


def _places(runs: Sequence[Run], there: int) -> Iterator[int]:
    """Where runs have the letter of the HTML and the one before it."""
    for run in runs:
        if run.there < there < run.there + run.length:
            yield run.here + there - run.there


@dataclass
class Counts:
    """What was counted in the documents so far."""

    passages: int = 0
    words: int = 0
    wrong: int = 0
    silent: int = 0
    doubted: int = 0
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    saved: Counter[str] = field(default_factory=Counter)
    breaks: Counter[tuple[str, bool]] = field(default_factory=Counter)

    def add(self, twins: Twins, faults: Sequence[Fault], breaks: Sequence[Break]) -> None:
        """Count a document with its faults."""
        passages = twins.reading.passages
        wrong = {fault.passage for fault in faults if fault.is_ours and fault.passage >= 0}
        self.passages += len(twins.comparable)
        self.words += sum(len(passages[n].text.split()) for n in twins.comparable)
        self.wrong += len(wrong)
        self.silent += sum(not passages[n].doubts for n in wrong)
        self.doubted += sum(bool(passages[n].doubts) for n in twins.comparable)
        self.kinds.update((fault.kind, fault.verdict) for fault in faults)
        self.saved.update(twins.saved())
        self.breaks.update((each.kind, each.is_right) for each in breaks)


def main() -> None:
    """Read the pairs one by one and print the rates."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="holds the pairs")
    parser.add_argument("--faults", type=Path, help="write each difference here, as JSON lines")
    options = parser.parse_args()
    counts, lines = Counts(), []
    for path in sorted(options.folder.glob("*.pdf")):
        try:
            twins = Twins(read(path), text_beside(path))
        except CiteloomError as error:
            print(f"{path.stem}: {error}")
            continue
        faults = list(twins.faults())
        begun = list(twins.breaks(text_beside(path, broken=True)))
        counts.add(twins, faults, begun)
        found = [asdict(fault) for fault in faults]
        found += [asdict(each) for each in begun if not each.is_right]
        lines += [json.dumps({"pdf": path.name, **fields}) for fields in found]
    if options.faults:
        options.faults.write_text("\n".join([*lines, ""]), encoding="utf-8")
    _print(counts)


def _print(counts: Counts) -> None:
    print(f"{counts.passages} passages that the HTML has, {counts.words} words")
    for name in ("wrong", "silent", "doubted"):
        count = getattr(counts, name)
        print(f"{name:10}{count:>8}{100 * count / max(1, counts.passages):>8.1f} %")
    for kind, name in (("block", "missing"), ("within", "false"), ("pair", "apart")):
        right, wrong = counts.breaks[kind, True], counts.breaks[kind, False]
        print(f"{kind:10}{right + wrong:>8} places, {wrong} {name}")
    columns = ("ours", "shared", "apart", "aside")
    print(f"\n{'':16}" + "".join(f"{name:>8}" for name in (*columns, "saved")))
    for kind in sorted({kind for kind, _ in counts.kinds}):
        cells = [counts.kinds[kind, verdict] for verdict in columns]
        print(f"{kind:16}" + "".join(f"{cell:>8}" for cell in (*cells, counts.saved[kind])))


if __name__ == "__main__":
    main()
