"""Docling's own pipeline in the place of the layout rules, and which of the two is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from docling_core.types.doc.document import DoclingDocument

from citeloom.application.ports.conversion import PlainPages
from citeloom.domain.documents.conversion import BlockKind, Doubt
from citeloom.domain.errors import ConfigError, UnreadableDocument
from citeloom.infrastructure.conversion.docling_layout import layout_version, weights_for
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom_pdf import read_pdf
from tests.contract.test_document_converter import StandIn, read_by_pipeline
from tests.fakes.sources import source_of
from tests.integration.conversion import documents


def converter(read: Callable[[Path], DoclingDocument] = read_by_pipeline) -> PdfConverter:
    return PdfConverter(pipeline=StandIn(read))


def test_a_document_of_the_pipeline_keeps_its_pages_and_version(tmp_path: Path) -> None:
    source = source_of(documents.article(tmp_path / "article.pdf"))
    result = converter().convert(source)
    assert {fragment.page for block in result.blocks for fragment in block.fragments} == set(
        range(1, result.page_count + 1)
    )
    assert {block.kind for block in result.blocks} == {BlockKind.PARAGRAPH}
    assert result.engine == "models-1"


@pytest.mark.parametrize("written", [documents.article, documents.book, documents.journal_page])
def test_one_docling_document_is_the_same_conversion_from_the_pipeline_and_from_the_rules(
    written: Callable[[Path], Path], tmp_path: Path
) -> None:
    source = source_of(written(tmp_path / "document.pdf"))
    by_rules = PdfConverter().convert(source)
    by_pipeline = converter(lambda path: read_pdf(path).document).convert(source)
    for part in ("plain_text", "blocks", "headings", "page_map", "page_labels", "embedded"):
        assert getattr(by_pipeline, part) == getattr(by_rules, part), part


def test_formulas_of_the_pipeline_are_doubted(tmp_path: Path) -> None:
    """Nobody compared them with the page."""
    source = """
    The mean of all that was measured in the lakes in these years of storms is the first of these.
    $ y = r^2 + x_1 $
    Of these sums the first was seen before in the lakes by those who went there in these years.
    """
    path = documents.typeset(source, tmp_path / "formula.pdf")
    result = converter(lambda path: read_pdf(path).document).convert(source_of(path))
    doubts = {block.kind: block.doubts for block in result.blocks}
    assert doubts == {BlockKind.PARAGRAPH: (), BlockKind.FORMULA: (Doubt.FORMULA,)}


def test_a_document_that_stopped_the_pipeline_is_read_by_rules(tmp_path: Path) -> None:
    source = source_of(documents.article(tmp_path / "article.pdf"))
    result = converter().convert(replace(source, plain_pages=PlainPages(first=1)))
    assert result.engine != "models-1"
    assert result.notes


def test_an_error_of_the_pipeline_is_that_of_the_document(tmp_path: Path) -> None:
    def broken(_path: Path) -> DoclingDocument:
        raise RuntimeError("no such layer")

    path = documents.article(tmp_path / "article.pdf")
    with pytest.raises(UnreadableDocument, match="no such layer"):
        converter(broken).convert(source_of(path))


def test_without_its_packages_and_weights_docling_is_refused_or_passed_over(tmp_path: Path) -> None:
    assert weights_for("rules", tmp_path) is None
    assert weights_for("auto", tmp_path) is None
    with pytest.raises(ConfigError, match="weights"):
        weights_for("docling", tmp_path)


def test_the_version_names_the_weights(tmp_path: Path) -> None:
    (tmp_path / "org--layout-heron").mkdir()
    assert "org--layout-heron" in layout_version(tmp_path)
