"""Find the headings of 25 papers whose headings are known, and print what was found.

usage: python -m benchmarks.bench_headings LIBRARY

LIBRARY has the papers in `pdf/`; what they show is in `tests/corpus_truth`. Precision and recall
count a heading that has its page and its title; levels, order, run-in headings, the parts of a
paper, and the section paths of chunks are counted apart. For comparison the same is measured of
the bookmarks, and of every line that is larger than the text or bold.
"""

from __future__ import annotations

import argparse
import ctypes
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_raw
from tests.corpus_truth.headings import (
    Score,
    TrueHeading,
    TruePaper,
    fingerprint,
    found_headings,
    roles_right,
    score,
    section_paths,
    true_papers,
    words_of,
)

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.chunks.chunk import Chunk, ChunkKind
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.sections import SectionRole, section_roles
from citeloom.domain.policies import ChunkingPolicy
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom_pdf.parsing.opened_pages import OpenedPages

_TOKEN = re.compile(r"\w+|[^\w\s]")


def main() -> None:
    """Convert the papers one by one and print the sums by journal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=Path)
    folder = parser.parse_args().library / "pdf"
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    for paper in true_papers():
        result = PdfConverter().convert(
            SourceFile(path=folder / paper.file, doc_id=paper.file, content_hash="")
        )
        found = score(paper, found_headings(result))
        tell_paper(paper, found, result, folder / paper.file)
        counts = _counts(found) + _paths(paper, result)
        counts += Counter(f"{part} recognised" for part, right in _roles(paper, result) if right)
        pdf = pdfium.PdfDocument(folder / paper.file)
        for name, guess in (("bookmarks", bookmarks(pdf)), ("larger or bold", standing_out(pdf))):
            compared = score(paper, list(guess))
            counts += Counter({f"{name} {key}": n for key, n in _counts(compared).items()})
        for key in (paper.journal, "all"):
            sums[key] += counts + Counter(papers=1)
    for journal, counts in sums.items():
        tell_sums(journal, counts)


def tell_paper(paper: TruePaper, found: Score, result: ConversionResult, path: Path) -> None:
    """What was missed and what was wrong, in words."""
    print(f"{paper.file}: precision {found.precision:.2f}, recall {found.recall:.2f}")
    pages = OpenedPages(pdfium.PdfDocument(path))
    for heading in found.missed:
        print(f"   missed p. {heading.page}: {words_of(heading, pages.text(heading.page))}")
    titles = {fingerprint(heading.title): heading.title for heading in result.headings}
    for heading in found.wrong:
        print(f"   wrong p. {heading.page}: {titles[heading.title]}")
    for part, right in _roles(paper, result):
        if not right:
            print(f"   not recognised: {part}")


def tell_sums(journal: str, counts: Counter[str]) -> None:
    """The figures of one journal or of all."""
    print(f"\n== {journal}: {counts['papers']} papers")
    print(f"headings: {_f1(counts, '')}")
    for name in ("bookmarks", "larger or bold"):
        print(f"   for comparison, {name}: {_f1(counts, name + ' ')}")
    print(
        f"levels right {counts['levels']}/{counts['found']}, in order {counts['in order']} papers, "
        f"run-in found {counts['run in']}"
    )
    print(f"chunks of the body with the right path: {counts['path right']}/{counts['chunks']}")
    print(
        f"chunks of references: {counts['references right']} right, {counts['references wrong']} "
        f"wrong, {counts['references lost']} taken for body"
    )
    parts = ("title", "authors", "abstract", "references", "appendix")
    print("recognised: " + ", ".join(f"{part} {counts[part + ' recognised']}" for part in parts))


def bookmarks(pdf: pdfium.PdfDocument) -> Iterator[TrueHeading]:
    """What the document's outline has."""
    for item in pdf.get_toc():
        destination = item.get_dest()
        if destination is not None:
            title = fingerprint(str(item.get_title()))
            yield TrueHeading((destination.get_index() or 0) + 1, item.level + 1, title)


def standing_out(pdf: pdfium.PdfDocument) -> Iterator[TrueHeading]:
    """Every short line with letters that is larger than most of the text, or bold."""
    lines = [line for number in range(len(pdf)) for line in _lines(pdf, number)]
    sizes = Counter[float]()
    for _, text, size, _ in lines:
        sizes[size] += len(text)
    usual = sizes.most_common(1)[0][0]
    for page, text, size, bold in lines:
        if (size > 1.1 * usual or bold) and len(text) < 100 and re.search(r"[^\W\d_]{3}", text):
            yield TrueHeading(page, 1, fingerprint(text))


def _lines(pdf: pdfium.PdfDocument, number: int) -> Iterator[tuple[int, str, float, bool]]:
    """The page, text, size and boldness of each line."""
    page = pdf[number].get_textpage()
    start = 0
    text = "".join(chr(pdfium_raw.FPDFText_GetUnicode(page, i)) for i in range(page.count_chars()))
    for line in re.split(r"(?:\r\n|\r|\n)", text):
        if line.strip():
            middle = start + len(line) // 2
            yield number + 1, line, *_look(page, middle)
        start = min(start + len(line) + 2, len(text))


def _look(page: pdfium.PdfTextPage, index: int) -> tuple[float, bool]:
    matrix, name, flags = pdfium_raw.FS_MATRIX(), ctypes.create_string_buffer(128), ctypes.c_int()
    pdfium_raw.FPDFText_GetMatrix(page, index, matrix)
    pdfium_raw.FPDFText_GetFontInfo(page, index, name, 128, flags)
    size = pdfium_raw.FPDFText_GetFontSize(page, index) * abs(matrix.d or matrix.b)
    return round(size, 1), re.search(rb"bold|medi|semi", name.value, re.IGNORECASE) is not None


def _roles(paper: TruePaper, result: ConversionResult) -> list[tuple[str, bool]]:
    return list(roles_right(paper, result).items())


def _counts(found: Score) -> Counter[str]:
    return Counter(
        {
            "found": found.found,
            "missed": len(found.missed),
            "wrong": len(found.wrong),
            "levels": found.levels,
            "in order": int(found.in_order),
            "run in": found.run_in,
        }
    )


def _paths(paper: TruePaper, result: ConversionResult) -> Counter[str]:
    """Chunks with and without the right path, and those of reference lists."""
    counts: Counter[str] = Counter()
    roles = zip(result.headings, section_roles(result.headings))
    titles = {fingerprint(heading.title): role for heading, role in roles}
    for chunk, path in section_paths(paper, result, _chunks(result)):
        truly = bool(path) and titles.get(path[-1]) is SectionRole.REFERENCES
        marked = chunk.kind is ChunkKind.REFERENCE
        if truly or marked:
            key = "right" if truly and marked else "wrong" if marked else "lost"
            counts[f"references {key}"] += 1
            continue
        counts["chunks"] += 1
        counts["path right"] += tuple(map(fingerprint, chunk.section_path)) == path
    return counts


def _chunks(result: ConversionResult) -> Sequence[Chunk]:
    return chunk_document(
        result,
        policy=ChunkingPolicy(max_tokens=256),
        embedding_model="none",
        special_tokens=2,
        count_all=lambda texts: [len(_TOKEN.findall(text)) for text in texts],
    ).chunks


def _f1(counts: Counter[str], prefix: str) -> str:
    found, missed, wrong = (counts[prefix + key] for key in ("found", "missed", "wrong"))
    precision, recall = found / max(found + wrong, 1), found / max(found + missed, 1)
    f1 = 2 * found / max(2 * found + missed + wrong, 1)
    return f"precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}"


if __name__ == "__main__":
    main()
