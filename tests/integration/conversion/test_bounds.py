"""What is too large or too deep is refused before it costs anything."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from citeloom.domain.errors import UnreadableDocument
from citeloom.infrastructure.conversion.by_suffix import BySuffix
from citeloom.infrastructure.conversion.file_converter import FileConverter

DOC_ID = "0" * 32


def no_pdf() -> FileConverter:
    raise AssertionError


def refusal(path: Path, *, max_text_mb: int = 16) -> str:
    with pytest.raises(UnreadableDocument) as refused:
        BySuffix(no_pdf, max_text_mb).convert(path, DOC_ID, lambda _: None)
    return refused.value.message


@pytest.mark.parametrize("name", ["long.txt", "long.md", "long.html"])
def test_a_text_over_the_limit_is_refused_and_the_limit_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("wheat " * 400_000)
    assert refusal(path, max_text_mb=1) == (f"{name} has 2 MB of text; no more than 1 MB are read")


def test_a_page_nested_too_deeply_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "deep.html"
    path.write_text("<div>" * 500_000 + "wheat")
    refusal(path)  # loads the library
    begun = time.process_time()
    assert refusal(path) == "deep.html is nested too deeply"
    assert time.process_time() - begun < 5


def test_a_page_as_deep_as_pages_get_is_read(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<div>" * 200 + "<p>Wheat grows.</p>" + "</div>" * 200)
    result = BySuffix(no_pdf).convert(path, DOC_ID, lambda _: None)
    assert "Wheat grows." in result.plain_text
