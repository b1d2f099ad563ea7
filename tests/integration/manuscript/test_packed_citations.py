"""Citations in Word and OpenDocument files: of Zotero's plugins, by key, by author and year."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from citeloom.domain.errors import UnreadableDocument
from citeloom.domain.manuscript.draft import Draft
from citeloom.domain.manuscript.named_works import with_citekeys
from citeloom.domain.manuscript.quotations import quotations
from citeloom.domain.references.citation import CitationMeta
from citeloom.infrastructure.manuscript.draft_reader import draft_of, read_draft
from citeloom.infrastructure.manuscript.pandoc import pandoc_program

REFERENCES = (
    CitationMeta(citekey="doe2020", title="Rain", authors=("Doe, A",), year=2020, doi="10.5555/x"),
    CitationMeta(citekey="roe2001", title="A title", authors=("Röe, Bo",), year=2001),
    CitationMeta(citekey="poe1999", title="C", authors=("Poe, C",), year=1999, item_key="ABCD1234"),
)
CITED = [
    {
        "id": 42,
        "itemData": {"id": 42, "title": "Otherwise", "DOI": "10.5555/X"},
        "locator": "45",
        "label": "page",
        "prefix": "see",
    },
    {"id": 43, "itemData": {"id": 43, "title": "A Title"}, "suffix": "passim"},
]
CODE = "ZOTERO_ITEM CSL_CITATION " + json.dumps({"citationItems": CITED})


def written(folder: Path, markdown: str, suffix: str) -> Path:
    """A file that Pandoc makes, in which CITATION stands for a field of Zotero's."""
    path = folder / f"thesis.{suffix}"
    command = [pandoc_program(), "-f", "markdown-citations", "-o", str(path)]
    subprocess.run(command, input=markdown.encode(), check=True)
    inner = "word/document.xml" if suffix == "docx" else "content.xml"
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    field = _word_field() if suffix == "docx" else _text_field()
    parts[inner] = parts[inner].decode().replace("CITATION", field).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def _word_field(instruction: str = f" ADDIN {CODE} ") -> str:
    def char(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    half = len(instruction) // 2
    parts = (instruction[:half], instruction[half:])
    code = "".join(
        f'<w:r><w:instrText xml:space="preserve">{escape(part)}</w:instrText></w:r>'
        for part in parts
    )
    field = f"{char('begin')}{code}{char('separate')}<w:r><w:t>(Doe)</w:t></w:r>{char('end')}"
    return f"</w:t></w:r>{field}<w:r><w:t>"


def _text_field() -> str:
    name = escape(CODE + " RNDabc", {'"': "&quot;"})
    return (
        f'<text:reference-mark-start text:name="{name}"/>(<text:span>Doe</text:span>)'
        f'<text:reference-mark-end text:name="{name}"/>'
    )


def cited(draft: Draft) -> list[tuple[str, str | None]]:
    resolved = with_citekeys(draft, REFERENCES)
    return [(one.citekey, str(one.locator) if one.locator else None) for one in resolved.citations]


@pytest.mark.parametrize("suffix", ["docx", "odt"])
def test_live_citations_are_found_by_doi_and_title(tmp_path: Path, suffix: str) -> None:
    draft = read_draft(written(tmp_path, "He says “agree more” CITATION, so.", suffix))
    assert cited(draft) == [("doe2020", "45"), ("roe2001", None)]
    [quotation] = quotations(with_citekeys(draft, REFERENCES))
    assert (quotation.text, len(quotation.citations)) == ("agree more", 2)
    assert (quotation.place.line, quotation.place.column) == (1, 10)


@pytest.mark.parametrize("suffix", ["docx", "odt"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is so \\[@doe2020, p. 3; see @poe1999\\].", [("doe2020", "3"), ("poe1999", None)]),
        ("As \\@doe2020 \\[p. 4\\] says.", [("doe2020", "4")]),
        ("It is so (Doe, 2020, p. 45).", [("doe2020", "45")]),
        ("It is so (see Doe 2020: 45; Röe & Poe, 2001).", [("doe2020", "45"), ("roe2001", None)]),
        ("As Doe et al. (2020, p. 7) say.", [("doe2020", "7")]),
        ("It is so (DOE; POE, 2020, p. 4).", [("doe2020", "4")]),
        ("It is so (Doe, “Rain,” 2020, p. 4).", [("doe2020", "4")]),
        ("It is so.[^1]\n\n[^1]: Doe, A. 2020, p. 4; more.", [("doe2020", "4")]),
        ("It is so.[^1]\n\n[^1]: See Röe (2001). A title, p. 4.", [("roe2001", "4")]),
        ("It is so\uff08Doe\uff0c2020\uff0cp. 4\uff09.", [("doe2020", "4")]),
        ("Write to {a,b}@example.org or x \\@example.org.", []),
        ("See (Figure 2020) and (March 1999).", []),
        ("“It is so (Doe, 2020)”.", []),
        ("Write to a@doe2020.org.", []),
    ],
)
def test_written_citations_are_read(
    tmp_path: Path, suffix: str, text: str, expected: list[tuple[str, str | None]]
) -> None:
    assert cited(read_draft(written(tmp_path, text, suffix))) == expected


SOURCES = """<b:Sources xmlns:b="http://schemas.openxmlformats.org/officeDocument/2006/bibliography">
<b:Source><b:Tag>Doe20</b:Tag><b:Title>Rain</b:Title><b:Year>2020</b:Year><b:Author><b:Author>
<b:NameList><b:Person><b:Last>Doe</b:Last></b:Person></b:NameList></b:Author></b:Author></b:Source>
<b:Source><b:Tag>Poe00</b:Tag><b:Title>Snow</b:Title><b:Year>2000</b:Year><b:Author><b:Author>
<b:Corporate>Poe</b:Corporate></b:Author></b:Author></b:Source></b:Sources>"""


def edited(path: Path, inner: str, edit: Callable[[str], str], **more: str) -> Path:
    """The file with one of its parts edited, and more parts."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[inner] = edit(parts[inner].decode()).encode()
    parts |= {f"customXml/{name}.xml": text.encode() for name, text in more.items()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def in_word(folder: Path, text: str, *fields: str, sources: str = SOURCES) -> Draft:
    """A draft in Word; each `FIELD` of the text is one of the fields, in order."""
    waiting = iter(fields)

    def edit(xml: str) -> str:
        return re.sub("FIELD", lambda _: next(waiting), xml)

    return read_draft(
        edited(written(folder, text, "docx"), "word/document.xml", edit, item1=sources)
    )


@pytest.mark.parametrize(
    "field",
    [
        _word_field(r" CITATION Doe20 \p 45 \l 1033 "),
        '</w:t></w:r><w:fldSimple w:instr=" CITATION Doe20 \\p 45 \\l 1031 "><w:r><w:t>(Doe, S. 45)'
        "</w:t></w:r></w:fldSimple><w:r><w:t>",
    ],
)
def test_citations_of_word_itself_are_those_of_its_sources(tmp_path: Path, field: str) -> None:
    draft = in_word(tmp_path, "He says “agree more” FIELD.", field)
    assert cited(draft) == [("doe2020", "45")]
    assert [(one.citekey, one.is_read) for one in draft.written] == [("Doe20", True)]


def test_several_sources_of_a_field_are_cited_and_unknown_ones_named(tmp_path: Path) -> None:
    field = _word_field(r'CITATION Doe20 \f "see " \l 1033 \m Poe00 \p 6 \m Zoe99')
    draft = in_word(tmp_path, "So it is FIELD.", field)
    assert cited(draft) == [("doe2020", None), ("Poe 2000, Snow", "6"), ("Zoe99", None)]


def test_each_field_of_mendeley_counts_its_works_anew(tmp_path: Path) -> None:
    def field(title: str) -> str:
        item = {"id": "ITEM-1", "itemData": {"id": "ITEM-1", "title": title}}
        return _word_field(f"ADDIN CSL_CITATION {json.dumps({'citationItems': [item]})}")

    draft = in_word(tmp_path, "FIELD and FIELD.", field("A title"), field("Otherwise"))
    assert cited(draft) == [("roe2001", None), ("Otherwise", None)]


def test_citations_of_endnote_are_read_from_their_code_or_the_data_in_it(tmp_path: Path) -> None:
    cite = (
        "<EndNote><Cite><Author>Doe</Author><Year>2020</Year><RecNum>7</RecNum><Pages>45</Pages>"
        "<record><titles><title><style>Rain</style></title></titles></record></Cite></EndNote>"
    )
    data = base64.b64encode(cite.encode()).decode()
    inner = f'<w:r><w:fldChar w:fldCharType="begin"><w:fldData>{data}</w:fldData></w:fldChar></w:r>'
    packed = _word_field(" ADDIN EN.CITE ").replace(
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>',
        f"{inner}<w:r><w:instrText> ADDIN EN.CITE.DATA </w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>',
    )
    draft = in_word(tmp_path, "FIELD and FIELD.", _word_field(f" ADDIN EN.CITE {cite}"), packed)
    assert cited(draft) == [("doe2020", "45"), ("doe2020", "45")]
    assert all(one.is_read for one in draft.written)


def test_text_boxes_are_read(tmp_path: Path) -> None:
    box = (
        "</w:t></w:r><w:r><w:pict><v:shape xmlns:v='urn:schemas-microsoft-com:vml'><v:textbox>"
        "<w:txbxContent><w:p><w:r><w:t>“agree more” (Doe, 2020, p. 3)</w:t></w:r></w:p>"
        "</w:txbxContent></v:textbox></v:shape></w:pict></w:r><w:r><w:t>"
    )
    assert cited(in_word(tmp_path, "Text FIELD.", box)) == [("doe2020", "3")]
    box = (
        "<draw:frame><draw:text-box><text:p>“agree more” (Doe, 2020, p. 3)</text:p>"
        "</draw:text-box></draw:frame>"
    )
    path = written(tmp_path, "Text FIELD.", "odt")
    draft = read_draft(edited(path, "content.xml", lambda xml: xml.replace("FIELD", box)))
    assert cited(draft) == [("doe2020", "3")]


def _run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


QUOTED = "“agree more” (Doe, 2020, p. 3)"
RUBY = (
    f"<w:r><w:ruby><w:rt>{_run('x')}</w:rt><w:rubyBase>{_run(QUOTED)}</w:rubyBase></w:ruby></w:r>"
)


@pytest.mark.parametrize(
    "inline",
    [
        f'<w:customXml w:element="x">{_run(QUOTED)}</w:customXml>',
        f'<w:fldSimple w:instr=" QUOTE ">{_run(QUOTED)}</w:fldSimple>',
        f'<w:dir w:val="ltr">{_run(QUOTED)}</w:dir>',
        f'<w:bdo w:val="ltr">{_run(QUOTED)}</w:bdo>',
        f"<w:sdt><w:sdtPr/><w:sdtContent>{_run(QUOTED)}</w:sdtContent></w:sdt>",
        RUBY,
    ],
)
def test_what_word_puts_around_words_hides_none(tmp_path: Path, inline: str) -> None:
    draft = in_word(tmp_path, "Text FIELD.", f"</w:t></w:r>{inline}<w:r><w:t>")
    assert [one.text for one in quotations(draft)] == ["agree more"]
    assert cited(draft) == [("doe2020", "3")]


def test_what_word_puts_around_paragraphs_hides_none(tmp_path: Path) -> None:
    block = f'<w:customXml w:element="x"><w:p>{_run(QUOTED)}</w:p></w:customXml>'
    path = written(tmp_path, "Text.", "docx")
    draft = read_draft(
        edited(path, "word/document.xml", lambda xml: xml.replace("<w:body>", f"<w:body>{block}"))
    )
    assert [one.text for one in quotations(draft)] == ["agree more"]
    assert cited(draft) == [("doe2020", "3")]


LOEXT = "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"
SHAPE = f"<draw:custom-shape><text:p>{QUOTED}</text:p></draw:custom-shape>"


@pytest.mark.parametrize(
    "markup",
    [
        f"<text:p>Text <x:content-control xmlns:x='{LOEXT}'>{QUOTED}</x:content-control></text:p>",
        f"<text:p>Text <text:meta>{QUOTED}</text:meta> on</text:p>",
        f"<text:p>Text <text:text-input>{QUOTED}</text:text-input> on</text:p>",
        f"<text:p>Text <text:user-field-get>{QUOTED}</text:user-field-get> on</text:p>",
        f"<text:p><text:ruby><text:ruby-base>{QUOTED}</text:ruby-base>"
        "<text:ruby-text>x</text:ruby-text></text:ruby> on</text:p>",
        f"<text:numbered-paragraph><text:p>{QUOTED}</text:p></text:numbered-paragraph>",
        f"<text:p>Text {SHAPE} on</text:p>",
        f"<text:p>Text <draw:g>{SHAPE}</draw:g> on</text:p>",
        SHAPE,
        f"<draw:frame><draw:text-box><text:p>{QUOTED}</text:p></draw:text-box></draw:frame>",
    ],
)
def test_what_an_opendocument_text_puts_around_words_hides_none(
    tmp_path: Path, markup: str
) -> None:
    path = written(tmp_path, "Text.", "odt")
    draft = read_draft(
        edited(
            path, "content.xml", lambda xml: xml.replace("<office:text>", "<office:text>" + markup)
        )
    )
    assert [one.text for one in quotations(draft)] == ["agree more"]
    assert cited(draft) == [("doe2020", "3")]


def test_a_citation_that_the_reader_does_not_see_is_told(tmp_path: Path) -> None:
    bookmark = '</w:t></w:r><w:bookmarkStart w:id="9" w:name="ZOTERO_BREF_abc"/><w:r><w:t>'
    draft = in_word(tmp_path, "Text FIELD (Doe, 2020).", bookmark)
    assert [(one.citekey, one.is_read) for one in draft.written] == [
        ("ZOTERO_BREF_abc", False),
        ("Doe 2020", True),
    ]


@pytest.mark.parametrize(
    "code",
    [
        {"citationItems": [None, "id", {"id": None, "itemData": [1], "prefix": 5, "uris": [None]}]},
        {"citationItems": [{"itemData": {"author": [None], "issued": [], "title": ["x"]}}]},
        {"citationItems": 5},
        ["citationItems"],
    ],
)
def test_odd_marks_of_zotero_end_nothing(tmp_path: Path, code: object) -> None:
    mark = escape(f"ZOTERO_ITEM CSL_CITATION {json.dumps(code)}", {'"': "&quot;"})
    start = f'<text:reference-mark-start text:name="{mark}"/>'
    path = written(tmp_path, "Text FIELD (Doe, 2020, p. 3).", "odt")
    draft = read_draft(edited(path, "content.xml", lambda xml: xml.replace("FIELD", start)))
    assert ("doe2020", "3") in cited(draft)


def test_an_encrypted_file_is_refused(tmp_path: Path) -> None:
    for suffix in ("odt", "docx"):
        content = bytearray(written(tmp_path, "Text.", suffix).read_bytes())
        for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
            at = content.find(signature)
            while at >= 0:
                content[at + offset] |= 1
                at = content.find(signature, at + 4)
        with pytest.raises(UnreadableDocument, match="encrypted"):
            draft_of(bytes(content), Path(f"thesis.{suffix}"))


def test_what_is_no_opendocument_text_says_so() -> None:
    with pytest.raises(UnreadableDocument, match="no OpenDocument text"):
        draft_of(b"nothing", Path("thesis.odt"))
