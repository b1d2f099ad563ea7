"""How PDFs are read that nobody tuned for: order, words and accents against PDFium's own text.

    python -m benchmarks.bench_pdf FOLDER [--pages 24] [--faults] [--only WORD]

Of each PDF below the folder some pages are read, in three runs from its first, its middle and its
last third. Half of the documents, chosen by a hash of their names, may be looked into (`--faults`
prints what failed in those); the others are only measured. A line of PDFium's text is out of order
if it is not in the longest run of lines that both have in the same order; lines in tables,
captions, footnotes and figures, and those that a page has twice, are left out. A line is torn if
its halves are both there and not together; a row is parted if that is so of its words before a gap
and behind, as where the labels of a list come before all its texts. Everything is compared by
letters alone, accents folded.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pypdfium2 as pdfium
from benchmarks.made_documents.truth import is_looked_at
from docling_core.types.doc.items.table.table import TableItem
from docling_core.types.doc.items.text import TextItem
from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf import PdfUnreadable, read_pdf
from citeloom_pdf.reading import ReadPdf

_LEAST_LETTERS = 24
_LEAST_ROW = 10  # letters of a label and the first line of its text
_FLOATS = (DocItemLabel.CAPTION, DocItemLabel.FOOTNOTE)
_ACCENTS = "\u00b4\u00a8\u02c6\u02dc\u00b8\u02c7\u02d8\u02da\u02d9\u02dd\u00af"
_LOOSE = re.compile(rf"[{_ACCENTS}]|(?<=[^\W\d_])`(?=[^\W\d_])")
_UNDECODED = re.compile(r"\(cid:\d+\)|GLYPH<|[\ufffd\x00-\x08\x0e-\x1f]")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(slots=True)
class Figures:
    """Counts that add up over documents, and examples of what failed."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def folded(text: str) -> str:
    """The letters and digits of a text, without accents."""
    plain = unicodedata.normalize("NFKD", text)
    return re.sub(r"[\W_]+", "", plain.replace("\u0131", "i")).lower()


def some_pages(path: Path, count: int, out: Path) -> Path:
    """Some pages of a PDF as a PDF of their own, which later calls find again."""
    if out.is_file():
        return out
    with closing(pdfium.PdfDocument(path)) as whole, closing(pdfium.PdfDocument.new()) as part:
        total, run = len(whole), max(1, count // 3)
        starts = [total // 20, total // 2, total - total // 8 - run] if total > count else [0]
        run = run if total > count else total
        numbers = sorted({n for s in starts for n in range(max(0, s), s + run) if n < total})
        part.import_pages(whole, numbers)
        out.parent.mkdir(parents=True, exist_ok=True)
        part.save(out)
    return out


def measured(path: Path) -> Figures:
    """How one PDF is read."""
    figures = Figures()
    pdf = read_pdf(path)
    texts, floats = _texts(pdf)
    with closing(pdfium.PdfDocument(path)) as document:
        for number in range(1, pdf.page_count + 1):
            lines = _lines(document, number)
            _compare(number, lines, texts[number], floats[number], figures)
    whole = "\n".join("\n".join(page) for page in texts.values())
    figures.counts["words"] += len(_WORD.findall(whole))
    figures.counts["loose accents"] += len(_LOOSE.findall(whole))
    figures.counts["undecoded"] += len(_UNDECODED.findall(whole))
    figures.counts["doubtful tables"] += len(pdf.doubtful_tables)
    figures.counts["plain pages"] += len(pdf.plain)
    figures.counts["failed pages"] += len(pdf.failures)
    for match in _LOOSE.finditer(whole):
        figures.faults.append(f"accent: {whole[max(0, match.start() - 30) : match.end() + 30]!r}")
    return figures


def _texts(pdf: ReadPdf) -> tuple[Mapping[int, list[str]], Mapping[int, str]]:
    """For each page its texts in reading order, and the folded text of what floats there."""
    texts: dict[int, list[str]] = defaultdict(list)
    floats: dict[int, str] = defaultdict(str)
    for item, _ in pdf.document.iterate_items():
        if isinstance(item, TableItem):
            cells = " ".join(cell.text for cell in item.data.table_cells)
            floats[item.prov[0].page_no] += "\n" + folded(cells)
        elif isinstance(item, TextItem):
            for place in item.prov:
                text = item.text[slice(*place.charspan)] if len(item.prov) > 1 else item.text
                texts[place.page_no].append(text)
                if item.label in _FLOATS:
                    floats[place.page_no] += "\n" + folded(text)
    return texts, floats


def _lines(document: pdfium.PdfDocument, number: int) -> list[str]:
    with closing(document[number - 1]) as page, closing(page.get_textpage()) as text:
        return [line.strip() for line in str(text.get_text_range()).splitlines()]


def _compare(
    number: int, lines: Sequence[str], texts: Sequence[str], floats: str, figures: Figures
) -> None:
    whole = "".join(map(folded, texts))
    keys = [key for line in lines if len(key := folded(line)) >= _LEAST_LETTERS]
    once = [key for key in keys if keys.count(key) == 1]
    body = [key for key in once if key not in floats]
    places = [(whole.index(key), key) for key in body if whole.count(key) == 1]
    kept = _in_order([at for at, _ in places])
    wrong = [key for index, (_, key) in enumerate(places) if index not in kept]
    counts = figures.counts
    counts["pages"] += 1
    counts["pages out of order"] += bool(wrong)
    counts["lines"] += len(places)
    counts["lines out of order"] += len(wrong)
    torn = list(_torn(body, whole))
    counts["lines torn"] += len(torn)
    figures.faults += [f"p. {number} order: {key[:70]}" for key in wrong[:3]]
    figures.faults += [f"p. {number} torn: {key[:70]}" for key in torn[:3]]
    parted = list(_parted(lines, whole + floats))
    counts["rows parted"] += len(parted)
    counts["pages with a row parted"] += bool(parted)
    figures.faults += [f"p. {number} parted: {line[:70]}" for line in parted[:3]]


def _torn(keys: Sequence[str], whole: str) -> Iterator[str]:
    """Lines whose two halves are both there, and not together."""
    for key in keys:
        half = len(key) // 2
        if key not in whole and key[:half] in whole and key[half:] in whole:
            yield key


def _parted(lines: Sequence[str], whole: str) -> Iterator[str]:
    """Rows whose words up to some word are there, and the others too, but not together."""
    for line in lines:
        words = [key for key in map(folded, line.split()) if key]
        key = "".join(words)
        if len(key) < _LEAST_ROW or key in whole:
            continue
        starts = ("".join(words[:at]) for at in range(1, len(words)))
        if any(start in whole and key[len(start) :] in whole for start in starts):
            yield line


def _in_order(places: Sequence[int]) -> set[int]:
    """The indexes of the longest increasing run."""
    tails: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for index, place in enumerate(places):
        rank = bisect_left(tails, place)
        before.append(at[rank - 1] if rank else -1)
        tails[rank : rank + 1], at[rank : rank + 1] = [place], [index]
    kept: set[int] = set()
    index = at[-1] if at else -1
    while index >= 0:
        kept.add(index)
        index = before[index]
    return kept


def main() -> None:
    """Read the PDFs one by one, then print both columns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=24, help="of each document")
    parser.add_argument("--only", default="", help="documents with this in their name")
    parser.add_argument("--faults", action="store_true", help="print what failed, where allowed")
    parser.add_argument("--parts", type=Path, help="keep the pages that are read here")
    options = parser.parse_args()
    columns = {True: Figures(), False: Figures()}
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(options.folder.rglob("*.pdf")):
            if options.only not in path.name:
                continue
            part = (options.parts or Path(folder)) / path.name
            seen = is_looked_at(path.name)
            try:
                figures = measured(some_pages(path, options.pages, part))
            except (PdfUnreadable, pdfium.PdfiumError) as error:
                print(f"{path.name}: {error}")
                continue
            counts = ", ".join(f"{n} {name}" for name, n in figures.counts.items() if n)
            print(f"{path.name}: {'looked at' if seen else 'measured only'}: {counts}", flush=True)
            if options.faults and seen:
                print(*(f"    {fault}" for fault in figures.faults), sep="\n")
            columns[seen].counts.update(figures.counts)
    _print_sums(columns[True].counts, columns[False].counts)


def _print_sums(seen: Counter[str], unseen: Counter[str]) -> None:
    print(f"\n{'':24}{'looked at':>12}{'measured only':>15}")
    for name in dict.fromkeys([*seen, *unseen]):
        print(f"{name:24}{seen[name]:12}{unseen[name]:15}")


if __name__ == "__main__":
    main()
