"""Whole conversions as they stood when last read by a person.

CITELOOM_UPDATE_GOLDEN=1 writes them anew; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import ConversionResult, Fragment
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from tests.integration.conversion import documents

GOLDEN = Path(__file__).parents[2] / "golden"
DOCUMENTS: dict[str, Callable[[Path], Path]] = {
    "article": documents.article,
    "book": documents.book,
    "journal_page": documents.journal_page,
    "ruled_table": documents.ruled_table,
}


def place(fragment: Fragment) -> str:
    box = fragment.box
    assert box is not None
    edges = " ".join(f"{edge:.0f}" for edge in (box.left, box.top, box.right, box.bottom))
    return f"page {fragment.page} at {edges}"


def readable(result: ConversionResult) -> dict[str, object]:
    return {
        "page_count": result.page_count,
        "page_labels": {str(page): label for page, label in result.page_labels.items()},
        "page_map": {
            str(page): f"{start} to {end}" for page, (start, end) in result.page_map.items()
        },
        "headings": [
            f"{'#' * heading.level} {heading.title} (p. {heading.page})"
            for heading in result.headings
        ],
        "blocks": [
            {
                "kind": block.kind.value,
                "section": block.section,
                "places": " + ".join(place(fragment) for fragment in block.fragments),
                "text": result.text_of(block),
            }
            for block in result.blocks
        ],
    }


@pytest.mark.parametrize("name", DOCUMENTS)
def test_conversion_is_as_it_was_read(name: str, tmp_path: Path) -> None:
    path = DOCUMENTS[name](tmp_path / f"{name}.pdf")
    converted = readable(
        PdfConverter().convert(SourceFile(path=path, doc_id=name, content_hash=""))
    )
    golden = GOLDEN / f"{name}.json"
    if os.environ.get("CITELOOM_UPDATE_GOLDEN"):
        golden.write_text(json.dumps(converted, indent=1, ensure_ascii=False) + "\n")
    assert converted == json.loads(golden.read_text())
