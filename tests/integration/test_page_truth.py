"""Papers of each journal stand, chunk by chunk, on the pages that PDFium has them on."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.evaluation.page_truth import Letters, PageVerdict, check_page_span
from citeloom.domain.policies import ChunkingPolicy
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom.infrastructure.conversion.pdfium import page_texts

PAPERS = (
    "10.21105.jose.00259",
    "10.21105.jcon.00208",
    "10.21105.jcon.00059",
    "10.5281_zenodo.3234524",
    "10.5281_zenodo.3630224",
)


def count_words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


@pytest.mark.corpus
@pytest.mark.parametrize("paper", PAPERS)
def test_every_chunk_of_a_paper_stands_on_its_pages(paper: str) -> None:
    folder = os.environ.get("CITELOOM_CORPUS")
    if not folder:
        pytest.skip("CITELOOM_CORPUS does not name the shared research corpus")
    path = Path(folder) / "corpus" / "library" / "pdf" / f"{paper}.pdf"
    result = PdfConverter().convert(SourceFile(path=path, doc_id=paper, content_hash=""))
    pages = [Letters(text) for text in page_texts(path)]
    chunked = chunk_document(
        result,
        policy=ChunkingPolicy(max_tokens=150),
        embedding_model="words",
        special_tokens=2,
        count_all=count_words,
    )
    verdicts = Counter(check_page_span(chunk, pages).verdict for chunk in chunked.chunks)
    assert verdicts[PageVerdict.EXACT] > len(chunked.chunks) / 2
    assert set(verdicts) <= {PageVerdict.EXACT, PageVerdict.NEAR}
