# ruff: noqa: RUF001 - typographic characters are what is looked for here
"""Pictures of formulas, formulas, scripts, notes and readings of pages, books, Word documents and
presentations.
"""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import docx
import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from citeloom.application.ports.conversion import DEFAULT_OPTIONS, SourceFile
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.infrastructure.wiring.conversion import open_file_converter
from tests.fakes.many_formats import write_docx, write_epub, write_text, write_zip


def converted(path: Path) -> ConversionResult:
    converter = open_file_converter(path.suffix.lower(), DEFAULT_OPTIONS)
    return converter.convert(SourceFile(path=path, doc_id="doc", content_hash=""))


def _page(path: Path, body: str) -> ConversionResult:
    return converted(write_text(path / "page.html", f"<!DOCTYPE html><body>{body}</body>"))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Energy is <img src=e.png alt='E = mc'> here.", "Energy is E = mc here."),
        ("So <img src=e.png alt='a^2 + b'> holds.", "So $a^2 + b$ holds."),
        ("<img src=e.png class=math alt='\\int x'>", "$\\int x$"),
        ("<img src=o.png alt=O>nce upon a time.", "Once upon a time."),
        ("<img src=h.png alt='A horse in a field'> Wheat.", "Wheat."),
        ("<span hidden><math><mi>x</mi></math></span><img aria-hidden=true alt='x^2'>", "$x^2$"),
        ("m<sup>2</sup>, 10<sup>-3</sup>, <sup>14</sup>C, Ag<sup>+</sup>", "m², 10⁻³, ¹⁴C, Ag⁺"),
        ("x<sub>i</sub><sup>n</sup>, H<sub>2</sub>O, 1<sup>st</sup>", "xᵢⁿ, H₂O, 1st"),
        ("reaped.<sup>3,14</sup> “Sown”<sup>a</sup> in May", "reaped.³,¹⁴ “Sown”ᵃ in May"),
        ("one<a role=doc-noteref href=#n>1</a> two<sup><a href=#m>*</a></sup>", "one[1] two[*]"),
        ("sown<a epub:type=noteref href=#n>†</a>.", "sown[†]."),
        ("これは<ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>です", "これは東京です"),
        ("改行の\n 前後に、\n空白は\nない", "改行の前後に、空白はない"),
        ("한국어는\n띄어쓴다", "한국어는 띄어쓴다"),
    ],
)
def test_a_page_reads_as_it_is_printed(written: str, read: str, tmp_path: Path) -> None:
    assert _page(tmp_path, f"<p>{written}</p>").plain_text == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            "<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac><mo>=</mo>"
            "<msup><mi>x</mi><mn>2</mn></msup>",
            "a/(b+1)=x²",
        ),
        ("<msubsup><mi>y</mi><mi>i</mi><mn>2</mn></msubsup>", "yᵢ²"),
        (
            "<msqrt><mi>z</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>z</mi><mn>3</mn></mroot>",
            "√(z+1)³√z",
        ),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi>"
            "</munderover><mi>i</mi>",
            "∑ᵢ₌₁ⁿi",
        ),
        ("<mover><mi>x</mi><mo>¯</mo></mover><mtext>if</mtext><mi>y</mi>", "x̄ if y"),
        (
            "<mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd>"
            "<mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable><mo>)</mo>",
            "(1, 2; 3, 4)",
        ),
        (
            "<mfenced><mi>a</mi><mi>b</mi></mfenced><mspace/><mphantom><mi>q</mi></mphantom>",
            "(a,b)",
        ),
        ("<mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac>", "n¦k"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "m:"])
def test_formulas_are_set_in_one_line(written: str, read: str, prefix: str, tmp_path: Path) -> None:
    marked = f"<math>{written}</math>".replace("</", "<\0").replace("<", f"<{prefix}")
    marked = marked.replace(f"<{prefix}\0", f"</{prefix}")
    book = write_epub(tmp_path / "book", f"<p>So {marked}</p>")
    assert converted(book).plain_text == f"So {read}"


def test_what_is_not_read_of_a_page_is_named(tmp_path: Path) -> None:
    page = _page(
        tmp_path,
        "<p>Wheat.</p><img src=a.png alt='A field'><img src=line.png alt=''><svg></svg>"
        "<p><ruby>麦<rt>むぎ</rt></ruby>。</p>",
    )
    assert page.notes == (
        "2 pictures are not read",
        "what is read above 1 word is left out",
    )


def test_a_note_within_a_sentence_stands_behind_its_paragraph(tmp_path: Path) -> None:
    book = write_epub(
        tmp_path / "book",
        "<p>It was sown<a epub:type='noteref' href='#n'>1</a><aside epub:type='footnote' id='n'>"
        "By hand.</aside> and then reaped.</p><p>So it was.</p>",
    )
    told = converted(book).plain_text
    assert told == "It was sown[1] and then reaped.\n\nBy hand.\n\nSo it was."


def test_the_text_of_a_cell_stands_in_its_table_alone(tmp_path: Path) -> None:
    page = _page(
        tmp_path,
        "<table><tr><td><p>one</p><p>two</p></td><td><ul><li>x</li><li>y</li></ul></td></tr>"
        "<tr><td colspan=2>In <table><tr><td>i</td><td>j</td></tr></table></td></tr></table>",
    )
    assert page.plain_text == "one two | x y\nIn i j"


def test_what_a_style_sheet_does_not_display_is_hidden(tmp_path: Path) -> None:
    page = _page(
        tmp_path,
        "<style>.no { display: none } @media print { .paper { display: none } }</style>"
        "<p>Seen.</p><p class=no>Not shown.</p><p class=paper>On the screen.</p>",
    )
    kinds = [(block.kind.value, page.text_of(block)) for block in page.blocks]
    assert kinds == [
        ("paragraph", "Seen."),
        ("paragraph", "On the screen."),
        ("hidden", "Not shown."),
    ]


# --- Word

_NAMESPACES = (
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"',
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
    'xmlns:v="urn:schemas-microsoft-com:vml"',
)
_NOTE_PART = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
_NOTE_KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"


def _run(text: str, looks: str = "") -> str:
    return f'<w:r><w:rPr>{looks}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def _raised(text: str) -> str:
    return _run(text, '<w:vertAlign w:val="superscript"/>')


def _paragraph(*runs: str, looks: str = "") -> str:
    return f"<w:p><w:pPr>{looks}</w:pPr>{''.join(runs)}</w:p>"


def _table(*rows: str) -> str:
    grid = "<w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>"
    return f"<w:tbl>{grid}{''.join(rows)}</w:tbl>"


def _row(*cells: str, looks: str = "") -> str:
    return f"<w:tr>{looks}{''.join(f'<w:tc>{cell}</w:tc>' for cell in cells)}</w:tr>"


def _cell(text: str) -> str:
    return _paragraph(_run(text))


def _word(path: Path, body: str, footnotes: str = "", base: Path | None = None) -> ConversionResult:
    """What is read of a Word document with this body in place of its first paragraph."""
    with ZipFile(base or write_docx(path / "plain", "GONE")) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = members["word/document.xml"].decode()
    start, end = document.index("<w:p>"), document.index("</w:p>") + len("</w:p>")
    document = document[:start] + body + document[end:]
    for name in _NAMESPACES:
        if name.partition("=")[0] + "=" not in document:
            document = document.replace("<w:document ", f"<w:document {name} ", 1)
    members["word/document.xml"] = document.encode()
    if footnotes:
        main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        spaces = " ".join(_NAMESPACES)
        notes = f'<w:footnotes xmlns:w="{main}" {spaces}>{footnotes}</w:footnotes>'
        members["word/footnotes.xml"] = notes.encode()
        for name, tag in (
            (
                "word/_rels/document.xml.rels",
                f'<Relationship Id="rId99" Target="footnotes.xml" Type="{_NOTE_KIND}"/>',
            ),
            (
                "[Content_Types].xml",
                f'<Override PartName="/word/footnotes.xml" ContentType="{_NOTE_PART}"/>',
            ),
        ):
            close = b"</Relationships>" if name.endswith("rels") else b"</Types>"
            members[name] = members[name].replace(close, tag.encode() + close)
    return converted(write_zip(path / "read.docx", members))


_X = "<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>"
_RUBY = (
    "<w:r><w:ruby><w:rt><w:r><w:t>むぎ</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>麦</w:t></w:r>"
    "</w:rubyBase></w:ruby></w:r>"
)
_OPEN = "<w:rPr><w:del w:id='1'/></w:rPr>"


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (
            _paragraph(_run("ten m"), _raised("2"), _run(" and the 1"), _raised("st")),
            "ten m² and the 1st",
        ),
        (_paragraph(_run("reaped."), _raised("1"), _raised("2")), "reaped.¹²"),
        (
            _paragraph(_run("Let ("), _X, _run(")-axis and "), _X, _run("-axis")),
            "Let (x)-axis and x-axis",
        ),
        (_paragraph(_run("その"), _RUBY, _run("は高い。")), "その麦は高い。"),
        (
            _paragraph(_run("angle "), '<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>'),
            "angle α",
        ),
        (
            _paragraph(_run("O"), looks='<w:framePr w:dropCap="drop"/>')
            + _cell("nce it was sown."),
            "Once it was sown.",
        ),
        (_paragraph(_run("Wheat was "), looks=_OPEN) + _cell("sown."), "Wheat was sown."),
        (
            _table(
                _row(_cell("a"), _cell("b")),
                _row(_cell("gone"), _cell("gone"), looks='<w:trPr><w:del w:id="2"/></w:trPr>'),
            ),
            "a | b",
        ),
        (
            _table(
                _row(_cell("out") + _table(_row(_cell("i"), _cell("j"))) + _cell("end"), _cell("b"))
            ),
            "out i | j end | b",
        ),
        (_table(_row(_cell("one") + _cell("two"), _cell("b"))), "one two | b"),
        (
            _paragraph(
                "<w:r><w:pict><v:shape><v:textbox><w:txbxContent>"
                f"{_cell('Boxed.')}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>",
                _run("Anchor."),
            ),
            "Boxed.\n\nAnchor.",
        ),
    ],
)
def test_a_word_document_reads_as_it_is_printed(body: str, read: str, tmp_path: Path) -> None:
    assert _word(tmp_path, body).plain_text == read


def test_a_note_of_several_paragraphs_is_whole(tmp_path: Path) -> None:
    note = f"{_cell('One')}<w:p>{_run('two')}<w:del w:id='3'>{_run('gone')}</w:del>{_X}</w:p>"
    read = _word(
        tmp_path,
        _paragraph(_run("Sown"), '<w:r><w:footnoteReference w:id="2"/></w:r>', _run(".")),
        f'<w:footnote w:id="2">{note}</w:footnote>',
    )
    assert read.plain_text == "Sown[1].\n\nFootnotes\n\n[1] One twox"


def test_what_is_not_read_of_a_word_document_is_named(tmp_path: Path) -> None:
    def drawing(kind: str) -> str:
        uri = f"http://schemas.openxmlformats.org/drawingml/2006/{kind}"
        graphic = f'<a:graphic><a:graphicData uri="{uri}"/></a:graphic>'
        return f"<w:r><w:drawing>{graphic}</w:drawing></w:r>"

    unknown = '<w:r><w:sym w:font="Webdings" w:char="F041"/></w:r>'
    body = _paragraph(
        _run("Wheat"), drawing("picture"), drawing("picture"), drawing("chart"), unknown, _RUBY
    )
    assert _word(tmp_path, body).notes == (
        "2 pictures are not read",
        "1 chart is not read",
        "what is read above 1 word is left out",
        "1 sign of a symbol font is not read",
    )


def test_the_heading_above_the_notes_has_no_number(tmp_path: Path) -> None:
    document = docx.Document()
    numbers = document.styles["List Number"].element.pPr.numPr
    document.styles["Heading 1"].element.get_or_add_pPr().append(numbers)
    document.add_paragraph("GONE")
    document.save(str(tmp_path / "numbered.docx"))
    read = _word(
        tmp_path,
        _paragraph(_run("Sown"), '<w:r><w:footnoteReference w:id="2"/></w:r>'),
        f'<w:footnote w:id="2">{_cell("By hand.")}</w:footnote>',
        base=tmp_path / "numbered.docx",
    )
    assert read.headings[0].title == "Footnotes"


# --- presentations


def test_scripts_of_slides_are_kept_and_charts_are_named(tmp_path: Path) -> None:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = "Wheat"
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    for text, shift in (("ten m", 0), ("2", 30000), (" of H", 0), ("2", -25000), ("O", 0)):
        run = paragraph.add_run()
        run.text = text
        run.font._element.set("baseline", str(shift))
    data, inch = CategoryChartData(), Inches(1)  # type: ignore[no-untyped-call]
    data.categories = ["East"]
    data.add_series("Yield", (1,))  # type: ignore[no-untyped-call]
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, inch, inch, inch, inch, data)
    slides.save(str(tmp_path / "a.pptx"))
    result = converted(tmp_path / "a.pptx")
    assert result.plain_text == "Wheat\n\n- ten m² of H₂O"
    assert result.notes == ("1 chart is not read",)
