"""Convert documents that are made here, and print how much of each arrived, and where.

usage: python -m benchmarks.made_documents [--folder FOLDER] [--only WORD] [--faults]

Every sentence of them is known, with its page and its order. Half of the documents, chosen by a
hash of their names, may be looked into (`--faults` prints what failed in those); the others are
only measured. The difference of the two columns is how far the rules were fitted to what was
looked at. A document whose program is not installed is skipped and named.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.made_documents.documents import MadeDocument, made_documents
from benchmarks.made_documents.measure import Figures, lost, measured

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom.infrastructure.conversion.pdfium import page_texts


def main() -> None:
    """Make, convert and measure the documents one by one, then print both columns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="keep the PDFs here")
    parser.add_argument("--only", default="", help="documents with this in their name")
    parser.add_argument("--faults", action="store_true", help="print what failed, where allowed")
    options = parser.parse_args()
    chosen = [one for one in made_documents() if options.only in one.name]
    skipped = [one.name for one in chosen if one.program() is None]
    columns = {True: Figures(), False: Figures()}
    with tempfile.TemporaryDirectory() as folder:
        for one in chosen:
            if one.program() is not None:
                figures = _figures(one, options.folder or Path(folder))
                _tell(one, figures, faults=options.faults)
                columns[one.looked_at].counts.update(figures.counts)
    _tell_sums(columns[True].counts, columns[False].counts)
    for name in skipped:
        print(f"skipped, its program is not installed: {name}")


def _figures(one: MadeDocument, folder: Path) -> Figures:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{one.name}.pdf"
    placed = one.make(path)
    try:
        result = PdfConverter().convert(SourceFile(path=path, doc_id=one.name, content_hash=""))
    except CiteloomError as error:
        return lost(one.truth, str(error))
    return measured(one.truth, placed or page_texts(path), result)


def _tell(one: MadeDocument, figures: Figures, *, faults: bool) -> None:
    print(f"{one.name}: {'looked at' if one.looked_at else 'measured only'}")
    if one.looked_at:
        print("  " + ", ".join(f"{value} {name}" for name, value in sorted(figures.counts.items())))
    if faults and one.looked_at:
        for fault in figures.faults:
            print(f"    {fault}")


def _tell_sums(seen: Counter[str], unseen: Counter[str]) -> None:
    print(f"\n{'':34}{'looked at':>12}{'measured only':>15}{'difference':>12}")
    for name, one, other in zip(_NAMES, _values(seen), _values(unseen)):
        print(f"{name:34}{one:12.2f}{other:15.2f}{one - other:12.2f}")


_NAMES = (
    "documents",
    "documents lost",
    "chunks",
    "chunks on their pages, %",
    "sentences",
    "sentences found whole, %",
    "sentences on their pages, %",
    "sentences out of order",
    "glued words in 100,000",
    "broken words in 100,000",
    "headings F1, %",
    "rows of tables right, %",
    "furniture that got in",
    "chunks that go back a page",
)


def _values(n: Counter[str]) -> Sequence[float]:
    words = max(n["words"], 1) / 100_000
    return (
        n["documents"],
        n["lost"],
        n["chunks"],
        _share(n["chunks"] - n["chunk"], n["chunks"]),
        n["sentences"],
        _share(n["sentences"] - n["torn"], n["sentences"]),
        _share(n["placed"] - n["wrong page"], n["placed"]),
        n["out of order"],
        n["glued"] / words,
        n["broken"] / words,
        _share(2 * n["headings right"], n["headings"] + n["headings found"]),
        _share(n["rows"] - n["row wrong"], n["rows"]),
        n["furniture"],
        n["page set back"],
    )


def _share(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 100.0


if __name__ == "__main__":
    main()
