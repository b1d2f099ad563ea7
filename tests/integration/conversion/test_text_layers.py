"""Scans that bring a text of their own: words as PDFium has them, never code, and what is badly
read is doubted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from PIL import Image
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import ConverterOptions, SourceFile
from citeloom.domain.documents.conversion import BlockKind, ConversionResult, Doubt
from citeloom.domain.policies import OcrOptions
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from tests.fakes.ocr_engine import ScriptedOcr
from tests.integration.conversion.scanned import image_page

A4 = (595.0, 842.0)
INVISIBLE, FILLED = 3, 0
LEFT = (
    "The river carries barley past the old mill in spring,",
    "and the farmers of the valley count what is left of it",
    "before the rain comes down from the hills in autumn.",
    "Nobody has ever seen the men who take the rest away.",
    "They come at night with boats that make no sound at",
    "all, and they are gone when the first light comes up.",
)
RIGHT = (
    "Storms in winter break the wooden bridges of the town,",
    "so that the people build them again every second year.",
    "Masons repair the tower with stone that is brought in",
    "from a quarry on the other side of the eastern ridge.",
    "It is yellow and soft, and it does not last as long as",
    "the grey stone that their fathers used for the church.",
)
MISREAD = (
    "Thc river carries harley past tbe old mi1l in spring,",
    "ancl thc farmcrs of tlie valley count wliat is left of it",
    "hefore the rain comcs down frorn the hills in auturnn.",
    "Nohody has evcr seen tbe men wbo take thc rest avvay.",
    "Tliey come at night with hoats tliat make no sound at",
    "all, ancl they arc gone wben the fir^t light cornes up.",
)


def put(
    canvas: Canvas,
    text: str,
    left: float,
    top: float,
    *,
    font: str = "Helvetica",
    width: float = 0,
    size: float = 9,
) -> None:
    """A line of a text layer, as wide as the print."""
    line = canvas.beginText(left, A4[1] - top)
    line.setTextRenderMode(INVISIBLE)
    line.setFont(font, size)
    if width:
        line.setHorizScale(100 * width / pdfmetrics.stringWidth(text, font, size))
    line.textOut(text)
    canvas.drawText(line)


def convert(path: Path) -> ConversionResult:
    return PdfConverter().convert(SourceFile(path=path, doc_id="scan", content_hash=""))


def scanned(path: Path, lines: Sequence[str], *, font: str = "Courier") -> ConversionResult:
    """A page whose image is read as these lines, on each of which all letters are as wide."""

    def layer(canvas: Canvas) -> None:
        for number, line in enumerate([*lines, *lines]):
            put(canvas, line, 72, 90 + 12 * number, font=font)

    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    return convert(path)


def test_a_typewriters_font_makes_no_code_of_it(tmp_path: Path) -> None:
    result = scanned(tmp_path / "mono.pdf", LEFT)
    assert BlockKind.CODE not in {block.kind for block in result.blocks}
    assert " ".join(LEFT) in " ".join(result.plain_text.split())
    assert result.layer_pages == (1,)
    assert [block.doubts for block in result.blocks] == [()] * len(result.blocks)


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_words_that_stand_as_their_turned_image_are_read_upright(tmp_path: Path, turn: int) -> None:
    width, height = (A4[1], A4[0]) if turn % 180 else A4

    def layer(canvas: Canvas) -> None:
        canvas.translate(width if turn < 270 else 0, height if turn > 90 else 0)
        canvas.rotate(turn)
        for number, line in enumerate([*LEFT, *RIGHT]):
            put(canvas, line, 72, 90 + 12 * number)

    path = tmp_path / "turned.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), (width, height), layer))
    result = convert(path)
    assert " ".join(result.plain_text.split()) == " ".join([*LEFT, *RIGHT])
    assert {block.doubts for block in result.blocks} == {()}
    box = result.blocks[0].fragments[0].box
    assert box is not None
    beginning = {90: box.left, 180: height - box.bottom, 270: width - box.right}
    assert beginning[turn] == pytest.approx(80, abs=5)


def test_no_space_parts_the_letters_of_chinese_and_japanese(tmp_path: Path) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    result = scanned(
        tmp_path / "ja.pdf", ["川 の 流 れ は 早 い", "水 は 冷 た く 深 い"], font="HeiseiMin-W3"
    )
    assert "川の流れは早い" in result.plain_text
    assert "水は冷たく深い" in result.plain_text


def test_what_is_badly_read_is_doubted(tmp_path: Path) -> None:
    result = scanned(tmp_path / "misread.pdf", MISREAD)
    assert {block.doubts for block in result.blocks} == {(Doubt.SCAN,)}
    assert result.notes == ("page 1: text of an old scan, words look misread; see --ocr-again",)
    assert Doubt.SCAN.words == "text of an old scan: compare"


OFTEN_MISREAD = {"farmers": "fanncrs", "autumn.": "auunnn.", "eastern": "caslcm"}
LATIN = (
    "Gallia est omnis divisa in partes tres quarum",
    "unam incolunt Belgae aliam Aquitani tertiam qui",
    "ipsorum lingua Celtae nostra Galli appellantur.",
    "Hi omnes lingua institutis legibus inter se",
    "differunt. Gallos ab Aquitanis Garumna flumen a",
    "Belgis Matrona et Sequana dividit.",
)


def test_a_language_without_a_list_of_words_is_doubted_for_signs_alone(tmp_path: Path) -> None:
    read = scanned(tmp_path / "read.pdf", LATIN)
    assert not any(Doubt.SCAN in block.doubts for block in read.blocks)
    lines = [line.replace("lingua", "lin}ua") for line in LATIN]
    misread = scanned(tmp_path / "misread.pdf", lines)
    assert all(Doubt.SCAN in block.doubts for block in misread.blocks)


def test_a_word_misread_is_doubted_where_it_stands(tmp_path: Path) -> None:
    def layer(canvas: Canvas) -> None:
        for number, line in enumerate([*LEFT, *RIGHT, *LEFT]):
            text = line.replace("bridges of the", "bridges of tbe")
            put(canvas, text, 72, 90 + 12 * number + 24 * (number // 6))

    path = tmp_path / "word.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    result = convert(path)
    assert [block.doubts for block in result.blocks] == [(), (Doubt.SCAN,), ()]


@pytest.mark.parametrize(("read", "doubted"), [({}, []), (OFTEN_MISREAD, [0, 1, 2, 3])])
def test_where_many_words_are_in_no_list_every_passage_is_doubted(
    tmp_path: Path, read: Mapping[str, str], doubted: list[int]
) -> None:
    def layer(canvas: Canvas) -> None:
        for number, line in enumerate([*LEFT, *RIGHT, *LEFT, *RIGHT]):
            words = (read.get(word, word) if number < 12 else word for word in line.split())
            put(canvas, " ".join(words), 72, 90 + 12 * number + 24 * (number // 6))

    path = tmp_path / "often.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    blocks = convert(path).blocks
    assert [at for at, block in enumerate(blocks) if block.doubts == (Doubt.SCAN,)] == doubted
    assert len(blocks) == 4


@pytest.mark.parametrize("rise", [0.0, 0.03])
def test_a_running_head_beside_its_page_number_is_no_text(tmp_path: Path, rise: float) -> None:
    def layer(canvas: Canvas) -> None:
        put(canvas, "52", 72, 50 - rise * 72)
        for number, line in enumerate(["", "", "", *LEFT * 2]):
            left = 72.0 if line else 320.0
            for word in (line or ("THE HISTORY OF THE VALLEY", "")[number > 0]).split():
                put(canvas, word, left, (90 + 12 * (number - 3) if line else 50) - rise * left)
                left += 2.5 + pdfmetrics.stringWidth(word, "Helvetica", 9)

    path = tmp_path / "head.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    assert convert(path).plain_text.startswith("The river carries")


def test_a_line_in_the_middle_between_paragraphs_is_a_heading(tmp_path: Path) -> None:
    def layer(canvas: Canvas) -> None:
        for number, line in enumerate([*LEFT, *RIGHT]):
            put(canvas, line, 72, 90 + 12 * number + 40 * (number // 6), width=230)
        put(canvas, "Of the Bridges", 157, 180, width=60)

    path = tmp_path / "centred.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    assert [heading.title for heading in convert(path).headings] == ["Of the Bridges"]


def test_a_formula_in_the_middle_is_no_heading(tmp_path: Path) -> None:
    def layer(canvas: Canvas) -> None:
        for number, line in enumerate([*LEFT, *RIGHT]):
            put(canvas, line, 72, 90 + 12 * number + 40 * (number // 6), width=230)
        put(canvas, "Pines figg 0% qr )dq", 157, 180, width=60)

    path = tmp_path / "formula.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    assert convert(path).headings == ()


@pytest.mark.parametrize(
    ("below", "found"), [(0, ["Of the Bridges"]), (60, [])], ids=["at its text", "far from it"]
)
def test_a_line_at_the_left_with_space_above_is_a_heading_of_the_text_right_below(
    tmp_path: Path, below: float, found: list[str]
) -> None:
    def layer(canvas: Canvas) -> None:
        for number, line in enumerate([*LEFT, *RIGHT]):
            put(canvas, line, 72, 90 + 12 * number + (40 + below) * (number // 6), width=230)
        put(canvas, "Of the Bridges", 72, 183, width=60)

    path = tmp_path / "left.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    assert [heading.title for heading in convert(path).headings] == found


NUMBERED = ("1. The river.", "2. Of bridges", "3. Towers")


@pytest.mark.parametrize("below", [12, 24])
@pytest.mark.parametrize(
    ("titles", "found"), [(NUMBERED, NUMBERED), (("7. Barley", "12. Oats", "19. Rye"), ())]
)
def test_lines_that_are_numbered_through_are_headings(
    tmp_path: Path, titles: Sequence[str], found: Sequence[str], below: int
) -> None:
    def layer(canvas: Canvas) -> None:
        for part, title in enumerate(titles):
            put(canvas, title, 72, 90 + 110 * part)
            for number, line in enumerate(RIGHT if part % 2 else LEFT):
                put(canvas, line, 72, 90 + below + 110 * part + 12 * number, width=230)

    path = tmp_path / "numbered.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    assert [heading.title for heading in convert(path).headings] == [*found]


def test_numbered_lines_without_text_between_them_are_no_headings(tmp_path: Path) -> None:
    result = scanned(tmp_path / "list.pdf", [*NUMBERED, *LEFT])
    assert result.headings == ()


@pytest.mark.parametrize(
    ("ends", "is_text"), [((12, 3, 40, 7, 22, 5), True), ((3, 5, 7, 12, 22, 40), False)]
)
def test_a_dotted_table_is_no_list_of_contents(
    tmp_path: Path, ends: Sequence[int], is_text: bool
) -> None:
    def layer(canvas: Canvas) -> None:
        for number, (crop, end) in enumerate(zip(RIGHT, ends)):
            put(canvas, f"{crop[:20]} . . . . . . . . . . . . . {end}", 72, 90 + 14 * number)
        for number, line in enumerate(LEFT):
            put(canvas, line, 72, 220 + 12 * number)

    path = tmp_path / "dotted.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    assert (RIGHT[0][:20] in " ".join(convert(path).plain_text.split())) is is_text


def test_sizes_that_vary_from_line_to_line_part_no_paragraph(tmp_path: Path) -> None:
    def layer(canvas: Canvas) -> None:
        for number, line in enumerate([*LEFT, *RIGHT]):
            size = (9, 8, 10, 9, 8, 9)[number % 6]
            put(canvas, line, 72, 90 + 12 * number, size=size, width=230)

    path = tmp_path / "sizes.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    result = convert(path)
    assert [" ".join(result.text_of(block).split()) for block in result.blocks] == [
        " ".join([*LEFT, *RIGHT])
    ]


def test_a_word_parted_at_the_end_of_a_line_is_one(tmp_path: Path) -> None:
    def layer(canvas: Canvas) -> None:
        put(canvas, "The river carries barley past the old wind-", 72, 90, size=11)
        put(canvas, "mill in spring,", 72, 98, size=11)
        for number, line in enumerate(LEFT[1:]):
            put(canvas, line, 72, 106 + 8 * number, size=11)

    path = tmp_path / "hyphen.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    assert "old windmill in spring, and the farmers" in " ".join(convert(path).plain_text.split())


def test_a_word_parted_at_the_end_of_a_column_goes_on_in_the_next(tmp_path: Path) -> None:
    right = ("mill before the storms.", *RIGHT)

    def layer(canvas: Canvas) -> None:
        for left, lines in ((60, [*LEFT, "They carry it past the old wind-"]), (310, right)):
            for number, text in enumerate(lines):
                put(canvas, text, left, 90 + 12 * number)

    path = tmp_path / "column.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    result = convert(path)
    assert "past the old windmill before the storms. Storms" in " ".join(result.plain_text.split())
    boxes = [part.box for block in result.blocks for part in block.fragments if part.box]
    assert all(box.right - box.left < 300 for box in boxes)


def test_print_that_is_seen_over_an_image_is_no_layer(tmp_path: Path) -> None:
    def text(canvas: Canvas) -> None:
        for number, line in enumerate(MISREAD):
            canvas.drawString(72, 700 - 14 * number, line)

    path = tmp_path / "slide.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, text))
    result = convert(path)
    assert result.layer_pages == ()
    assert Doubt.SCAN not in {doubt for block in result.blocks for doubt in block.doubts}


def test_text_below_the_image_is_a_layer(tmp_path: Path) -> None:
    path = tmp_path / "below.pdf"
    canvas = Canvas(str(path), pagesize=A4)
    for number, line in enumerate(LEFT * 2):
        canvas.drawString(72, 700 - 14 * number, line)
    canvas.drawInlineImage(Image.linear_gradient("L").convert("RGB"), 0, 0, *A4)
    canvas.save()
    assert convert(path).layer_pages == (1,)


def test_columns_that_were_read_row_by_row_are_parted(tmp_path: Path) -> None:
    def layer(canvas: Canvas) -> None:
        for number, pair in enumerate(zip(LEFT * 2, RIGHT * 2)):
            for text, left in zip(pair, (60, 310)):
                put(canvas, text, left, 90 + 12 * number, width=230)

    path = tmp_path / "columns.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    text = " ".join(convert(path).plain_text.split())
    assert " ".join(LEFT) in text
    assert " ".join(RIGHT) in text


def test_words_that_fall_short_of_their_place_stay_in_their_line(tmp_path: Path) -> None:
    def layer(canvas: Canvas) -> None:
        for number, text in enumerate(LEFT * 2):
            left = 60.0
            for word in text.split():
                put(canvas, word, left, 90 + 16 * number)
                left += 13.0 + number % 4 + pdfmetrics.stringWidth(word, "Helvetica", 9)

    path = tmp_path / "short.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    assert " ".join(LEFT) in " ".join(convert(path).plain_text.split())


@pytest.mark.parametrize("rise", [0.0, 0.02])
def test_words_stretched_with_the_space_behind_them_make_no_table(
    tmp_path: Path, rise: float
) -> None:
    def layer(canvas: Canvas) -> None:
        put(canvas, "Table 1. What is left of the barley.", 72, 80 - rise * 72)
        for number, text in enumerate(LEFT * 2):
            left = 72.0
            for word in text.split():
                width = pdfmetrics.stringWidth(word, "Courier", 9)
                put(canvas, f"{word} ", left, 100 + 14 * number - rise * left, width=width)
                left += width + 3

    path = tmp_path / "stretched.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    result = convert(path)
    assert BlockKind.TABLE not in {block.kind for block in result.blocks}
    assert " ".join(LEFT) in " ".join(result.plain_text.split())


@pytest.mark.parametrize("rise", [-0.02, 0.02])
def test_a_tilted_page_is_straightened(tmp_path: Path, rise: float) -> None:
    def layer(canvas: Canvas) -> None:
        for column, lines in ((60.0, LEFT), (310.0, RIGHT)):
            for number, text in enumerate(lines):
                left = column
                for word in text.split():
                    put(canvas, word, left, 90 + 12 * number - rise * left)
                    left += 2.5 + pdfmetrics.stringWidth(word, "Helvetica", 9)

    path = tmp_path / "tilted.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4, layer))
    text = " ".join(convert(path).plain_text.split())
    assert " ".join(LEFT) in text
    assert " ".join(RIGHT) in text


@pytest.mark.parametrize(
    ("layer", "second", "kept", "pages"),
    [
        (MISREAD, LEFT, "The river carries barley", {1: 0.9}),
        (LEFT, MISREAD, "The river carries barley", {}),
        (MISREAD, LEFT[:1], "Thc river carries harley", {}),
    ],
    ids=["better", "worse", "less"],
)
def test_a_layer_that_is_read_again_is_kept_unless_that_is_better(
    tmp_path: Path,
    layer: Sequence[str],
    second: Sequence[str],
    kept: str,
    pages: dict[int, float],
) -> None:
    path = tmp_path / "again.pdf"
    scanned(path, layer)
    source = SourceFile(path=path, doc_id="scan", content_hash="", ocr=OcrOptions(again=True))
    engine = ScriptedOcr(*second, *second[1:], *second[1:])
    result = PdfConverter(ConverterOptions(engines=(engine,))).convert(source)
    assert kept in result.plain_text
    assert (dict(result.ocr_pages), result.layer_pages) == (pages, (1,))
    assert result.ocr_engine == "scripted-ocr-1"
    doubted = {doubt for block in result.blocks for doubt in block.doubts}
    assert (Doubt.SCAN in doubted) == (kept not in LEFT[0])


def test_what_ocr_is_unsure_of_is_doubted(tmp_path: Path) -> None:
    path = tmp_path / "image.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4))
    source = SourceFile(path=path, doc_id="scan", content_hash="", ocr=OcrOptions())
    for confidence, doubts in ((0.7, {(Doubt.OCR,)}), (0.9, {()})):
        engine = ScriptedOcr(*LEFT, confidence=confidence)
        result = PdfConverter(ConverterOptions(engines=(engine,))).convert(source)
        assert {block.doubts for block in result.blocks} == doubts


def test_a_bullet_that_was_read_as_the_sign_of_cents_is_one(tmp_path: Path) -> None:
    lines = [f"¢ {LEFT[0]}", *LEFT[1:3], f"¢ {RIGHT[0]}", *RIGHT[1:3]]
    result = scanned(tmp_path / "bullets.pdf", lines)
    assert result.plain_text.count("\u2022 ") == 4
    path = tmp_path / "image.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4))
    source = SourceFile(path=path, doc_id="scan", content_hash="", ocr=OcrOptions())
    engine = ScriptedOcr(*lines, "It costs 5 ¢ more.", confidence=0.95)
    result = PdfConverter(ConverterOptions(engines=(engine,))).convert(source)
    assert (result.plain_text.count("\u2022 "), result.plain_text.count("¢")) == (2, 1)


@pytest.mark.parametrize(
    ("second", "are_bullets"),
    [("the way e in it goes", True), ("he e she e it e we e they e", False)],
)
def test_an_e_that_begins_more_lines_than_it_stands_within_is_a_bullet(
    tmp_path: Path, second: str, *, are_bullets: bool
) -> None:
    lines = [f"e {LEFT[0]}", *LEFT[1:3], f"e {RIGHT[0]}", RIGHT[1], second, f"e {LEFT[3]}", "e yes"]
    text = scanned(tmp_path / "bullets.pdf", lines).plain_text
    assert ("\u2022 " in text) == are_bullets


@pytest.mark.parametrize("read", ["autumn.!", "autũmn.", "autunn."])
def test_a_stray_sign_or_a_word_that_ocr_misread_is_doubted_though_it_was_sure(
    tmp_path: Path, read: str
) -> None:
    path = tmp_path / "image.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4))
    source = SourceFile(path=path, doc_id="scan", content_hash="", ocr=OcrOptions())
    lines = [line.replace("autumn.", read) for line in LEFT]
    engine = ScriptedOcr(*lines, confidence=0.95)
    result = PdfConverter(ConverterOptions(engines=(engine,))).convert(source)
    assert {block.doubts for block in result.blocks} == {(Doubt.OCR,)}
