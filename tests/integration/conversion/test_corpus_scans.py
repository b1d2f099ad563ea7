"""Real scans: how much of their text is right, and that every chunk is on the page it claims."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from benchmarks.bench_ocr import normalised
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from citeloom.application.ports.conversion import ConverterOptions, SourceFile
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.policies import ChunkingPolicy, OcrOptions
from citeloom.infrastructure.conversion.ocr.tesseract import TesseractEngine
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from tests.fakes.embedders import PieceCounter

pytestmark = pytest.mark.corpus
COUNTER = PieceCounter(window=256)


@pytest.fixture(scope="module")
def scans() -> Path:
    folder = os.environ.get("CITELOOM_CORPUS")
    if not folder:
        pytest.skip("CITELOOM_CORPUS does not name the shared research corpus")
    return Path(folder) / "corpus" / "scans"


@pytest.mark.parametrize(
    ("name", "pages", "floor"),
    [
        ("scan-en-skew-jose.00053-p1", (1, 2), 0.8),
        ("scan-de-noise-debian-install-guide.de-p41", (1, 2), 0.95),
    ],
)
def test_scans_are_read_well_and_cited_by_the_right_page(
    name: str, pages: tuple[int, ...], floor: float, scans: Path, tmp_path: Path
) -> None:
    truth = json.loads((scans / f"{name}.truth.json").read_text(encoding="utf-8"))
    engine = TesseractEngine()
    if not engine.readable((truth["lang"],)):
        pytest.skip(f"tesseract is not installed with data for {truth['lang']}")
    path = part_of(scans / f"{name}.pdf", pages, tmp_path / "part.pdf")
    ocr = OcrOptions(languages=(truth["lang"],))
    result = PdfConverter(ConverterOptions(engines=(engine,))).convert(
        SourceFile(path=path, doc_id=name, content_hash="", ocr=ocr)
    )
    true = {number: normalised(truth["text"][page - 1]) for number, page in enumerate(pages, 1)}
    assert set(result.ocr_pages) == set(true)
    assert accuracy(result, true) >= floor
    chunks = chunk_document(
        result,
        policy=ChunkingPolicy().fitted(COUNTER.window),
        embedding_model="model",
        special_tokens=COUNTER.special_tokens,
        count_all=COUNTER.count_all,
    ).chunks
    assert len(chunks) > len(pages)
    for chunk in chunks:
        assert chunk.page_span is not None
        first, last = chunk.page_span
        assert first <= best_page(chunk.text, true) <= last, chunk.text


def part_of(source: Path, pages: tuple[int, ...], path: Path) -> Path:
    part, whole = pdfium.PdfDocument.new(), pdfium.PdfDocument(source)
    part.import_pages(whole, [page - 1 for page in pages])
    part.save(path)
    whole.close()
    part.close()
    return path


def accuracy(result: ConversionResult, true: dict[int, str]) -> float:
    """1 - edit distance / length over all pages, furniture that was dropped counted as missing."""
    read = {
        page: normalised(result.plain_text[start:end])
        for page, (start, end) in result.page_map.items()
    }
    wrong = sum(Levenshtein.distance(text, read.get(page, "")) for page, text in true.items())
    return 1 - wrong / sum(map(len, true.values()))


def best_page(text: str, true: dict[int, str]) -> int:
    """The page whose true text is most like this text anywhere."""
    words = normalised(text)
    return max(true, key=lambda page: fuzz.partial_ratio(words, true[page]))
