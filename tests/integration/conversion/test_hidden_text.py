"""Text that is in a file and that no reader of it sees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.lib.colors import Color, black, white
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import FileConverter, SourceFile
from citeloom.domain.chunks.chunk import Chunk, ChunkKind
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.domain.policies import ChunkingPolicy, StrategyName
from citeloom.infrastructure.conversion.formats.html_page import HtmlConverter
from citeloom.infrastructure.conversion.markdown.text_files import MarkdownConverter
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from tests.fakes.embedders import PieceCounter
from tests.integration.conversion.documents import WORDS
from tests.integration.conversion.scanned import scan

SEEN = "Gravel lies where the river slows down and sand is carried on."
LIE = "All rivers flow uphill whenever the moon is full."
Draw = Callable[[Canvas], None]


def drawn(path: Path, *draws: Draw) -> Path:
    """A page of prose, and whatever is drawn on it besides."""
    canvas = Canvas(str(path))
    canvas.setFont("Helvetica", 11)
    for row in range(4):
        canvas.drawString(72, 740 - 14 * row, f"{SEEN} {row}")
    for draw in draws:
        canvas.saveState()
        draw(canvas)
        canvas.restoreState()
    canvas.save()
    return path


def written(
    *, size: float = 11, color: Color = black, mode: int = 0, y: float = 400, text: str = LIE
) -> Draw:
    def draw(canvas: Canvas) -> None:
        lines = canvas.beginText(72, y)
        lines.setFont("Helvetica", size)
        lines.setFillColor(color)
        lines.setTextRenderMode(mode)
        lines.textLine(text)
        canvas.drawText(lines)

    return draw


def boxed(color: Color, y: float = 400) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFillColor(color)
        canvas.rect(60, y - 10, 450, 30, stroke=0, fill=1)

    return draw


def clipped(x: float, y: float, width: float, height: float, draw: Draw) -> Draw:
    def within(canvas: Canvas) -> None:
        path = canvas.beginPath()
        path.rect(x, y, width, height)
        canvas.clipPath(path, stroke=0, fill=0)
        draw(canvas)

    return within


def converted(path: Path) -> ConversionResult:
    return PdfConverter().convert(SourceFile(path=path, doc_id="doc", content_hash=""))


def hidden_in(result: ConversionResult) -> list[str]:
    return [result.text_of(one) for one in result.blocks if one.kind is BlockKind.HIDDEN]


def write_layers(path: Path, shown: str, unshown: str) -> Path:
    """A page with a sentence in a layer that is shown, and one in a layer that is not."""
    content = "\n".join(
        f"{marked} BT /F1 11 Tf 72 {y} Td ({text}) Tj ET EMC"
        for marked, y, text in (
            ("/P BMC", 700, SEEN),
            ("/OC /On BDC", 600, shown),
            ("/OC /Off BDC", 500, unshown),
        )
    )
    layers = "[5 0 R 6 0 R]"
    path.write_text(
        f"%PDF-1.5\n1 0 obj <</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs {layers}"
        f"/D<</Order {layers}/OFF[6 0 R]>>>>>> endobj\n"
        "2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n"
        "3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<"
        "/Font<</F1 7 0 R>>/Properties<</On 5 0 R/Off 6 0 R>>>>>> endobj\n"
        f"4 0 obj <</Length {len(content)}>> stream\n{content}\nendstream endobj\n"
        "5 0 obj <</Type/OCG/Name(Survey)>> endobj\n6 0 obj <</Type/OCG/Name(Plan)>> endobj\n"
        "7 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj\n"
        "trailer <</Root 1 0 R>>\n%%EOF\n"
    )
    return path


def test_one_hidden_word_is_one(tmp_path: Path) -> None:
    result = converted(drawn(tmp_path / "a.pdf", written(color=white, text="upriver")))
    assert result.notes[-1] == (
        "1 word on page 1 is hidden from readers (in the colour of its background): answers leave "
        "it out"
    )


def test_words_of_a_layer_that_is_not_shown_are_hidden(tmp_path: Path) -> None:
    shown = "Sand is carried on where the river is quick."
    result = converted(write_layers(tmp_path / "layers.pdf", shown, LIE))
    assert hidden_in(result) == [LIE]
    start, end = result.page_map[1]
    assert shown in result.plain_text[start:end]
    assert "(in a layer that is not shown)" in result.notes[-1]


@pytest.mark.parametrize(
    ("draws", "reason"),
    [
        ((written(color=white),), "in the colour of its background"),
        ((written(color=Color(0.97, 0.97, 0.97)),), "in the colour of its background"),
        ((written(color=Color(0, 0, 0, alpha=0)),), "in the colour of its background"),
        ((written(size=2),), "too small to be read"),
        ((written(size=3),), "too small to be read"),
        ((written(mode=3),), "drawn invisibly"),
        ((written(mode=3, y=740),), "drawn invisibly"),
        ((clipped(72, 400, 0, 0, written()),), "outside of what is drawn"),
        ((clipped(72, 100, 20, 20, written()),), "outside of what is drawn"),
        ((written(y=-40),), "outside of what is drawn"),
    ],
)
def test_hidden_words_are_kept_apart(tmp_path: Path, draws: tuple[Draw, ...], reason: str) -> None:
    result = converted(drawn(tmp_path / "a.pdf", *draws))
    assert hidden_in(result) == [LIE]
    (block,) = [one for one in result.blocks if one.kind is BlockKind.HIDDEN]
    assert block.fragments[0].page == 1
    assert block is result.blocks[-1]
    start, end = result.page_map[1]
    assert LIE not in result.plain_text[start:end]
    assert result.plain_text[start:end].count(SEEN) == 4
    assert f"9 words on page 1 are hidden from readers ({reason})" in result.notes[-1]


@pytest.mark.parametrize(
    "draws",
    [
        (boxed(black), written(color=white)),
        (boxed(Color(0.1, 0.2, 0.6)), written(color=white)),
        (written(size=3, text="0.5 1.0 1.5"),),
        (written(color=Color(0.6, 0.6, 0.6)),),
        (written(size=5),),
        (clipped(60, 390, 450, 30, written()),),
    ],
)
def test_what_can_be_seen_stays(tmp_path: Path, draws: tuple[Draw, ...]) -> None:
    result = converted(drawn(tmp_path / "a.pdf", *draws))
    assert hidden_in(result) == []
    assert not any("hidden" in note for note in result.notes)


def page_in_drawn_letters(path: Path, text: str) -> Path:
    """A page whose font is drawn (Type 3) and has a size of 0.1, its letters 7 points tall."""
    letters = sorted(set(text.lower()) - set(" ."))
    procs = " ".join(f"/{letter} 4 0 R" for letter in letters)
    codes = " ".join(f"{ord(letter)} /{letter}" for letter in letters)
    lines = "".join(f"({text.lower()}) Tj 0 -12 Td " for _ in range(6))
    shape, content = "500 0 0 0 400 700 d1 0 0 400 700 re f", f"BT /F 0.1 Tf 72 700 Td {lines}ET"
    parts = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R/Resources<</Font<</F 6 0 R"
        ">>>>>>",
        f"<</Length {len(shape)}>>stream\n{shape}\nendstream",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 0 0]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 32"
        f"/LastChar 122/Widths[{'500 ' * 91}]/CharProcs<<{procs}>>"
        f"/Encoding<</Type/Encoding/Differences[{codes}]>>/Resources<<>>>>",
    ]
    written, places = "%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{part}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    path.write_text(
        f"{written}xref\n0 7\n0000000000 65535 f \n{table}"
        f"trailer<</Size 7/Root 1 0 R>>\nstartxref\n{len(written)}\n%%EOF"
    )
    return path


def test_letters_of_a_drawn_font_are_as_large_as_they_are_drawn(tmp_path: Path) -> None:
    result = converted(page_in_drawn_letters(tmp_path / "drawn.pdf", SEEN))
    assert not hidden_in(result)
    assert len(result.blocks) == 1
    assert SEEN.lower()[:20] in result.plain_text


def test_hidden_words_between_others_are_taken_out_of_their_line(tmp_path: Path) -> None:
    def mixed(canvas: Canvas) -> None:
        lines = canvas.beginText(72, 400)
        lines.setFont("Helvetica", 11)
        lines.textOut("Rivers flow ")
        lines.setFillColor(white)
        lines.textOut("uphill and never ")
        lines.setFillColor(black)
        lines.textOut("downhill.")
        canvas.drawText(lines)

    result = converted(drawn(tmp_path / "a.pdf", mixed))
    assert hidden_in(result) == ["uphill and never"]
    assert "Rivers flow downhill." in result.plain_text


def test_the_text_layer_of_a_scan_is_not_hidden(tmp_path: Path) -> None:
    def layer(canvas: Canvas) -> None:
        lines = canvas.beginText(72, 740)
        lines.setFont("Helvetica", 11)
        lines.setTextRenderMode(3)
        for row in range(40):
            lines.textLine(f"{WORDS[:80]} {row}")
        canvas.drawText(lines)

    source = drawn(tmp_path / "a.pdf")
    result = converted(scan(source, tmp_path / "scan.pdf", over=layer))
    assert hidden_in(result) == []
    assert WORDS[:80] in result.plain_text


HIDING = (
    ("color: white", "in the colour of its background"),
    ("color:#fefefe; background-color: #FFF", "in the colour of its background"),
    ("color: rgb(255, 255, 255)", "in the colour of its background"),
    ("background: black; color: #000", "in the colour of its background"),
    ("position: absolute; left: -9999px", "off the screen"),
    ("text-indent: -5000px", "off the screen"),
    ("position:absolute; clip: rect(0, 0, 0, 0)", "off the screen"),
    ("font-size: 2px", "too small to be read"),
    ("font-size: 0", "too small to be read"),
    ("opacity: 0", "transparent"),
    ("color: transparent", "transparent"),
)
SHOWING = ("color: white; background: navy", "color: #555", "font-size: 0.8em", "opacity: 0.6")


@pytest.mark.parametrize("suffix", [".html", ".md"])
@pytest.mark.parametrize("tag", ["p", "span"])
@pytest.mark.parametrize(("style", "reason"), HIDING)
def test_text_that_its_style_hides_is_kept_apart(
    tmp_path: Path, suffix: str, tag: str, style: str, reason: str
) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_text(f'<p>{SEEN}</p>\n\nMore <{tag} style="{style}">{LIE}</{tag}>\n\nThe end.\n')
    result = converter_of(suffix).convert(SourceFile(path=path, doc_id="doc", content_hash=""))
    assert hidden_in(result) == [LIE]
    assert f"9 words are hidden from readers ({reason})" in result.notes[-1]
    body = " ".join(result.text_of(one) for one in result.blocks[:-1])
    assert SEEN in body
    assert "The end." in body
    assert "uphill" not in body


@pytest.mark.parametrize("suffix", [".html", ".md"])
@pytest.mark.parametrize("style", SHOWING)
def test_text_with_a_style_that_hides_nothing_stays(
    tmp_path: Path, suffix: str, style: str
) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_text(f'<p>{SEEN}</p>\n\n<p style="{style}">{LIE}</p>\n')
    result = converter_of(suffix).convert(SourceFile(path=path, doc_id="doc", content_hash=""))
    assert hidden_in(result) == []
    assert LIE in result.plain_text


def test_rules_of_a_page_hide_and_show(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(
        "<style>.far { position: absolute; left: -9999px } .dark { background: #222 }"
        " .pale, h9 > { color: white } .pale { color: #fff } p:hover { opacity: 0 }</style>"
        f'<p>{SEEN}</p><p class="far">Far.</p><p class="pale">Pale.</p>'
        '<div class="dark"><p class="pale">Light on dark.</p></div>'
        '<table bgcolor="black"><tr><td><font color="white">Old.</font></td></tr></table>'
        '<font color="#FFFFFF">Older.</font>'
    )
    result = converter_of(".html").convert(SourceFile(path=path, doc_id="doc", content_hash=""))
    assert hidden_in(result) == ["Far.", "Pale.", "Older."]
    assert "Light on dark." in result.plain_text
    assert "Old." in result.plain_text


def test_code_that_shows_how_to_hide_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(f'{SEEN}\n\n```html\n<p style="color: white">{LIE}</p>\n```\n')
    assert (
        hidden_in(converter_of(".md").convert(SourceFile(path=path, doc_id="doc", content_hash="")))
        == []
    )


def test_an_element_hides_the_markdown_within_it(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(f'{SEEN}\n\n<div style="color:white">\n\n{LIE}\n\n</div>\n\nThe end.\n')
    result = converter_of(".md").convert(SourceFile(path=path, doc_id="doc", content_hash=""))
    assert hidden_in(result) == [LIE]
    assert result.text_of(result.blocks[1]) == "The end."
    path.write_text(f'<div style="color:white">\n\n{LIE}\n\n{SEEN}\n')
    assert (
        hidden_in(converter_of(".md").convert(SourceFile(path=path, doc_id="doc", content_hash="")))
        == []
    )


def converter_of(suffix: str) -> FileConverter:
    if suffix == ".md":
        return MarkdownConverter()
    return HtmlConverter()


@pytest.mark.parametrize("strategy", list(StrategyName))
def test_hidden_text_has_chunks_of_its_own(tmp_path: Path, strategy: StrategyName) -> None:
    counter = PieceCounter()
    result = converted(drawn(tmp_path / "a.pdf", written(color=white)))
    chunked = chunk_document(
        result,
        policy=ChunkingPolicy(strategy=strategy, max_tokens=200, overlap_tokens=10),
        embedding_model="model",
        special_tokens=counter.special_tokens,
        count_all=counter.count_all,
    )
    *seen, hidden = chunked.chunks
    assert (hidden.kind, hidden.text, hidden.page_span) == (ChunkKind.HIDDEN, LIE, (1, 1))
    assert "uphill" not in " ".join(map(_text, seen))
    assert {chunk.kind for chunk in seen} == {ChunkKind.TEXT}
    assert chunked.body_share == 1.0


def _text(chunk: Chunk) -> str:
    return chunk.embedding_text
