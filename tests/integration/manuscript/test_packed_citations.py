"""Citations in Word and OpenDocument files: of Zotero's plugins, by key, by author and year."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from citeloom.domain.errors import UnreadableDocument
from citeloom.domain.manuscript.draft import Draft, with_citekeys
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


def _word_field() -> str:
    def char(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    code = f"<w:r><w:instrText> ADDIN {escape(CODE)} </w:instrText></w:r>"
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
        ("See (Figure 2020) and (March 1999).", []),
        ("“It is so (Doe, 2020)”.", []),
        ("Write to a@doe2020.org.", []),
    ],
)
def test_written_citations_are_read(
    tmp_path: Path, suffix: str, text: str, expected: list[tuple[str, str | None]]
) -> None:
    assert cited(read_draft(written(tmp_path, text, suffix))) == expected


def test_what_is_no_opendocument_text_says_so() -> None:
    with pytest.raises(UnreadableDocument, match="no OpenDocument text"):
        draft_of(b"nothing", Path("thesis.odt"))
