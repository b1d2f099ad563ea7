"""What pages yield, by statements that are true or false: present, absent, order, cells of tables.

    python -m benchmarks.bench_page_statements [--only WORD] [--faults] [--keep FOLDER]

Typesets documents of many kinds in eight forms each, with statements in the form of olmOCR-bench,
and asks them of citeloom's passages and of PDFium's raw text of the same page. Even forms are to
decide on (`--faults` prints what failed in those); odd ones are only ever measured, and nothing may
be chosen by them. `--keep` leaves the PDFs and `statements.jsonl`, for other readers. Texts are
compared without spaces at signs, kinds of dashes and quotes, and forms of letters; 2 % of a text's
letters may differ (4 % in scans), none in formulas. A table's rows are lines of `a | b`, which raw
text never has. Pages without a text layer are read by an OCR engine, where one is installed.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pypdfium2 as pdfium
from benchmarks.page_statements.kinds import sheets
from benchmarks.page_statements.sheets import Sheet
from benchmarks.page_statements.statements import Reading

from citeloom.application.ports.conversion import ConverterOptions, SourceFile
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.errors import CiteloomError
from citeloom.domain.policies import ChunkingPolicy, OcrOptions
from citeloom.infrastructure.conversion.ocr.rapidocr import RapidOcrEngine
from citeloom.infrastructure.conversion.ocr.tesseract import TesseractEngine
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter

Reader = Callable[[Path], Mapping[int, Reading]]
_TOKEN = re.compile(r"\w+|[^\w\s]")
_TYPES = ("present", "absent", "order", "table")


def by_citeloom(path: Path) -> Mapping[int, Reading]:
    """The passages that citeloom has of each page."""
    engines = tuple(
        engine for engine in (TesseractEngine(), RapidOcrEngine()) if engine.readable(("en",))
    )
    result = PdfConverter(ConverterOptions(engines=engines)).convert(
        SourceFile(path=path, doc_id="doc", content_hash="", ocr=OcrOptions(languages=("en",)))
    )
    chunks = chunk_document(
        result,
        policy=ChunkingPolicy(overlap_tokens=0),
        embedding_model="words",
        special_tokens=2,
        count_all=lambda texts: [len(_TOKEN.findall(text)) for text in texts],
    ).chunks
    texts: dict[int, list[str]] = {}
    for chunk in chunks:
        first, last = chunk.page_span or (1, 1)
        for page in range(first, last + 1):
            texts.setdefault(page, []).append(chunk.text)
    return {page: Reading(passages) for page, passages in texts.items()}


def by_pdfium(path: Path) -> Mapping[int, Reading]:
    """The text of each page as PDFium gives it."""
    with closing(pdfium.PdfDocument(path)) as document:
        return {
            number: Reading([page.get_textpage().get_text_range()])
            for number, page in enumerate(document, start=1)
        }


READERS: Mapping[str, Reader] = {"citeloom": by_citeloom, "PDFium": by_pdfium}


def main() -> None:
    """Make and read the documents one by one, then print the shares by kind and by type."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="kinds with this in their name")
    parser.add_argument("--faults", action="store_true", help="print what failed, where allowed")
    parser.add_argument("--keep", type=Path, help="leave the PDFs and their statements here")
    options = parser.parse_args()
    counts: Counter[tuple[str, str, str, bool]] = Counter()
    seconds: dict[str, float] = defaultdict(float)
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        made = list(sheets(options.only))
        for sheet in made:
            path = place / f"{sheet.name}.pdf"
            with _timed(seconds, "typesetting"):
                sheet.write(path)
            for name, reader in READERS.items():
                with _timed(seconds, name):
                    pages = _read(reader, path)
                _count(counts, name, sheet, pages, faults=options.faults)
        if options.keep:
            _keep(place / "statements.jsonl", made)
    _print(counts, [sheet.kind for sheet in made])
    asked = sum(len(sheet.statements) for sheet in made)
    spent = ", ".join(f"{name} {value:.0f}" for name, value in seconds.items())
    print(f"{len(made)} documents, {asked} statements; seconds of processor: {spent}")


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    begun = time.process_time()
    yield
    seconds[name] += time.process_time() - begun


def _read(reader: Reader, path: Path) -> Mapping[int, Reading]:
    try:
        return reader(path)
    except CiteloomError as error:
        print(f"{path.stem}: {error}")
        return {}


def _count(
    counts: Counter[tuple[str, str, str, bool]],
    name: str,
    sheet: Sheet,
    pages: Mapping[int, Reading],
    *,
    faults: bool,
) -> None:
    for statement in sheet.statements:
        holds = statement.holds(pages.get(statement.page, Reading([])))
        half = "decide" if sheet.decides else "report"
        for group in (sheet.kind, statement.type):
            counts[name, group, half, holds] += 1
        if faults and not holds and sheet.decides and name == "citeloom":
            print(f"{sheet.name}: {json.dumps(statement.said(), ensure_ascii=False)}")


def _keep(path: Path, made: Sequence[Sheet]) -> None:
    lines = [
        json.dumps(
            {"pdf": f"{sheet.name}.pdf", "id": f"{sheet.name}-{n}", **statement.said()},
            ensure_ascii=False,
        )
        for sheet in made
        for n, statement in enumerate(sheet.statements)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _print(counts: Counter[tuple[str, str, str, bool]], kinds: Sequence[str]) -> None:
    columns = [(name, half) for half in ("decide", "report") for name in READERS]
    print(f"{'':22}" + "".join(f"{f'{name} {half}':>18}" for name, half in columns))
    for group in (*dict.fromkeys(kinds), *_TYPES):
        cells = []
        for name, half in columns:
            right, wrong = (counts[name, group, half, holds] for holds in (True, False))
            share = f"{100 * right / (right + wrong):.1f}" if right + wrong else "-"
            cells.append(f"{share} of {right + wrong}")
        print(f"{group:22}" + "".join(f"{cell:>18}" for cell in cells))


if __name__ == "__main__":
    main()
