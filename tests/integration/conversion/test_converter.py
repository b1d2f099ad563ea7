"""Conversion of small PDFs whose structure is known."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Set
from pathlib import Path

import pytest

from citeloom.application.limits import DocumentLimits
from citeloom.application.ports.conversion import ConverterOptions, SourceFile
from citeloom.application.ports.runtime import PageBegun
from citeloom.domain.documents.conversion import Block, BlockKind, ConversionResult
from citeloom.domain.errors import EmptyDocument, EncryptedDocument, UnreadableDocument
from citeloom.domain.policies import OcrOptions
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom_pdf import scans
from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.elements.block import PageLayout
from citeloom_pdf.elements.page import PageContent
from tests.integration.conversion import documents


def convert(path: Path, page_window: int = 25) -> ConversionResult:
    return PdfConverter(ConverterOptions(limits=DocumentLimits(page_window=page_window))).convert(
        SourceFile(path=path, doc_id="doc", content_hash="")
    )


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> ConversionResult:
    return convert(documents.article(tmp_path_factory.mktemp("article") / "article.pdf"))


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> ConversionResult:
    return convert(documents.book(tmp_path_factory.mktemp("book") / "book.pdf"))


def texts(result: ConversionResult, kind: BlockKind) -> list[str]:
    return [result.text_of(block) for block in result.blocks if block.kind is kind]


def block_with(result: ConversionResult, text: str) -> Block:
    return next(block for block in result.blocks if text in result.text_of(block))


def test_headings_carry_levels_and_parents_from_their_numbers(article: ConversionResult) -> None:
    assert [(heading.level, heading.title) for heading in article.headings] == [
        (1, "1 Introduction"),
        (1, "2 Methods"),
        (2, "2.1 Flume"),
        (2, "2.2 Field sites"),
        (1, "3 Results"),
        (1, "4 References"),
    ]
    assert article.section_path(3) == ("2 Methods", "2.2 Field sites")


def test_the_title_is_no_heading(article: ConversionResult) -> None:
    assert texts(article, BlockKind.TITLE) == ["Thresholds of Motion in Mixed Gravel"]


def test_a_heading_block_names_its_own_section(article: ConversionResult) -> None:
    for block in article.blocks:
        if block.kind is BlockKind.HEADING:
            assert block.section is not None
            heading = article.headings[block.section]
            assert (heading.title, heading.start) == (article.text_of(block), block.start)


def test_running_heads_and_page_numbers_are_left_out(article: ConversionResult) -> None:
    assert "Journal of River Studies" not in article.plain_text
    assert not re.search(r"\d+ / \d+", article.plain_text)


def test_columns_are_read_one_after_the_other(article: ConversionResult) -> None:
    plain = " ".join(article.plain_text.split())
    assert plain.count(documents.WORDS.strip()) >= 20


def test_a_paragraph_over_a_break_is_one_block_with_exact_fragments(
    article: ConversionResult,
) -> None:
    broken = [block for block in article.blocks if len(block.fragments) > 1]
    assert any(len({fragment.page for fragment in block.fragments}) == 2 for block in broken)
    for block in broken:
        for fragment in block.fragments[:-1]:
            assert article.plain_text[fragment.end - 1] == " "


def test_words_parted_at_line_ends_are_whole_and_compounds_keep_their_hyphen(
    article: ConversionResult,
) -> None:
    assert not re.search(r"[a-z]- [a-z]", article.plain_text)
    assert "well-known threshold" in article.plain_text


def test_a_table_is_rows_of_cells_right_behind_its_caption(article: ConversionResult) -> None:
    index = next(i for i, b in enumerate(article.blocks) if b.kind is BlockKind.TABLE)
    assert article.text_of(article.blocks[index]).splitlines() == [
        "Run | Slope | Stress",
        "A | 0.002 | 1.7",
        "B | 0.004 | 3.1",
        "C | 0.008 | 5.9",
    ]
    caption = article.blocks[index - 1]
    assert caption.kind is BlockKind.CAPTION
    assert article.text_of(caption) == "Table 1: Slopes and shear stresses of the three runs."


def test_footnotes_lists_and_listings_have_their_kinds(article: ConversionResult) -> None:
    assert any("sieved out" in text for text in texts(article, BlockKind.FOOTNOTE))
    assert [text.lstrip("•‣ ") for text in texts(article, BlockKind.LIST_ITEM)] == [
        "small grains hide behind large ones",
        "large grains stand out into the flow",
    ]
    assert texts(article, BlockKind.CODE) == [
        "def shields(stress, density, size):\n    return stress / (density * size)"
    ]


def test_a_footnote_does_not_part_its_paragraph(article: ConversionResult) -> None:
    paragraph = article.text_of(block_with(article, "reached first by the fines"))
    assert "Sediment moves downstream" in paragraph
    assert "sieved" not in paragraph


def test_levels_follow_the_outline(book: ConversionResult) -> None:
    assert [(heading.level, heading.title) for heading in book.headings] == [
        (1, "Preface"),
        (1, "Water"),
        (2, "Rain"),
        (3, "Drops"),
        (1, "Stone"),
    ]
    assert book.section_path(3) == ("Water", "Rain", "Drops")


def test_page_labels_are_those_the_document_declares(
    book: ConversionResult, article: ConversionResult
) -> None:
    assert [book.page_labels[page] for page in (1, 2, 3, 4)] == ["i", "ii", "1", "2"]
    assert book.headings[1].page == 3


def test_each_character_of_a_block_is_on_the_page_it_says(book: ConversionResult) -> None:
    for page, (start, end) in book.page_map.items():
        spans = [f for b in book.blocks for f in b.fragments if f.page == page]
        assert (min(f.start for f in spans), max(f.end for f in spans)) == (start, end)


def test_embedded_metadata_is_read(article: ConversionResult) -> None:
    assert article.embedded.title == "Thresholds of Motion in Mixed Gravel"
    assert article.embedded.author == "Ada Brook"
    assert "Journal of River Studies" in article.embedded.front_text


@pytest.mark.parametrize("window", [1, 2, 100])
def test_the_window_does_not_show_in_the_result(
    window: int, tmp_path: Path, book: ConversionResult
) -> None:
    path = documents.book(tmp_path / "book.pdf")
    assert convert(path, page_window=window).plain_text == book.plain_text


def test_a_side_bar_is_left_out(tmp_path: Path) -> None:
    result = convert(documents.journal_page(tmp_path / "journal.pdf"))
    assert "Archive" not in result.plain_text
    assert "Journal of Rivers" not in result.plain_text
    assert [heading.title for heading in result.headings] == [
        "Summary",
        "Statement of need",
        "Acknowledgements",
    ]
    assert "10.5555/example.1" in result.embedded.front_text


def test_a_table_in_a_grid_of_rules(tmp_path: Path) -> None:
    result = convert(documents.ruled_table(tmp_path / "table.pdf"))
    assert texts(result, BlockKind.TABLE) == [
        "Site | Median | Largest\nUpper | 32 mm | 118 mm\nLower | 11 mm | 45 mm"
    ]
    kinds = [block.kind for block in result.blocks]
    assert kinds[kinds.index(BlockKind.TABLE) - 1] is BlockKind.CAPTION


def test_a_plot_whose_marks_are_characters_is_left_out_with_its_numbers(tmp_path: Path) -> None:
    result = convert(documents.plot_of_characters(tmp_path / "plot.pdf"))
    prose, caption = map(result.text_of, result.blocks)
    assert prose.startswith("A river carries gravel")
    assert caption == "Figure 1: Gravel carried at each slope of the flume."


def test_a_listing_set_letter_by_letter_has_its_words_and_lines(tmp_path: Path) -> None:
    result = convert(documents.letter_spaced_listing(tmp_path / "listing.pdf"))
    assert texts(result, BlockKind.CODE) == ["\n".join(documents.LISTING)]
    assert not texts(result, BlockKind.TABLE)


def test_every_page_is_announced_in_order(tmp_path: Path) -> None:
    events: list[object] = []
    path = documents.journal_page(tmp_path / "journal.pdf")
    PdfConverter(ConverterOptions(limits=DocumentLimits(page_window=2))).convert(
        SourceFile(path=path, doc_id="doc", content_hash=""), events.append
    )
    before = [PageBegun(1), PageBegun(0)]  # the page that shows that the file has text
    assert events == [*before, *map(PageBegun, (1, 2, 3, 0))]


def test_a_document_without_text_is_empty(tmp_path: Path) -> None:
    path = documents.without_text(tmp_path / "drawing.pdf")
    with pytest.raises(EmptyDocument, match="has no text: 2 pages, blank or drawn"):
        convert(path)
    source = SourceFile(path=path, doc_id="doc", content_hash="", ocr=OcrOptions())
    with pytest.raises(EmptyDocument, match="no text on any of its 2 pages"):
        PdfConverter().convert(source)


def test_what_is_no_pdf_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "note.pdf"
    path.write_text("a note")
    with pytest.raises(UnreadableDocument, match=r"note\.pdf"):
        convert(path)


def test_a_password_is_named_as_the_reason(tmp_path: Path) -> None:
    from reportlab.lib.pdfencrypt import StandardEncryption  # noqa: PLC0415
    from reportlab.pdfgen.canvas import Canvas  # noqa: PLC0415

    path = tmp_path / "locked.pdf"
    canvas = Canvas(str(path), encrypt=StandardEncryption("secret"))
    canvas.drawString(72, 720, "hidden")
    canvas.save()
    with pytest.raises(EncryptedDocument):
        convert(path)


def test_the_version_is_told_without_importing_docling() -> None:
    script = (
        "import sys;"
        "from citeloom.infrastructure.conversion.versions import converter_version;"
        "print(converter_version()); assert not {'docling', 'docling_parse'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("docling-")


def test_conversion_needs_no_torch_and_is_silent(tmp_path: Path) -> None:
    path = documents.ruled_table(tmp_path / "table.pdf")
    script = (
        "import sys; from pathlib import Path;"
        "from citeloom.application.ports.conversion import SourceFile;"
        "from citeloom.infrastructure.conversion.pdf.converter import PdfConverter;"
        f"source = SourceFile(path=Path({str(path)!r}), doc_id='doc', content_hash='');"
        "PdfConverter().convert(source);"
        "assert not {'torch', 'transformers', 'huggingface_hub'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_pages_that_are_counted_but_missing_do_not_lose_the_others(tmp_path: Path) -> None:
    path = documents.ruled_table(tmp_path / "table.pdf")
    content = path.read_bytes()
    assert content.count(b"/Count 1") == 1
    path.write_bytes(content.replace(b"/Count 1", b"/Count 3"))
    assert "A river carries gravel" in convert(path).plain_text


def test_a_page_that_cannot_be_laid_out_is_read_as_text_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = documents.journal_page(tmp_path / "journal.pdf")

    def failing(page: PageContent, titles: Set[str]) -> PageLayout:
        if page.number == 2:
            raise IndexError("no such glyph")
        return lay_out(page, titles)

    monkeypatch.setattr(scans, "lay_out", failing)
    result = convert(path)
    assert result.page_failures == ()
    assert [note.split(" could")[0] for note in result.notes] == ["page 2"]
    assert {fragment.page for block in result.blocks for fragment in block.fragments} == set(
        range(1, result.page_count + 1)
    )
