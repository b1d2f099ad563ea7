"""Convert long documents and print pages a second and peak memory against the number of pages.

usage: python -m benchmarks.bench_books BOOKS [--pages 100 400 1000]

BOOKS is a folder of PDFs; they are put one behind the other until there are as many pages as
wanted. Each is converted as an ingest does it, in a worker process and through the cache, and then
read by docling-parse alone, in processes of their own. Seconds are those of the processor, a
worker's start not counted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pypdfium2 as pdfium

from citeloom.application.ports.conversion import ConverterOptions, DocumentConverter, SourceFile
from citeloom.application.ports.runtime import EmitEvent, Outcome
from citeloom.infrastructure.conversion.cache import CachedConverter
from citeloom.infrastructure.conversion.file_conversion import FileConversion
from citeloom.infrastructure.conversion.workers.processes import ProcessExecutor
from citeloom.infrastructure.wiring.conversion import converter_versions, open_file_converter

PAGES = (100, 400, 1000)
WINDOW = 25


def main() -> None:
    """Measure each number of pages, ours and docling-parse's in the same run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("books", type=Path)
    parser.add_argument("--pages", type=int, nargs="+", default=PAGES)
    parser.add_argument("--only", choices=sorted(MEASURES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        print(json.dumps(MEASURES[options.only](options.books)))
        return
    print("pages   pages/s   of docling-parse   ratio   worker MB   parent MB   wall s")
    with tempfile.TemporaryDirectory() as folder:
        for count in options.pages:
            tell(count, concatenated(options.books, count, Path(folder) / f"{count}.pdf"))


def tell(count: int, path: Path) -> None:
    """One line of the table."""
    ours, bare = measured("convert", path), measured("parse", path)
    print(
        f"{count:5}   {count / ours['seconds']:7.1f}   {count / bare['seconds']:16.1f}"
        f"   {ours['seconds'] / bare['seconds']:5.2f}   {ours['worker']:9.0f}"
        f"   {ours['parent']:9.0f}   {ours['wall']:6.0f}",
        flush=True,
    )


def concatenated(books: Path, count: int, path: Path) -> Path:
    """A PDF of so many pages, from the books in turn."""
    whole = pdfium.PdfDocument.new()
    for book in cycle(sorted(books.glob("*.pdf"))):
        if len(whole) == count:
            break
        source = pdfium.PdfDocument(book)
        whole.import_pages(source, list(range(min(len(source), count - len(whole)))))
    whole.save(path)
    return path


def measured(what: str, path: Path) -> dict[str, float]:
    """A measure taken in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.bench_books", str(path), "--only", what]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def convert(path: Path) -> dict[str, float]:
    """Seconds of the worker, and megabytes of the worker and of its parent at their highest."""
    with tempfile.TemporaryDirectory() as folder:
        first_page = pdfium.PdfDocument.new()
        first_page.import_pages(pdfium.PdfDocument(path), [0])
        first_page.save(Path(folder) / "first.pdf")
        convert_one(Path(folder) / "first.pdf", Path(folder))
        start = children_seconds()
        began = time.perf_counter()
        convert_one(path, Path(folder))
        wall = time.perf_counter() - began
    return {
        "seconds": children_seconds() - 2 * start,
        "worker": megabytes(resource.RUSAGE_CHILDREN),
        "parent": megabytes(resource.RUSAGE_SELF),
        "wall": wall,
    }


def convert_one(path: Path, folder: Path) -> None:
    """Convert one file in a worker process, its windows and its result kept in the folder."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    source = SourceFile(path=path, doc_id=digest[:32], content_hash=digest)
    executor = ProcessExecutor(Conversions(folder))
    with closing(executor):
        for update in executor.run(_convert, [Book(source)]):
            if isinstance(update, Outcome) and update.error is not None:
                raise update.error


@dataclass(frozen=True)
class Book:
    """A book to convert."""

    source: SourceFile

    @property
    def name(self) -> str:
        """The file's name."""
        return self.source.path.name


@dataclass(frozen=True)
class Conversions:
    """Builds the converter, in the worker process; windows and results are kept in the folder."""

    folder: Path

    def __call__(self) -> DocumentConverter:
        options = ConverterOptions(windows=self.folder / "windows")
        converter = FileConversion(
            lambda suffix: open_file_converter(suffix, options), converter_versions()
        )
        return CachedConverter(converter, self.folder / "conversions")


def _convert(book: Book, converter: DocumentConverter, emit: EmitEvent) -> int:
    return converter.convert(book.source, emit).result.page_count


def parse(path: Path) -> dict[str, float]:
    """Seconds that docling-parse takes to read the lines and words of every page."""
    from citeloom_pdf.parsing.parsed_pages import parsed_pages  # noqa: PLC0415 - not above

    began = time.process_time()
    count = len(pdfium.PdfDocument(path))
    for first in range(1, count + 1, WINDOW):
        window = range(first, min(first + WINDOW, count + 1))
        for _, page in parsed_pages(path, window, {}, lambda _: None):
            assert page is not None
            page.get_page()
    return {"seconds": time.process_time() - began}


def children_seconds() -> float:
    """Processor time of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def megabytes(whose: int) -> float:
    """Resident memory at its highest."""
    return resource.getrusage(whose).ru_maxrss / 1024


MEASURES: dict[str, Callable[[Path], dict[str, float]]] = {"convert": convert, "parse": parse}

if __name__ == "__main__":
    main()
