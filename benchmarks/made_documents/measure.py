"""How much of a made document arrived: whole, in order, on its pages, and nothing else with it."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.made_documents.truth import PageIndex, Truth

from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.domain.evaluation.page_truth import Letters, PageVerdict, check_page_span
from citeloom.domain.policies import ChunkingPolicy

_MAX_TOKENS = 150
_SHOWN = 700
_GAP = re.compile(r"[\s\-\u2010]")
_TOKEN = re.compile(r"[^\W_]+")


@dataclass(slots=True)
class Figures:
    """Counts that add up over documents, and examples of what failed."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def note(self, kind: str, *said: object) -> None:
        """Count a fault and keep it as an example."""
        self.counts[kind] += 1
        self.faults.append(" ".join(f"{kind}: {' '.join(map(str, said))}".split())[:_SHOWN])


def measured(truth: Truth, pages: Sequence[str], result: ConversionResult) -> Figures:
    """The figures of a converted document whose pages have these texts."""
    figures = Figures(Counter(documents=1))
    index = PageIndex(pages)
    text = _Spaced(result.plain_text)
    _measure_sentences(figures, truth, text, index, result)
    _measure_headings(figures, truth, result)
    _measure_rows(figures, truth, result)
    chunks = _chunks(result)
    read = index.completed(truth.flow)
    for chunk in chunks:
        _measure_chunk(figures, chunk, read)
    _measure_furniture(figures, truth, chunks)
    return figures


def lost(truth: Truth, reason: str) -> Figures:
    """The figures of a document that could not be converted."""
    figures = Figures(
        Counter(documents=1, sentences=len(truth.texts), headings=len(truth.headings))
    )
    figures.counts["rows"] = len(truth.rows)
    figures.note("lost", reason)
    return figures


class _Spaced:
    """A text's letters and digits joined, with what stands between each two, and where they are."""

    def __init__(self, text: str) -> None:
        self.joined, self.offsets = "", []
        letters: list[str] = []
        for offset, character in enumerate(text):
            for letter in unicodedata.normalize("NFKC", character).casefold():
                if letter.isalnum():
                    letters.append(letter)
                    self.offsets.append(offset)
        self.joined = "".join(letters)
        self._text = text

    def gaps(self, start: int, end: int) -> set[int]:
        """Before which of the letters `[start, end)` but the first a space or a hyphen stands."""
        return {
            at - start
            for at in range(start + 1, end)
            if _GAP.search(self._text[self.offsets[at - 1] + 1 : self.offsets[at]])
        }


def _measure_sentences(
    figures: Figures, truth: Truth, text: _Spaced, index: PageIndex, result: ConversionResult
) -> None:
    before = -1
    spans = [*index.spans(truth.flow), *map(index.span, truth.asides)]
    for place, sentence in enumerate(truth.texts):
        figures.counts["sentences"] += 1
        said = _Spaced(sentence)
        start = text.joined.find(said.joined)
        if start < 0:
            figures.note("torn", sentence)
            continue
        end = start + len(said.joined)
        _compare_words(figures, said, text, start)
        _compare_pages(
            figures, sentence, spans[place], result, (text.offsets[start], text.offsets[end - 1])
        )
        if place < len(truth.flow):
            if start < before:
                figures.note("out of order", sentence)
            before = start


def _compare_words(figures: Figures, said: _Spaced, text: _Spaced, start: int) -> None:
    true = said.gaps(0, len(said.joined))
    read = text.gaps(start, start + len(said.joined))
    figures.counts["words"] += len(true) + 1
    for kind, places in (("glued", true - read), ("broken", read - true)):
        for at in places:
            figures.note(kind, f"{said.joined[max(at - 9, 0) : at]}|{said.joined[at : at + 9]}")


def _compare_pages(
    figures: Figures,
    sentence: str,
    true: tuple[int, int] | None,
    result: ConversionResult,
    places: tuple[int, int],
) -> None:
    if true is None:
        return
    figures.counts["placed"] += 1
    fragments = [fragment for block in result.blocks for fragment in block.fragments]
    starts = [fragment.start for fragment in fragments]
    found = tuple(fragments[bisect_right(starts, place) - 1].page for place in places)
    if found != true:
        figures.note("wrong page", found, "instead of", true, sentence)


def _measure_headings(figures: Figures, truth: Truth, result: ConversionResult) -> None:
    true = Counter(_Spaced(title).joined for title in truth.headings)
    found = Counter(_Spaced(heading.title).joined for heading in result.headings)
    found.pop(_Spaced(truth.title).joined, None)
    figures.counts["headings"] += true.total()
    figures.counts["headings found"] += found.total()
    figures.counts["headings right"] += (true & found).total()
    for title in true - found:
        figures.faults.append(f"heading missed: {title}")
    for title in found - true:
        figures.faults.append(f"no heading: {title}")


def _measure_rows(figures: Figures, truth: Truth, result: ConversionResult) -> None:
    tables = [result.text_of(block) for block in result.blocks if block.kind is BlockKind.TABLE]
    rows = {_cells(line.split(" | ")) for table in tables for line in table.splitlines()}
    for row in truth.rows:
        figures.counts["rows"] += 1
        if _cells(row) not in rows:
            figures.note("row wrong", row)


def _cells(row: Iterable[str]) -> tuple[str, ...]:
    return tuple(" ".join(cell.split()) for cell in row)


def _chunks(result: ConversionResult) -> Sequence[Chunk]:
    return chunk_document(
        result,
        policy=ChunkingPolicy(max_tokens=_MAX_TOKENS),
        embedding_model="words",
        special_tokens=2,
        count_all=lambda texts: [len(_TOKEN.findall(text)) for text in texts],
    ).chunks


def _measure_chunk(figures: Figures, chunk: Chunk, pages: Sequence[Letters]) -> None:
    figures.counts["chunks"] += 1
    check = check_page_span(chunk, pages)
    if check.verdict not in (PageVerdict.EXACT, PageVerdict.NEAR):
        found = f"{check.verdict} {chunk.page_span} stands on {check.stands_on}"
        figures.note("chunk", found, "missing", check.missing[:80], "|", chunk.text)
    if chunk.page_span and chunk.page_span[0] < chunk.page_span[1] and not chunk.page_starts:
        figures.note("page set back", chunk.page_span, chunk.text)


def _measure_furniture(figures: Figures, truth: Truth, chunks: Sequence[Chunk]) -> None:
    """Count edges and labels that stand in chunks apart from all that is to be read."""
    read = sorted({_Spaced(text).joined for text in _readable(truth)}, key=len, reverse=True)
    for chunk in chunks:
        rest = _Spaced(chunk.text)
        left = _without(rest.joined, read)
        for label in dict.fromkeys((*truth.edges, *truth.labels)):
            if _stands(_Spaced(label).joined, left, rest):
                figures.note("furniture", label, "in", chunk.text)


def _readable(truth: Truth) -> Iterator[str]:
    yield from truth.texts
    yield from truth.headings
    yield from (cell for row in truth.rows for cell in row if len(cell) > 5)
    yield from (" ".join(row) for row in truth.rows)


def _without(letters: str, texts: Sequence[str]) -> str:
    """The letters with each of the texts blanked out."""
    for text in texts:
        letters = letters.replace(text, "\0" * len(text))
    return letters


def _stands(label: str, left: str, text: _Spaced) -> bool:
    """Whether the label stands as words of its own in what is left of the text."""
    at = left.find(label)
    while at >= 0:
        end = at + len(label)
        gaps = text.gaps(max(at - 1, 0), min(end + 1, len(left)))
        opens = at == 0 or 1 in gaps
        closes = end == len(left) or len(label) + (at > 0) in gaps
        if opens and closes:
            return True
        at = left.find(label, at + 1)
    return False
