"""Words of web pages, books, Word documents and Markdown: each is in a passage, or left out and
listed.
"""

from __future__ import annotations

import re
from pathlib import Path
from time import monotonic

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from citeloom.application.ports.conversion import DEFAULT_OPTIONS, SourceFile
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.infrastructure.conversion.hidden_passages import note_of_lost
from citeloom.infrastructure.wiring.conversion import open_file_converter
from tests.fakes.many_formats import write_epub, write_text

SECONDS = 20  # ten times what these take, a third of what they took while they were quadratic
PROSE = "The mill pond fills with the flood and drives two wheels while it ebbs away again. "


def converted(path: Path) -> ConversionResult:
    converter = open_file_converter(path.suffix.lower(), DEFAULT_OPTIONS)
    return converter.convert(SourceFile(path=path, doc_id="doc", content_hash=""))


def page(folder: Path, body: str) -> ConversionResult:
    return converted(write_text(folder / "page.html", f"<!DOCTYPE html><body>{body}</body>"))


def markdown(folder: Path, text: str) -> ConversionResult:
    return converted(write_text(folder / "page.md", text))


def left_out(result: ConversionResult) -> list[tuple[str, int, str]]:
    assert set(result.left_out) <= {0}
    return [(text.kind.value, text.count, text.text) for text in result.left_out.get(0, ())]


@pytest.mark.parametrize(
    ("body", "listed"),
    [
        ("<nav>Start here</nav>", ("navigation", 2, "Start here")),
        ("<ul role=navigation><li>Up</ul>", ("navigation", 1, "Up")),
        ("<header>The Tidal Post</header>", ("header", 3, "The Tidal Post")),
        ("<footer>Printed in Eling</footer>", ("footer", 3, "Printed in Eling")),
        ("<button>Copy</button><select><option>All</select>", ("field", 2, "Copy / All")),
        ("<div hidden>Second tab</div>", ("unseen", 2, "Second tab")),
        ("<div style='display: none'>Third tab</div>", ("unseen", 2, "Third tab")),
        ("<noscript>Turn scripts on</noscript>", ("unseen", 3, "Turn scripts on")),
        ("<template>For a script</template>", ("unseen", 3, "For a script")),
        ("<b>{0}</template>{0}Twice</template></b>", ("unseen", 1, "Twice")),
    ],
)
def test_what_a_page_leaves_out_is_listed(
    body: str, listed: tuple[str, int, str], tmp_path: Path
) -> None:
    body = body.format("<template shadowrootmode=open>")
    result = page(tmp_path, f"<p>{PROSE}</p>{body}")
    assert (result.plain_text, result.notes) == (PROSE.strip(), ())
    assert left_out(result) == [listed]


def test_what_stands_beside_the_main_content_is_listed(tmp_path: Path) -> None:
    result = page(tmp_path, f"<h1>Mills</h1><main><p>{PROSE * 3}</p></main><p>Read next</p>")
    assert left_out(result) == [("margin", 3, "Mills Read next")]


def test_a_page_without_any_of_it_lists_nothing(tmp_path: Path) -> None:
    result = page(tmp_path, f"<p>{PROSE}co&shy;operation</p><script>let x = 1;</script>")
    assert (result.left_out, result.notes) == ({}, ())


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (
            "<table><tfoot><tr><td>Sum<td>23</tfoot><tr><td>Eling<td>11</table>",
            "Eling | 11\nSum | 23",
        ),
        ("<iframe srcdoc='<p>Framed &amp;amp; read</p>'></iframe>", "Framed & read"),
        (
            "<div><template shadowrootmode=open><h2>Head</h2><slot name=a></slot><p>End</p>"
            "</template><p slot=a>Slotted</p></div>",
            "Head\n\nSlotted\n\nEnd",
        ),
        ("<blockquote><p>Said.</p><footer>A miller</footer></blockquote>", "Said.\n\nA miller"),
        ("<article><footer>Endnote</footer></article>", "Endnote"),
        ("<p>He said <q>so, <q>aye</q></q>.</p>", "He said “so, \u2018aye\u2019”."),
        ("<table>lead<tr><td>1<tr><p>stray</p><td>2</table>", "lead\n\nstray\n\n1\n2"),
        ("<table><form><tr><td>1</form></table>", "1"),
        ("<table><td>1</td></table>", "1"),
        ("<table><tr><td><dl><dt>t<dd>d</dl><td>a<hr>b</table>", "t d | a b"),
        ("<table><tr><td>a<table><tr><td>b</table><h3>c</h3><pre>d</pre>e</table>", "a b c d e"),
        ("<dl><p>intro<dt>one<dd>two</dl>", "- intro\n\n- one\n\n  - two"),
        ("<dl><dt>t<dd>d<dt><table><tr><td>c</table></dl>", "- t\n\n  - d\n\nc"),
        ("<ol><li>a<li value=9>b<li>c</ol>", "1. a\n\n9. b\n\n10. c"),
        ("<ol reversed><li>a<li>b</ol>", "2. a\n\n1. b"),
        ("<ol type=a start=26><li>x<li>y</ol>", "z. x\n\naa. y"),
        ("<ol type=I start=4><li>x<li>y</ol>", "IV. x\n\nV. y"),
        ("<ol type=A><li>x<ol type=i><li>y</ol></ol>", "A. x\n\n  i. y"),
    ],
)
def test_what_a_browser_shows_is_read(body: str, read: str, tmp_path: Path) -> None:
    result = page(tmp_path, body)
    assert (result.plain_text, result.notes, result.left_out) == (read, (), {})


@pytest.mark.parametrize(
    ("tag", "body", "last"),
    [
        ("div", "<p>Rye {}", "Rye 1199"),
        ("ul", "<li>Rye {}", "- Rye 1199"),
        ("table", "<tr><td>Rye<td>{}", "Rye | 1199"),
        ("dl", "<dt>Rye<dd>{}", "- Rye\n\n  - 1199"),
    ],
)
def test_end_tags_may_be_omitted_any_number_of_times(
    tag: str, body: str, last: str, tmp_path: Path
) -> None:
    written = "".join(body.format(number) for number in range(1200))
    read = page(tmp_path, f"<{tag}>{written}</{tag}><p>End").plain_text
    assert read.endswith(f"\n{last}\n\nEnd")


def test_a_listing_may_have_any_number_of_coloured_words(tmp_path: Path) -> None:
    begun = monotonic()
    listing = "".join(f"<span>w{number}</span> <i>=</i>\n" for number in range(8000))
    read = page(tmp_path, f"<pre>{listing}</pre>").plain_text
    assert read.split("\n")[::7999] == ["w0 =", "w7999 ="]
    assert monotonic() - begun < SECONDS


def test_a_frame_of_another_file_is_named(tmp_path: Path) -> None:
    frames = '<iframe src="a.html"></iframe><iframe src="javascript:void(0)"></iframe>'
    assert page(tmp_path, f"<p>{PROSE}</p>{frames}").notes == ("1 frame is not read",)


@pytest.mark.parametrize(
    "note",
    [
        '<aside epub:type="footnote" hidden="">Popped up.</aside>',
        '<aside epub:type="footnote" style="display:none">Popped up.</aside>',
        '<section role="doc-endnotes" hidden=""><p>Popped up.</p></section>',
        '<div hidden=""><aside role="doc-footnote">Popped up.</aside></div>',
        '<style>.n {display: none}</style><p class="n" role="doc-footnote">Popped up.</p>',
    ],
)
def test_a_note_that_shows_up_once_its_mark_is_clicked_is_read(note: str, tmp_path: Path) -> None:
    result = page(tmp_path, f"<p>{PROSE}</p>{note}")
    assert result.plain_text == f"{PROSE.strip()}\n\nPopped up."
    assert (result.notes, result.left_out) == ((), {})


def test_a_book_has_no_heads_and_feet_of_a_site(tmp_path: Path) -> None:
    chapter = f"<header><p>A motto</p></header><main><p>{PROSE * 3}</p></main><p>Beside</p>"
    result = converted(write_epub(tmp_path / "book", chapter))
    assert result.plain_text == f"A motto\n\n{(PROSE * 3).strip()}\n\nBeside"


def test_words_that_have_not_arrived_are_named() -> None:
    assert note_of_lost("rye and rye, co\u00adoperate", "and rye cooperate") == (
        "1 word is in no passage: rye",
    )
    many = " ".join(f"w{number}" for number in range(12))
    assert note_of_lost(many, "") == (
        "12 words are in no passage: w0, w1, w2, w3, w4, w5, w6, w7 …",
    )


_RUN = "<w:r><w:t>{}</w:t></w:r>"


def word(folder: Path, *parts: str) -> ConversionResult:
    document = docx.Document()
    for part in parts:
        document.element.body.insert(
            -1, parse_xml(re.sub(r"^<([\w:]+)", rf"<\1 {nsdecls('w')}", part))
        )
    document.sections[0].header.paragraphs[0].text = "A running head"
    document.sections[0].footer.paragraphs[0].text = "Foot"
    document.save(str(folder / "page.docx"))
    return converted(folder / "page.docx")


@pytest.mark.parametrize(
    ("part", "read"),
    [
        (f"<w:p><w:dir w:val='rtl'>{_RUN.format('dir')}</w:dir></w:p>", "dir"),
        (f"<w:p><w:bdo w:val='ltr'>{_RUN.format('bdo')}</w:bdo></w:p>", "bdo"),
        (f"<w:customXml><w:p>{_RUN.format('custom')}</w:p></w:customXml>", "custom"),
        (
            "<w:tbl><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc><w:sdt><w:sdtContent><w:p>"
            f"{_RUN.format('in a cell')}</w:p></w:sdtContent></w:sdt></w:tc></w:tr><w:sdt>"
            f"<w:sdtContent><w:tr><w:tc><w:p>{_RUN.format('a row')}</w:p></w:tc></w:tr>"
            "</w:sdtContent></w:sdt></w:tbl>",
            "in a cell\na row",
        ),
        (
            "<w:p><w:r><w:t>m</w:t></w:r><w:r><w:rPr><w:position w:val='8'/></w:rPr><w:t>2</w:t>"
            "</w:r><w:r><w:rPr><w:position w:val='1'/></w:rPr><w:t>3</w:t></w:r></w:p>",
            "m²3",
        ),
    ],
)
def test_what_wraps_the_text_of_a_word_document_is_read(
    part: str, read: str, tmp_path: Path
) -> None:
    result = word(tmp_path, part)
    assert (result.plain_text, result.notes) == (read, ())
    assert left_out(result) == [("header", 3, "A running head"), ("footer", 1, "Foot")]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("m<sup>2</sup>, 10<sup>-3</sup>, H<sub>2</sub>O", "m², 10⁻³, H₂O"),
        ("<p>10<sup>5</sup> a</p>", "10⁵ a"),
        ("by<sup> see *also* here</sup> so", "by see also here so"),
        ("10<sup>5 and more *text* here", "105 and more text here"),
        ("<p>by<sup> see <b>also</b> here</sup> so</p>", "by see also here so"),
        (r"Is $a\,b*c*d_1 e_2$ so?", r"Is $a\,b*c*d_1 e_2$ so?"),
        ("$$\n*a*\n- b\n= c \\\\\n$$", "$$ *a* - b = c \\\\ $$"),
        (
            "\\begin{align}\na &= b \\\\\n- c\n\\end{align}",
            "\\begin{align} a &= b \\\\ - c \\end{align}",
        ),
        ("$$\na\n- b\n$$ {#eq-c}", "$$ a - b $$ {#eq-c}"),
        ("$$\na \\text{ in $c$}\n- d\n$$", "$$ a \\text{ in $c$} - d $$"),
        ("$$ a\n\n- b\n$$", "$$ a\n\n- b $$"),
        ("It is $5 and *more* than US$4*3*.", "It is $5 and more than US$43."),
        (r"\$5 and \$*6*", "$5 and $6"),
        ("$$ unclosed\n- item", "$$ unclosed\n\n- item"),
        ("![The *mill* at Eling](mill.png)", "The mill at Eling"),
        ("By ![the](a.png) mill", "By the mill"),
    ],
)
def test_markdown_reads_as_it_is_set(text: str, read: str, tmp_path: Path) -> None:
    assert markdown(tmp_path, text).plain_text == read


def test_a_displayed_formula_is_one(tmp_path: Path) -> None:
    blocks = markdown(tmp_path, "A sum\n$$\na\n$$\nand on.").blocks
    assert [block.kind for block in blocks] == [
        BlockKind.PARAGRAPH,
        BlockKind.FORMULA,
        BlockKind.PARAGRAPH,
    ]


def test_environments_that_never_end_take_no_time(tmp_path: Path) -> None:
    begun = monotonic()
    assert markdown(tmp_path, "\\begin{a}\n" * 8000).plain_text.count("begin") == 8000
    assert monotonic() - begun < SECONDS
