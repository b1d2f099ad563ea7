"""What is filled in, remarked and attached is read with the text, or named as left out."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import ConversionResult, LeftOutKind
from citeloom.domain.errors import EmptyDocument
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter

SENTENCE = "The rye is sown in the fields in autumn and harvested in the summer after that."
REMARK = "Ask the miller about the weights"
SHOWN = (36, 600, 200, 640)


def canvas_at(path: Path, text: str = SENTENCE) -> Canvas:
    canvas = Canvas(str(path))
    canvas.drawString(72, 700, text)
    return canvas


def convert(path: Path) -> ConversionResult:
    return PdfConverter().convert(SourceFile(path=path, doc_id="mill", content_hash=""))


def with_attachment(path: Path, name: str) -> Path:
    document = pypdfium2.PdfDocument(path)
    document.new_attachment(name).set_data(b"weights of the sacks")
    document.save(path.with_name("attached.pdf"))
    document.close()
    return path.with_name("attached.pdf")


def test_what_is_filled_in_is_in_a_passage_or_named(tmp_path: Path) -> None:
    canvas = canvas_at(tmp_path / "form.pdf")
    place = {"x": 72, "width": 350, "height": 24, "forceBorder": True}
    canvas.acroForm.textfield(name="miller", value="Wilhelmina Strandgaard", y=500, **place)
    canvas.acroForm.textfield(name="reason", value="the old weights were lost", y=400, **place)
    canvas.save()
    result = convert(tmp_path / "form.pdf")
    named = [text.text for texts in result.left_out.values() for text in texts]
    for value in ("Wilhelmina Strandgaard", "the old weights were lost"):
        assert (value in result.plain_text) != (value in named), value


def test_an_annotation_that_is_not_drawn_is_named_and_one_that_is_not_shown_is_not(
    tmp_path: Path,
) -> None:
    canvas = canvas_at(tmp_path / "remarks.pdf")
    canvas.textAnnotation(REMARK, Rect=SHOWN)
    canvas.textAnnotation("nobody sees this", Rect=SHOWN, F=2)
    canvas.textAnnotation("rye in autumn", Rect=SHOWN)  # words of the text
    canvas.save()
    result = convert(tmp_path / "remarks.pdf")
    assert [(text.kind, text.count, text.text) for text in result.left_out[1]] == [
        (LeftOutKind.ANNOTATION, 6, REMARK)
    ]
    assert result.notes == (
        "6 words of fields and annotations on page 1 are in no passage; "
        "`citeloom inspect --left-out` lists them",
    )


def test_a_long_remark_is_named_with_the_number_of_all_its_words(tmp_path: Path) -> None:
    canvas = canvas_at(tmp_path / "remarks.pdf")
    canvas.textAnnotation(" ".join([REMARK] * 200), Rect=SHOWN)
    canvas.save()
    (remark,) = convert(tmp_path / "remarks.pdf").left_out[1]
    assert remark.count == 1200
    assert remark.text.endswith("…")


def test_a_page_with_annotations_alone_says_so(tmp_path: Path) -> None:
    canvas = canvas_at(tmp_path / "remarks.pdf", "")
    canvas.textAnnotation(REMARK, Rect=SHOWN)
    canvas.save()
    with pytest.raises(EmptyDocument, match="its fields and annotations have words") as empty:
        convert(tmp_path / "remarks.pdf")
    assert empty.value.hint == "Print it with its annotations to a new PDF and ingest that."


def test_attached_files_are_named(tmp_path: Path) -> None:
    canvas_at(tmp_path / "mill.pdf").save()
    attached = with_attachment(tmp_path / "mill.pdf", "weights.csv")
    assert convert(attached).notes == ("attached files are not read: weights.csv",)
    canvas_at(tmp_path / "cover.pdf", "").save()
    with pytest.raises(EmptyDocument, match=r"attached files are not read: mill\.pdf") as empty:
        convert(with_attachment(tmp_path / "cover.pdf", "mill.pdf"))
    assert "ingest those" in str(empty.value.hint)


def test_a_form_that_some_viewers_draw_is_named(tmp_path: Path) -> None:
    text = "BT /F1 12 Tf 30 700 Td (Please wait until your viewer has drawn this form.) Tj ET"
    path = tmp_path / "form.pdf"
    path.write_text(
        "%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R/NeedsRendering true"
        "/AcroForm<</Fields[]/XFA 6 0 R>>>> endobj\n"
        "2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n"
        "3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
        "/Resources<</Font<</F1 5 0 R>>>>>> endobj\n"
        f"4 0 obj <</Length {len(text)}>> stream\n{text}\nendstream endobj\n"
        "5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj\n"
        "6 0 obj <</Length 12>> stream\n<xdp></xdp> \nendstream endobj\n"
        "trailer <</Root 1 0 R>>\n%%EOF\n"
    )
    (note,) = convert(path).notes
    assert note.startswith("a form that only some viewers draw (XFA)")
