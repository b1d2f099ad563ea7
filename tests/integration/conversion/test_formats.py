"""Word documents, presentations, HTML, EPUB, Markdown and plain text, as they come out."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from zipfile import ZipFile

import docx
import pptx
import pytest
from docx.enum.text import WD_BREAK
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pptx.util import Inches

from citeloom.application.ports.conversion import DEFAULT_OPTIONS, SourceFile
from citeloom.domain.documents.conversion import BlockKind, ConversionResult, LeftOut, LeftOutKind
from citeloom.domain.documents.sections import section_names
from citeloom.domain.errors import (
    CiteloomError,
    EmptyDocument,
    EncryptedDocument,
    InvalidMetadata,
    UnreadableDocument,
)
from citeloom.infrastructure.wiring.conversion import open_file_converter
from tests.fakes.many_formats import (
    WRITERS,
    write_docx,
    write_epub,
    write_html,
    write_pptx,
    write_text,
    write_zip,
)

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def converted(path: Path) -> ConversionResult:
    converter = open_file_converter(path.suffix.lower(), DEFAULT_OPTIONS)
    return converter.convert(SourceFile(path=path, doc_id="doc", content_hash=""))


def parts(result: ConversionResult) -> list[tuple[str, str]]:
    return [(block.kind.value, result.text_of(block)) for block in result.blocks]


def sections(result: ConversionResult) -> list[tuple[str, tuple[str, ...]]]:
    """Each block's text and the path of its section."""
    return [(result.text_of(b), result.section_path(b.section)) for b in result.blocks]


def headings(result: ConversionResult) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in result.headings]


# --- HTML


def html(path: Path, body: str, head: str = "") -> ConversionResult:
    page = f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>"
    return converted(write_text(path / "page.html", page))


def test_a_page_keeps_headings_lists_tables_and_code(tmp_path: Path) -> None:
    result = html(
        tmp_path,
        "<h1>On wheat</h1><p>By the <b>road</b>, H<sub>2</sub>O \u2013 \u201cwet\u201d.</p>"
        "<h2>1 Aims</h2><ul><li>One<ul><li>Deep</li></ul></li></ul><ol><li>First</li></ol>"
        "<h3>1.1 Data</h3><table><caption>Table 1</caption><tr><th colspan=2>Yield</th></tr>"
        "<tr><td>a</td><td>1</td></tr></table><pre><code>x = 1\n  y = 2</code></pre>"
        "<figure><img src='https://example.org/x.png'><figcaption>A plot.</figcaption></figure>",
    )
    assert parts(result) == [
        ("title", "On wheat"),
        ("paragraph", "By the road, H\u2082O \u2013 \u201cwet\u201d."),
        ("heading", "1 Aims"),
        ("list_item", "- One"),
        ("list_item", "  - Deep"),
        ("list_item", "1. First"),
        ("heading", "1.1 Data"),
        ("caption", "Table 1"),
        ("table", "Yield\na | 1"),
        ("code", "x = 1\n  y = 2"),
        ("paragraph", "A plot."),
    ]
    assert headings(result) == [(1, "On wheat"), (2, "1 Aims"), (3, "1.1 Data")]
    assert (result.page_count, dict(result.page_map)) == (0, {})


def test_the_only_heading_of_the_first_level_is_a_section_of_a_page(tmp_path: Path) -> None:
    result = html(tmp_path, "<h1>Ploughs</h1><p>First.</p><h2>Steel</h2><p>Second.</p>")
    assert headings(result) == [(1, "Ploughs"), (2, "Steel")]
    assert [heading.is_title for heading in result.headings] == [True, False]
    assert sections(result) == [
        ("Ploughs", ("Ploughs",)),
        ("First.", ("Ploughs",)),
        ("Steel", ("Ploughs", "Steel")),
        ("Second.", ("Ploughs", "Steel")),
    ]
    assert section_names(result.headings) == ("", "1")
    several = html(tmp_path, "<h1>One</h1><p>First.</p><h1>Two</h1><h2>Deep</h2><p>Second.</p>")
    assert headings(several) == [(1, "One"), (1, "Two"), (2, "Deep")]
    assert not any(heading.is_title for heading in several.headings)


def test_what_a_reader_does_not_see_is_left_out(tmp_path: Path) -> None:
    result = html(
        tmp_path,
        "<header>Our site</header><nav>Home</nav><script>let a</script><p>Seen"
        "<span style='display: none'>not</span>.<a href='#p'>\u00b6</a></p><p hidden>not</p>"
        "<template><p>not</p></template><noscript>not</noscript><!-- not --><footer>(c)</footer>"
        "<p aria-hidden=true>not</p>",
        "<style>p {}</style>",
    )
    assert result.plain_text == "Seen."


def test_the_main_element_is_the_page_unless_most_stands_beside_it(tmp_path: Path) -> None:
    long = "Wheat was sown and reaped. " * 5
    assert html(tmp_path, f"<p>Menu</p><main><p>{long}</p></main>").plain_text == long.strip()
    assert html(tmp_path, f"<p>{long}</p><main><p>A</p></main>").plain_text.endswith("\n\nA")


def test_several_first_headings_are_sections_and_none_is_the_title(tmp_path: Path) -> None:
    result = html(tmp_path, "<h1>One</h1><p>a</p><h2>Sub</h2><p>b</p><h1>Two</h1><p>c</p>")
    assert headings(result) == [(1, "One"), (2, "Sub"), (1, "Two")]
    assert BlockKind.TITLE not in [block.kind for block in result.blocks]


def test_formulas_and_note_marks_stay_readable(tmp_path: Path) -> None:
    result = html(
        tmp_path,
        "<p>So <math><mi>x</mi><mo>=</mo><mn>2</mn></math> and <math><semantics><mi>y</mi>"
        "<annotation encoding='application/x-tex'>y^2</annotation></semantics></math>"
        "<sup><a href='#n'>3</a></sup>.</p>",
    )
    assert result.plain_text == "So x=2 and $y^2$[3]."


def test_what_a_page_says_of_itself(tmp_path: Path) -> None:
    result = html(
        tmp_path,
        "<p>Body.</p>",
        "<title>Wheat | Journal</title><meta name='citation_title' content='On wheat'>"
        "<meta name='citation_author' content='Doe, Jane'><meta name='citation_author' "
        "content='Roe, Rick'><meta name='citation_doi' content='https://doi.org/10.1000/W1'>",
    )
    told = result.embedded
    assert (told.title, told.author, told.doi) == ("On wheat", "Doe, Jane; Roe, Rick", "10.1000/w1")
    assert told.front_text == "On wheat\nDoe, Jane, Roe, Rick\n10.1000/w1\nBody."
    plain = html(tmp_path, "<p>Body.</p>", "<title>Wheat | Journal</title>").embedded
    assert (plain.title, plain.front_text) == ("Wheat | Journal", "Body.")


# --- Markdown


def markdown(path: Path, text: str) -> ConversionResult:
    return converted(write_text(path / "page.md", text))


def test_front_matter_is_metadata_and_not_body(tmp_path: Path) -> None:
    result = markdown(
        tmp_path,
        "---\ntitle: On wheat\nauthors:\n- Jane Doe\n- {given: Rick, family: Roe}\n"
        "doi: 10.1000/1\n---\n## Aims\n\nText with `code`, *emphasis*[^1].\n\n[^1]: A note.\n",
    )
    assert parts(result) == [
        ("heading", "Aims"),
        ("paragraph", "Text with code, emphasis[^1]."),
        ("footnote", "[^1]: A note."),
    ]
    told = result.embedded
    assert (told.title, told.author, told.doi) == ("On wheat", "Jane Doe; Rick Roe", "10.1000/1")
    assert told.front_text.startswith("On wheat\nJane Doe, Rick Roe\n10.1000/1\nAims")


def test_a_rule_is_no_front_matter(tmp_path: Path) -> None:
    result = markdown(tmp_path, "---\n- a\n---\nBody.")
    assert result.plain_text.startswith("- a")
    assert result.front_matter is None


def test_front_matter_stays_text_whatever_it_looks_like(tmp_path: Path) -> None:
    text = "---\ndate: 2024-05-01\nlanguage: no\nid: 0o17\ntags: [1, on]\nsummary:\n---\nBody."
    assert markdown(tmp_path, text).front_matter == {
        "date": "2024-05-01",
        "language": "no",
        "id": "0o17",
        "tags": ["1", "on"],
        "summary": "",
    }
    assert markdown(tmp_path, "---\n---\nBody.").front_matter == {}


def test_a_key_of_front_matter_that_is_given_twice_is_named(tmp_path: Path) -> None:
    text = "---\ntitle: A\nby:\n- {name: Doe, name: Roe}\ntitle: B\ntags: [a, a]\n---\nBody."
    result = markdown(tmp_path, text)
    assert result.notes == ("front matter: given twice, the last is read: title, name",)
    assert (result.front_matter or {})["title"] == "B"


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: A\ntags:\n- a\n  b: c\n\nBody.",
        "---\ntitle: A\n# Heading\n\nBody.",
        "---\ntitle: A\n",
        "---\ntitle: A",
        '+++\ntitle = "A"\n\nBody.',
    ],
)
def test_front_matter_that_nothing_closes_is_said_to_be_text(tmp_path: Path, text: str) -> None:
    result = markdown(tmp_path, text)
    assert result.notes == ("front matter: nothing closes it, so that it is read as text",)
    assert "title" in result.plain_text


@pytest.mark.parametrize(
    "text",
    ["---\n\ntitle: A\n", "---\nNote: this is\nprose.\n", "---\nhttps://a.org\n", "+++\nBody.\n"],
)
def test_text_below_a_rule_is_no_front_matter_that_nothing_closes(
    tmp_path: Path, text: str
) -> None:
    assert markdown(tmp_path, text).notes == ()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ("title: [", "invalid frontmatter: line 3: "),
        ("a: &a [x, x]\nb: [*a, *a]", "invalid frontmatter: it has an alias"),
        ("a: " + "[" * 1500, "invalid frontmatter: "),
        ("a: " + "x" * 70_000, "invalid frontmatter: it is longer than 64 KB"),
        ("? [a]\n: b", "invalid frontmatter: "),
    ],
)
def test_bad_front_matter_fails_the_document(tmp_path: Path, fields: str, reason: str) -> None:
    with pytest.raises(InvalidMetadata) as caught:
        markdown(tmp_path, f"---\n{fields}\n---\nBody.")
    assert caught.value.message.startswith(reason)


TOML = """+++
title = "Rye: a \\"grain\\""
author = ["Ada Sand", {name = "Otto Oats"}]
date = 2024-05-01
published = 2024-05-01T10:00:00Z
hardware_tier = 2
weight = 1.50
draft = false
prerequisites = []
[params]
tags = ["a", 1]
+++
# Rye

Rye grows on sandy soil.
"""


def test_front_matter_of_toml_is_read_as_that_of_yaml(tmp_path: Path) -> None:
    result = markdown(tmp_path, TOML)
    assert result.front_matter == {
        "title": 'Rye: a "grain"',
        "author": ["Ada Sand", {"name": "Otto Oats"}],
        "date": "2024-05-01",
        "published": "2024-05-01T10:00:00+00:00",
        "hardware_tier": "2",
        "weight": "1.50",
        "draft": "false",
        "prerequisites": [],
        "params": {"tags": ["a", "1"]},
    }
    assert result.embedded.title == 'Rye: a "grain"'
    assert "Ada Sand" in result.embedded.author
    assert "Otto Oats" in result.embedded.author
    assert parts(result) == [("title", "Rye"), ("paragraph", "Rye grows on sandy soil.")]
    assert markdown(tmp_path, "+++\n+++\nBody.").front_matter == {}
    assert markdown(tmp_path, "+++\r\na = 1\r\n+++\r\nBody.").front_matter == {"a": "1"}


@pytest.mark.parametrize("text", ["+++\nA line of text.\n+++\nBody.", "+++\na = 1\n\nBody."])
def test_signs_that_are_no_front_matter_are_text(tmp_path: Path, text: str) -> None:
    result = markdown(tmp_path, text)
    assert result.front_matter is None
    assert result.plain_text.startswith(f"+++ {text[4:8]}")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ("a = 1\na = 2", "invalid frontmatter: line 3: "),
        ('title = "x', "invalid frontmatter: line 2: "),
        ("a = " + "[" * 5000, "invalid frontmatter: "),
        (".".join("a" * 500) + " = 1", "invalid frontmatter: it is nested too deeply"),
        (".".join("a" * 5000) + " = 1", "invalid frontmatter: "),
        ("a = " + "9" * 5000, "invalid frontmatter: "),
        (f'a = "{"x" * 70_000}"', "invalid frontmatter: it is longer than 64 KB"),
    ],
)
def test_bad_toml_fails_the_document(tmp_path: Path, fields: str, reason: str) -> None:
    with pytest.raises(InvalidMetadata) as caught:
        markdown(tmp_path, f"+++\n{fields}\n+++\nBody.")
    assert caught.value.message.startswith(reason)
    assert caught.value.hint == "Correct the TOML between the lines +++."


def test_tables_and_fences_of_markdown(tmp_path: Path) -> None:
    result = markdown(tmp_path, "| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n")
    assert parts(result) == [("table", "a | b\n1 | 2"), ("code", "x = 1")]


def test_a_listing_within_a_list_keeps_its_lines(tmp_path: Path) -> None:
    result = markdown(tmp_path, "1. Run:\n\n   ```sh\n   if x\n     y\n   ```\n\n1. Then stop.\n")
    assert [(kind, text.replace(" \n", "\n")) for kind, text in parts(result)] == [
        ("list_item", "1. Run:\nif x\n  y"),
        ("list_item", "2. Then stop."),
    ]


def test_a_file_of_front_matter_alone_fails(tmp_path: Path) -> None:
    with pytest.raises(InvalidMetadata) as caught:
        markdown(tmp_path, "---\ntitle: T\n---\n")
    assert caught.value.message == "no content after frontmatter"


# --- plain text and encodings


def test_the_paragraphs_of_a_plain_text_are_parted_by_blank_lines(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.txt", "One line\nand <b> more.\n \n\nTwo & three.\fFour.\n")
    assert [text.split() for _, text in parts(converted(path))] == [
        ["One", "line", "and", "<b>", "more."],
        ["Two", "&", "three."],
        ["Four."],
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("suffix", [".txt", ".md", ".html"])
def test_the_usual_encodings_are_read_in_silence(
    tmp_path: Path, encoding: str, suffix: str
) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_text("Gr\u00f6\u00dfe \u2013 \u03b1", encoding=encoding)
    result = converted(path)
    assert (result.plain_text, result.notes) == ("Gr\u00f6\u00dfe \u2013 \u03b1", ())


def test_a_declared_encoding_is_believed_and_an_assumed_one_told(tmp_path: Path) -> None:
    declared = tmp_path / "a.html"
    declared.write_bytes("<meta charset=iso-8859-2><p>\u0142an".encode("iso-8859-2"))
    assert (converted(declared).plain_text, converted(declared).notes) == ("\u0142an", ())
    assumed = tmp_path / "a.txt"
    assumed.write_bytes(b"caf\xe9 \x96")
    assert converted(assumed).plain_text == "caf\u00e9 \u2013"
    assert "Windows-1252" in converted(assumed).notes[0]
    undefined = tmp_path / "b.txt"
    undefined.write_bytes(b"caf\xe9 \x81")
    assert converted(undefined).plain_text.startswith("caf\u00e9")
    undefined.write_bytes(b"\x93caf\xe9\x94 \x81")
    assert converted(undefined).plain_text.startswith("\u201ccaf\u00e9\u201d")


@pytest.mark.parametrize(
    ("declared", "encoding", "text"),
    [
        ("iso-8859-1", "cp1252", "\u201ccaf\u00e9\u201d \u2013 \u20ac"),
        ("us-ascii", "cp1252", "\u201ccaf\u00e9\u201d"),
        ("iso-8859-9", "cp1254", "\u201c\u015fey\u201d"),
        ("gb2312", "gb18030", "\u9555\u662f"),
        ("shift_jis", "cp932", "\u2460\u65e5"),
        ("euc-kr", "cp949", "\ub620\ud55c"),
        ("utf-16", "utf-8", "caf\u00e9 noir"),
    ],
)
def test_a_declared_encoding_is_read_as_browsers_read_it(
    tmp_path: Path, declared: str, encoding: str, text: str
) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(f"<meta charset={declared}><p>{text}".encode(encoding))
    assert (converted(path).plain_text, converted(path).notes) == (text, ())


def test_utf_8_that_is_declared_as_latin_1_is_read_as_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<meta charset=iso-8859-1><p>caf\u00e9 \u2013 na\u00efve", encoding="utf-8")
    assert converted(path).plain_text == "caf\u00e9 \u2013 na\u00efve"
    assert converted(path).notes == ("it says that it is iso-8859-1 and was read as UTF-8",)


# --- EPUB


def test_the_chapters_of_a_book_follow_its_spine(tmp_path: Path) -> None:
    path = write_epub(
        tmp_path / "book",
        "<section><h1>One</h1><p>First <i>words</i><a id='n'/>.</p></section>",
        "<h1>Two</h1><p>Second.</p><img src='https://example.org/x.png'/>",
        metadata="<dc:title>On wheat</dc:title><dc:creator>Jane Doe</dc:creator>"
        "<dc:identifier>urn:isbn:9</dc:identifier><dc:identifier>doi:10.1000/1</dc:identifier>",
    )
    result = converted(path)
    assert result.plain_text == "One\n\nFirst words.\n\nTwo\n\nSecond."
    assert headings(result) == [(1, "One"), (1, "Two")]
    told = result.embedded
    assert (told.title, told.author, told.doi) == ("On wheat", "Jane Doe", "10.1000/1")


_NAVIGATION = """<html xmlns="http://www.w3.org/1999/xhtml"
 xmlns:epub="http://www.idpf.org/2007/ops">
<nav epub:type="landmarks"><ol><li><a href="c%201.xhtml">Start</a></li></ol></nav>
<nav epub:type="toc"><ol><li><a href="c%200.xhtml">Sowing</a><ol>
<li><a href="c%200.xhtml#depth">How <i>Deep</i></a></li><li><a href="gone.xhtml">Gone</a></li>
</ol></li><li><span>Reaping</span><ol><li><a href="c%201.xhtml">When</a></li></ol></li></ol></nav>
</html>"""
_POINT = "<navPoint><navLabel><text>{}</text></navLabel><content src='{}'/>"
_NCX = f"""<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>
{_POINT.format("Sowing", "c%200.xhtml")}{_POINT.format("How Deep", "c%200.xhtml#depth")}
</navPoint></navPoint>{_POINT.format("Reaping", "c%201.xhtml")}
{_POINT.format("When", "c%201.xhtml")}</navPoint></navPoint></navMap></ncx>"""
_TABLES = {
    "nav": ({"OEBPS/nav.xhtml": _NAVIGATION}, ""),
    "ncx": (
        {"OEBPS/toc.ncx": _NCX},
        '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
    ),
}


@pytest.mark.parametrize(
    "chapter",
    [
        "<p>Wheat is sown.</p><ul id='depth'><li>A hand.</li></ul>",
        "<p>SOWING</p><p>Wheat is sown.</p><div id='depth'>How Deep</div><p>A hand.</p>",
        "<h3>Sowing</h3><p>Wheat is sown.</p><a id='depth'></a><h1>How Deep</h1><p>A hand.</p>",
        "<p>1</p><h1>Sowing</h1><p>Wheat is sown.</p><h2 id='depth'>How Deep</h2><p>A hand.</p>",
    ],
)
@pytest.mark.parametrize("table", _TABLES)
def test_a_book_has_the_sections_of_its_contents(tmp_path: Path, chapter: str, table: str) -> None:
    more, item = _TABLES[table]
    book = write_epub(tmp_path / "a", chapter, "<p>It is reaped.</p>", more=more, manifest=item)
    result = converted(book)
    paths = {
        result.text_of(block).strip("- "): result.section_path(block.section)
        for block in result.blocks
    }
    assert paths["Wheat is sown."] in (("Sowing",), ("SOWING",))
    assert paths["A hand."] == (*paths["Wheat is sown."], "How Deep")
    assert paths["It is reaped."] == ("Reaping", "When")


def test_headings_that_agree_with_the_contents_stay(tmp_path: Path) -> None:
    chapter = "<h2>Sowing</h2><p>Wheat.</p><h4>Seed</h4><p>Old.</p><h3 id='depth'>How Deep</h3>"
    more, _ = _TABLES["nav"]
    found = headings(converted(write_epub(tmp_path / "book", chapter, more=more)))
    assert found == [(1, "Sowing"), (3, "Seed"), (2, "How Deep")]


def test_contents_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    more = {"OEBPS/nav.xhtml": "<nav><ol>"}
    result = converted(write_epub(tmp_path / "book", "<p>Wheat is sown.</p>", more=more))
    assert result.plain_text == "Wheat is sown."
    assert result.notes == ("its table of contents cannot be read and names no sections",)


def test_a_book_may_be_packed_with_the_folder_that_has_it(tmp_path: Path) -> None:
    with ZipFile(write_epub(tmp_path / "plain", "<p>Wheat is sown.</p>")) as plain:
        members = {f"epub/{name}": plain.read(name) for name in plain.namelist()}
    book = write_zip(tmp_path / "book.epub", members)
    assert converted(book).plain_text == "Wheat is sown."


def test_entities_of_a_package_are_not_expanded(tmp_path: Path) -> None:
    secret = write_text(tmp_path / "secret", "secret words")
    path = write_epub(
        tmp_path / "book",
        "<p>Body.</p>",
        doctype=f'<!DOCTYPE package [<!ENTITY a SYSTEM "{secret.as_uri()}">]>',
        metadata="<dc:title>&a; told</dc:title>",
    )
    assert "secret" not in converted(path).embedded.front_text


@pytest.mark.parametrize("reference", ["OEBPS/c%200.xhtml", None])
def test_a_book_under_rights_management_is_locked(tmp_path: Path, reference: str | None) -> None:
    more = {"META-INF/rights.xml": "<rights/>"}
    if reference:
        more = {"META-INF/encryption.xml": f'<e><CipherReference URI="{reference}"/></e>'}
    with pytest.raises(EncryptedDocument):
        converted(write_epub(tmp_path / "book", "<p>Body.</p>", more=more))


def test_scrambled_fonts_lock_nothing(tmp_path: Path) -> None:
    more = {"META-INF/encryption.xml": '<e><CipherReference URI="OEBPS/font.otf"/></e>'}
    assert converted(write_epub(tmp_path / "book", "<p>Body.</p>", more=more)).plain_text == "Body."


# --- Word


def test_a_word_document_keeps_its_structure(tmp_path: Path) -> None:
    document = docx.Document()
    document.core_properties.title = "On wheat"
    document.core_properties.author = "Jane Doe"
    document.core_properties.identifier = "doi:10.1000/1"
    document.add_heading("On wheat", 0)
    paragraph = document.add_paragraph("By the ")
    paragraph.add_run("road").bold = True
    paragraph.add_run(", H")
    paragraph.add_run("2").font.subscript = True
    paragraph.add_run("O.")
    paragraph.add_run(" hidden").font.hidden = True
    document.add_heading("Aims", 1)
    document.add_paragraph("One", style="List Bullet")
    document.add_paragraph("Deep", style="List Bullet 2")
    document.add_paragraph("First", style="List Number")
    document.add_heading("Data", 2)
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "a", "1"
    broken = document.add_paragraph("Before")
    broken.add_run().add_break(WD_BREAK.PAGE)
    broken.add_run("after.")
    document.sections[0].header.paragraphs[0].text = "Running head"
    document.save(str(tmp_path / "a.docx"))
    result = converted(tmp_path / "a.docx")
    assert [(kind, " ".join(text.split())) for kind, text in parts(result)] == [
        ("title", "On wheat"),
        ("paragraph", "By the road, H\u2082O."),
        ("heading", "Aims"),
        ("list_item", "- One"),
        ("list_item", "- Deep"),
        ("list_item", "1. First"),
        ("heading", "Data"),
        ("table", "a | 1"),
        ("paragraph", "Before after."),
    ]
    assert headings(result) == [(1, "On wheat"), (2, "Aims"), (3, "Data")]
    assert result.page_count == 0
    told = result.embedded
    assert (told.title, told.author, told.doi) == ("On wheat", "Jane Doe", "10.1000/1")


FOOTNOTES = """<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
<w:footnote w:id="0" w:type="separator"><w:p/></w:footnote>
<w:footnote w:id="2"><w:p><w:r><w:t>See the road.</w:t></w:r></w:p></w:footnote></w:footnotes>"""
RELATION = (
    '<Relationship Id="rId99" Target="footnotes.xml" Type='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"/>'
)
OVERRIDE = (
    '<Override PartName="/word/footnotes.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"/>'
)
REVISED = (
    '</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:del><w:r><w:delText>gone</w:delText>'
    "</w:r></w:del><w:ins><w:r><w:t>, then reaped.</w:t></w:r></w:ins>"
)


def test_footnotes_stand_at_the_end_and_revisions_are_accepted(tmp_path: Path) -> None:
    with ZipFile(write_docx(tmp_path / "plain", "Wheat was sown")) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, old, new in (
        ("word/document.xml", "</w:t></w:r>", REVISED),
        ("word/_rels/document.xml.rels", "</Relationships>", f"{RELATION}</Relationships>"),
        ("[Content_Types].xml", "</Types>", f"{OVERRIDE}</Types>"),
    ):
        members[name] = members[name].replace(old.encode(), new.encode())
    members["word/footnotes.xml"] = FOOTNOTES.encode()
    assert parts(converted(write_zip(tmp_path / "noted.docx", members))) == [
        ("paragraph", "Wheat was sown[1], then reaped."),
        ("heading", "Footnotes"),
        ("paragraph", "[1] See the road."),
    ]


# --- presentations


def test_each_slide_is_a_page(tmp_path: Path) -> None:
    slides = pptx.Presentation()
    first = slides.slides.add_slide(slides.slide_layouts[0])
    first.shapes.title.text, first.placeholders[1].text = "On wheat", "Jane Doe"
    second = slides.slides.add_slide(slides.slide_layouts[1])
    second.shapes.title.text = "Aims"
    frame = second.placeholders[1].text_frame
    frame.text = "Bread"
    frame.add_paragraph().text = "Rolls"
    frame.paragraphs[1].level = 1
    second.notes_slide.notes_text_frame.text = "Say this aloud."
    hidden = slides.slides.add_slide(slides.slide_layouts[1])
    hidden.shapes.title.text = "Hidden"
    hidden.notes_slide.notes_text_frame.text = "Keep this to yourself."
    hidden._element.set("show", "0")
    last = slides.slides.add_slide(slides.slide_layouts[6])
    inch = Inches(1)
    cells = last.shapes.add_table(1, 2, inch, inch, inch, inch).table
    cells.cell(0, 0).text, cells.cell(0, 1).text = "a", "1"
    slides.save(str(tmp_path / "a.pptx"))
    result = converted(tmp_path / "a.pptx")
    placed = [(b.fragments[0].page, result.text_of(b)) for b in result.blocks]
    assert placed == [
        (1, "On wheat"),
        (1, "Jane Doe"),
        (2, "Aims"),
        (2, "- Bread"),
        (2, "  - Rolls"),
        (2, "Say this aloud."),
        (4, "a | 1"),
    ]
    assert headings(result) == [(1, "On wheat"), (1, "Aims")]
    assert sections(result)[:4] == [
        ("On wheat", ("On wheat",)),
        ("Jane Doe", ("On wheat",)),
        ("Aims", ("Aims",)),
        ("- Bread", ("Aims",)),
    ]
    assert section_names(result.headings) == ("", "1")
    assert result.page_count == 4
    hidden_text = "Hidden Keep this to yourself."
    assert result.left_out == {0: (LeftOut(kind=LeftOutKind.UNSEEN, count=5, text=hidden_text),)}


# --- bad files


def bomb(path: Path) -> Path:
    return write_zip(path, {"word/document.xml": b" " * (130 << 20)})


BAD: dict[str, tuple[type[CiteloomError], Callable[[Path], object]]] = {
    "zero.docx": (EmptyDocument, lambda path: path.write_bytes(b"")),
    "blank.txt": (EmptyDocument, lambda path: path.write_text(" \n\n ")),
    "image.html": (EmptyDocument, lambda path: path.write_text("<img src=x.png>")),
    "locked.docx": (
        EncryptedDocument,
        lambda path: path.write_bytes(OLE + "EncryptedPackage".encode("utf-16-le")),
    ),
    "old.pptx": (UnreadableDocument, lambda path: path.write_bytes(OLE + bytes(600))),
    "other.docx": (UnreadableDocument, lambda path: write_zip(path, {"hello": "x"})),
    "other.epub": (UnreadableDocument, lambda path: write_zip(path, {"hello": "x"})),
    "chapterless.epub": (UnreadableDocument, write_epub),
    "text.pptx": (UnreadableDocument, lambda path: path.write_text("no archive")),
    "pdf.txt": (UnreadableDocument, lambda path: path.write_bytes(b"%PDF-1.4 1 0 obj")),
    "noise.md": (UnreadableDocument, lambda path: path.write_bytes(bytes(range(256)) * 8)),
    "deep.md": (UnreadableDocument, lambda path: path.write_text(">" * 500 + " x")),
    "deep.html": (UnreadableDocument, lambda path: path.write_text("<div>" * 3000 + "x")),
    "bomb.docx": (UnreadableDocument, bomb),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_with_its_reason(name: str, tmp_path: Path) -> None:
    expected, write = BAD[name]
    write(tmp_path / name)
    with pytest.raises(expected) as refused:
        converted(tmp_path / name)
    assert refused.value.message.startswith(name)
    assert not re.search("Error|Exception|Backend|Errno", refused.value.message)
    assert refused.value.hint


def test_a_locked_archive_is_told_from_a_damaged_one(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "a", "Text.")
    content = bytearray(path.read_bytes())
    entry = content.index(b"PK\x01\x02")
    content[entry + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(EncryptedDocument):
        converted(path)
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(UnreadableDocument, match="not a complete zip archive"):
        converted(path)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("good")
    return [
        write_docx(folder / "a", "Wheat was sown."),
        write_pptx(folder / "a", "Wheat was sown."),
        write_epub(folder / "a", "<p>Wheat was sown.</p>"),
        write_html(folder / "a", "Wheat was sown."),
    ]


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_and_never_breaks(
    good: list[Path], tmp_path: Path, data: st.DataObject
) -> None:
    path = data.draw(st.sampled_from(good))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    target = tmp_path / path.name
    target.write_bytes(content[: data.draw(st.integers(1, len(content)))])
    refusals = (EmptyDocument, EncryptedDocument, UnreadableDocument)
    with suppress(*refusals):
        assert converted(target).plain_text.strip()


def test_every_other_format_has_no_page_unless_it_has_slides(tmp_path: Path) -> None:
    counts = {
        name: converted(write(tmp_path / "a", "Text.")).page_count
        for name, write in WRITERS.items()
    }
    assert counts.pop("pptx") == 1
    assert set(counts.values()) == {0}
