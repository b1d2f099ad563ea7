"""Pages that are images: those, and no others, are read, and their text stands where it is."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import (
    ConverterOptions,
    OcrEngine,
    OcrFailure,
    OcrLine,
    PageImage,
    SourceFile,
)
from citeloom.domain.documents.conversion import BlockKind, Box, ConversionResult, Doubt
from citeloom.domain.errors import EmptyDocument
from citeloom.domain.policies import OcrOptions
from citeloom.infrastructure.conversion.ocr.tesseract import TesseractEngine
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from tests.fakes.ocr_engine import ScriptedOcr
from tests.integration.conversion import documents
from tests.integration.conversion.scanned import image_page, scan

TOLD = (
    "The river carries gravel to the plain every spring, and",
    "the plain keeps it for a hundred years of sedimenta-",
    "tion before the next flood takes it away to the sea.",
)
WHOLE = (
    "The river carries gravel to the plain every spring, and the plain keeps it for a hundred "
    "years of sedimentation before the next flood takes it away to the sea."
)
A4 = (595.0, 842.0)


class Watched(ScriptedOcr):
    """Remembers the images it was shown."""

    def __init__(self, *lines: str) -> None:
        super().__init__(*lines)
        self.seen: list[PageImage] = []

    def read(self, image: PageImage, languages: tuple[str, ...]) -> tuple[OcrLine, ...]:
        self.seen.append(image)
        return super().read(image, languages)


class Unsure(ScriptedOcr):
    """Is unsure of some words."""

    def __init__(self, *lines: str, words: tuple[str, ...]) -> None:
        super().__init__(*lines)
        self._words = words

    def read(self, image: PageImage, languages: tuple[str, ...]) -> tuple[OcrLine, ...]:
        lines = super().read(image, languages)
        return tuple(
            replace(line, unsure=tuple(word for word in self._words if word in line.text))
            for line in lines
        )


def convert(
    path: Path, *engines: OcrEngine, languages: tuple[str, ...] = ("en", "de")
) -> ConversionResult:
    source = SourceFile(
        path=path, doc_id="doc", content_hash="", ocr=OcrOptions(languages=languages)
    )
    return PdfConverter(ConverterOptions(engines=engines)).convert(source)


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return documents.typeset(documents.ARTICLE, tmp_path_factory.mktemp("scans") / "article.pdf")


class ReadsUpright(ScriptedOcr):
    """Is sure of what it reads where the image has its black corner at the top left."""

    def read(self, image: PageImage, languages: tuple[str, ...]) -> tuple[OcrLine, ...]:
        confidence = 0.4 if image.pixels[20 * image.width + 20] else 0.97
        lines = super().read(image, languages)
        return tuple(replace(line, confidence=confidence) for line in lines)


def laid(path: Path, quarters: int) -> Path:
    """A page with lines below a black corner, scanned after so many quarters to the left."""
    picture = Image.new("L", (595, 842), 255)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, 40, 40), fill=0)
    for number, line in enumerate(TOLD * 8):
        draw.text((90, 120 + 25 * number), line, fill=0, font=ImageFont.load_default(15))
    turned = picture.rotate(90 * quarters, expand=True)
    path.write_bytes(image_page(turned, (float(turned.width), float(turned.height))))
    return path


def noise(path: Path, over: str = "") -> Path:
    """A page of grey that is no text, with some text printed over it."""

    def stamp(canvas: Canvas) -> None:
        for number, line in enumerate(over.split("\n")):
            canvas.drawString(72, 700 - 14 * number, line)

    grey = Image.linear_gradient("L").resize((600, 850))
    path.write_bytes(image_page(grey, A4, stamp))
    return path


class TestWhichPagesAreRead:
    def test_an_image_among_pages_of_text(self, article: Path, tmp_path: Path) -> None:
        before = PdfConverter().convert(SourceFile(path=article, doc_id="doc", content_hash=""))
        path = scan(article, tmp_path / "hybrid.pdf", pages=frozenset({2}))
        engine = Watched(*TOLD)
        result = convert(path, engine)
        assert len(engine.seen) == 1
        assert result.ocr_pages == {2: 0.9}
        assert (result.ocr_engine, result.ocr_languages) == ("scripted-ocr-1", ("en", "de"))
        assert WHOLE in result.plain_text
        assert boxes_of(result, "1 Introduction") == boxes_of(before, "1 Introduction") != []
        start, end = before.page_map[1]
        assert before.plain_text[start:end][:400] in result.plain_text
        assert result.page_failures == ()

    def test_none_of_a_document_of_text(self, article: Path) -> None:
        engine = Watched(*TOLD)
        result = convert(article, engine)
        assert (engine.seen, dict(result.ocr_pages)) == ([], {})
        assert (result.ocr_engine, result.ocr_languages) == ("", ())

    def test_a_stamp_does_not_hide_the_scan_and_stays(self, tmp_path: Path) -> None:
        path = noise(tmp_path / "stamped.pdf", "Downloaded from a library on 3 May 2019")
        text = convert(path, ScriptedOcr(*TOLD)).plain_text
        assert WHOLE in text
        assert "Downloaded from a library on 3 May 2019" in text

    def test_a_text_layer_that_says_nothing_is_replaced(self, tmp_path: Path) -> None:
        rubbish = "\n".join(["~ % ; . : , ' ^ | _ # = + * ! ? / < >" for _ in range(30)])
        text = convert(noise(tmp_path / "rubbish.pdf", rubbish), ScriptedOcr(*TOLD)).plain_text
        assert WHOLE in text
        assert "~ %" not in text

    def test_a_text_layer_that_says_something_is_kept(self, tmp_path: Path) -> None:
        words = "\n".join([f"Sediment of reach {n} moves downstream in spring." for n in range(20)])
        engine = Watched(*TOLD)
        assert "reach 7 moves" in convert(noise(tmp_path / "text.pdf", words), engine).plain_text
        assert engine.seen == []

    def test_what_the_text_layer_has_is_not_said_twice(self, tmp_path: Path) -> None:
        def stamp(canvas: Canvas) -> None:
            canvas.setFont("Helvetica", 12)
            canvas.drawString(24, 842 - 34, "The very first line of all of them is text")

        path = tmp_path / "both.pdf"
        path.write_bytes(image_page(Image.linear_gradient("L"), A4, stamp))
        text = convert(path, ScriptedOcr("tbe fery firft line", *TOLD)).plain_text
        assert "very first line" in text
        assert "firft" not in text


class TestWhatBecomesOfTheText:
    def test_it_stands_where_it_stood(self, tmp_path: Path) -> None:
        result = convert(noise(tmp_path / "scan.pdf"), ScriptedOcr(*TOLD))
        (box,) = boxes_of(result, WHOLE)
        scale = 72 / 300
        assert result.page_map.keys() == {1}
        assert box.left == pytest.approx(100 * scale, abs=1)
        assert box.top == pytest.approx(100 * scale, abs=1)
        assert box.bottom == pytest.approx(265 * scale, abs=1)

    def test_a_page_on_its_side_is_read_as_it_is_shown(self, tmp_path: Path) -> None:
        document = pdfium.PdfDocument(laid(tmp_path / "laid.pdf", 1))
        document[0].set_rotation(90)
        document.save(tmp_path / "turned.pdf")
        engine = Watched(*TOLD)
        result = convert(tmp_path / "turned.pdf", engine)
        (image,) = engine.seen
        assert image.width < image.height
        (box,) = boxes_of(result, WHOLE)
        assert box.left == pytest.approx(24, abs=1)
        assert box.top == pytest.approx(24, abs=1)

    @pytest.mark.parametrize(
        ("quarters", "place"),
        [
            (0, (24, 24, 288, 64)),
            (1, (24, 307, 64, 571)),
            (2, (307, 778, 571, 818)),
            (3, (778, 24, 818, 288)),
        ],
    )
    def test_a_page_that_was_scanned_turned_is_read_upright_and_stands_where_it_is(
        self, tmp_path: Path, quarters: int, place: tuple[float, ...]
    ) -> None:
        result = convert(laid(tmp_path / "laid.pdf", quarters), ReadsUpright(*TOLD))
        assert result.ocr_pages == {1: 0.97}
        (box,) = boxes_of(result, WHOLE)
        assert (box.left, box.top, box.right, box.bottom) == pytest.approx(place, abs=1)

    def test_it_is_what_references_are_recognised_by(self, tmp_path: Path) -> None:
        engine = ScriptedOcr("Thresholds of Motion", "doi: 10.1234/gravel.7")
        front = convert(noise(tmp_path / "scan.pdf"), engine).embedded.front_text
        assert "doi: 10.1234/gravel.7" in front

    def test_sizes_that_differ_by_a_hair_part_no_paragraph_and_large_type_does(
        self, tmp_path: Path
    ) -> None:
        class Uneven(ScriptedOcr):
            def read(self, image: PageImage, languages: tuple[str, ...]) -> tuple[OcrLine, ...]:
                sizes = (17.0, 9.7, 10.0, 10.4)
                lines = super().read(image, languages)
                return tuple(replace(line, size=size) for line, size in zip(lines, sizes))

        title, body = convert(noise(tmp_path / "scan.pdf"), Uneven("Gravel", *TOLD)).blocks
        assert title.kind is BlockKind.TITLE
        assert body.kind is BlockKind.PARAGRAPH


class TestWhatIsNotRead:
    def test_an_image_while_reading_is_off(self, article: Path, tmp_path: Path) -> None:
        path = scan(article, tmp_path / "hybrid.pdf", pages=frozenset({1}))
        result = PdfConverter(ConverterOptions(engines=(ScriptedOcr(*TOLD),))).convert(
            SourceFile(path=path, doc_id="doc", content_hash="")
        )
        (failure,) = result.page_failures
        assert (failure.page, dict(result.ocr_pages)) == (1, {})
        assert failure.reason == "the page is an image, and OCR is off"

    def test_an_image_in_a_language_nobody_reads(self, article: Path, tmp_path: Path) -> None:
        path = scan(article, tmp_path / "hybrid.pdf", pages=frozenset({1}))
        (failure,) = convert(path, ScriptedOcr(*TOLD), languages=("ru",)).page_failures
        assert failure.reason == "the page is an image, and no installed OCR engine reads ru"
        with pytest.raises(EmptyDocument) as caught:
            convert(noise(tmp_path / "scan.pdf"), ScriptedOcr(*TOLD), languages=("ru",))
        assert "install Tesseract" in caught.value.hint

    def test_an_image_in_which_there_is_nothing(self, article: Path, tmp_path: Path) -> None:
        path = scan(article, tmp_path / "hybrid.pdf", pages=frozenset({2}))
        (failure,) = convert(path, ScriptedOcr()).page_failures
        assert failure.reason == "OCR found no text in the page's image"
        with pytest.raises(EmptyDocument) as caught:
            convert(noise(tmp_path / "scan.pdf"), ScriptedOcr())
        assert "better scan" in caught.value.hint

    def test_an_engine_that_fails_loses_its_page_only(self, article: Path, tmp_path: Path) -> None:
        class Broken(ScriptedOcr):
            def read(self, image: PageImage, languages: tuple[str, ...]) -> tuple[OcrLine, ...]:
                raise OcrFailure("the engine has no more ink")

        path = scan(article, tmp_path / "hybrid.pdf", pages=frozenset({2}))
        result = convert(path, Broken())
        assert [(failure.page, failure.reason) for failure in result.page_failures] == [
            (2, "the page could not be read: the engine has no more ink")
        ]
        assert result.page_map.keys() >= {1}
        both = noise(tmp_path / "stamped.pdf", "Downloaded from a library on 3 May 2019")
        kept = convert(both, Broken())
        assert kept.plain_text == "Downloaded from a library on 3 May 2019"
        assert [failure.reason for failure in kept.page_failures] == [
            "its image could not be read, its text is kept: the engine has no more ink"
        ]


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
@pytest.mark.slow
def test_a_scan_askew_reads_as_the_text_it_was_made_from(article: Path, tmp_path: Path) -> None:
    printed = PdfConverter().convert(SourceFile(path=article, doc_id="doc", content_hash=""))
    read = convert(scan(article, tmp_path / "scan.pdf", dpi=200, skew=1.5), TesseractEngine())
    words, seen = (set(r.plain_text.split()) for r in (printed, read))
    assert len(words & seen) > 0.9 * len(words)
    assert [h.title for h in read.headings][:2] == [h.title for h in printed.headings][:2]
    assert read.ocr_pages.keys() == set(range(1, read.page_count + 1))
    assert all(confidence > 0.8 for confidence in read.ocr_pages.values())
    (before,), (after,) = (boxes_of(result, "1 Introduction") for result in (printed, read))
    assert after.left == pytest.approx(before.left, abs=12)
    assert after.top == pytest.approx(before.top, abs=12)


def boxes_of(result: ConversionResult, text: str) -> list[Box]:
    found = (b.fragments[0].box for b in result.blocks if result.text_of(b).startswith(text))
    return [box for box in found if box is not None]


@pytest.mark.parametrize(("word", "doubts"), [("sedimenta-", (Doubt.OCR,)), ("every", ())])
def test_a_passage_with_an_unknown_word_that_the_engine_is_unsure_of_is_doubted(
    tmp_path: Path, word: str, doubts: tuple[Doubt, ...]
) -> None:
    path = tmp_path / "unsure.pdf"
    path.write_bytes(image_page(Image.linear_gradient("L"), A4))
    result = convert(path, Unsure(*TOLD, words=(word,)))
    assert [block.doubts for block in result.blocks] == [doubts]
