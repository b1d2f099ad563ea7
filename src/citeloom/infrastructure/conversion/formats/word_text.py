# ruff: noqa: RUF001 - letters of other alphabets and signs are what it is about
"""The body of a Word document as a reader sees it, its text in plain runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from docx.document import Document as WordDocument
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph
from lxml import etree

from citeloom.domain.documents.conversion import LeftOutKind
from citeloom.infrastructure.conversion.formats.omml import formula_in_line
from citeloom.infrastructure.conversion.formats.printed_text import readings_left_out, script_of
from citeloom_pdf.elements.text import normalised

_OFF = ("0", "false", "off")
_PAGE_TURNS = ("page", "column")
_DROPPED = ("w:del", "w:moveFrom")
_UNWRAPPED = (
    "w:ins w:moveTo w:hyperlink w:smartTag w:customXml w:dir w:bdo w:sdt w:sdtContent"
).split()
_PROPERTIES = ("w:sdtPr", "w:sdtEndPr", "w:customXmlPr")
_DELETED = ("w:pPr/w:rPr/w:del", "w:pPr/w:rPr/w:moveFrom")
_ROW_DELETED = "w:trPr/w:del"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_GRAPHIC = "{http://schemas.openxmlformats.org/drawingml/2006/main}graphicData"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_OF_LETTERS = (qn("w:t"), f"{_MATH}t")
_HEADING = "Heading 1"
_NOTES = {
    "w:footnoteReference": (RELATIONSHIP_TYPE.FOOTNOTES, "w:footnote"),
    "w:endnoteReference": (RELATIONSHIP_TYPE.ENDNOTES, "w:endnote"),
}
_BESIDE = {
    RELATIONSHIP_TYPE.HEADER: LeftOutKind.HEADER,
    RELATIONSHIP_TYPE.FOOTER: LeftOutKind.FOOTER,
    RELATIONSHIP_TYPE.COMMENTS: LeftOutKind.ANNOTATION,
}
_APART = ("w:tab", "w:br", "w:cr", "w:noBreakHyphen")  # parts words
_RAISED = {"superscript": True, "subscript": False}
_FAR = re.compile(r"-?(?:[4-9]|1\d)")  # half points: what is moved less is set level
_PRIVATE = 0xF000  # what Word adds to the codes of symbol fonts
_SYMBOLS = {
    **dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ")),
    **dict(zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ")),
    **dict(zip(range(0xA3, 0xA6), "≤⁄∞")),
    **dict(zip(range(0xAB, 0xB0), "↔←↑→↓")),
    **dict(zip(range(0xB0, 0xBF), "°±″≥×∝∂•÷≠≡≈…")),
    **dict(zip(range(0xC4, 0xD7), "⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√")),
    **dict(zip(range(0xD7, 0xDF), "⋅¬∧∨⇔⇐⇑⇒")),
    0xE5: "∑",
    0xF2: "∫",
}
"""Letters and signs of Adobe's Symbol encoding."""


def make_plain(body: etree._Element) -> tuple[str, ...]:
    """Remove what a reader does not see, write what is not set as plain letters with such, and drop
    the formatting of runs, which splits paragraphs. Notes name what is lost by it.
    """
    _drop(row for row in body.iter(qn("w:tr")) if _find(row, _ROW_DELETED) is not None)
    _join_paragraphs(body)
    _drop(body.iter(*map(qn, _DROPPED)))
    _drop(_contents(body))
    notes = (*_take_pictures(body), *_take_readings(body), *_write_symbols(body))
    for turn in [
        element for element in body.iter(qn("w:br")) if element.get(qn("w:type")) in _PAGE_TURNS
    ]:
        turn.tag = qn("w:tab")
    _drop(body.iter(*map(qn, _PROPERTIES)))
    for wrapper in list(body.iter(*map(qn, _UNWRAPPED))):
        _unwrap(wrapper)
    for formula in list(body.iter(f"{_MATH}oMath")):
        if formula.getparent().tag != f"{_MATH}oMathPara":
            formula.getparent().replace(formula, _run(formula_in_line(formula)))
    _flatten_tables(body)
    runs = list(body.iter(qn("w:r")))
    _drop(run for run in runs if _is_hidden(run))
    _write_scripts(body)
    _drop(looks for run in runs for looks in run.findall(qn("w:rPr")))
    return notes


def _contents(body: etree._Element) -> list[etree._Element]:
    """The tables of contents that Word keeps up to date."""
    blocks = (entry.getparent().getparent() for entry in body.iter(qn("w:docPartObj")))
    return list(filter(_is_contents, blocks))


def left_out_of_word(document: WordDocument) -> Iterator[tuple[LeftOutKind, str]]:
    """Contents, running heads and feet, and comments, which are in no passage."""
    for contents in _contents(document.element):
        yield LeftOutKind.CONTENTS, words_in(contents)
    texts = dict[tuple[LeftOutKind, str], None]()
    for relation in document.part.rels.values():
        if not relation.is_external and (kind := _BESIDE.get(relation.reltype)):
            texts[kind, words_in(parse_xml(relation.target_part.blob))] = None
    yield from texts


def words_in(root: etree._Element) -> str:
    """The text of all paragraphs, formulas aside; a paragraph in a box of another stands apart."""
    paragraphs: dict[etree._Element, list[str]] = {}
    for part in root.iter(*map(qn, ("w:t", *_APART))):
        around = next(part.iterancestors(qn("w:p")), None)
        text = (part.text or "") if part.tag == qn("w:t") else " "
        paragraphs.setdefault(around, []).append(text)
    return "\n".join(map("".join, paragraphs.values()))


def add_notes(document: WordDocument) -> None:
    """Number the note references, and append the notes under a heading."""
    # the text of each note, by kind of reference and id
    texts = {}
    parts = {
        part.reltype: part.target_part
        for part in document.part.rels.values()
        if not part.is_external
    }
    for name, (kind, element) in _NOTES.items():
        if kind in parts:
            root = parse_xml(parts[kind].blob)
            make_plain(root)
            for note in root.iter(qn(element)):
                paragraphs = map(_letters, note.iter(qn("w:p")))
                texts[qn(name), note.get(qn("w:id"))] = " ".join(" ".join(paragraphs).split())
    references = [ref for name in _NOTES for ref in document.element.body.iter(qn(name))]
    notes = []
    for number, reference in enumerate(references, start=1):
        text = texts.get((reference.tag, reference.get(qn("w:id"))), "")
        mark = etree.Element(qn("w:t"))
        mark.text = f"[{number}]"
        reference.getparent().replace(reference, mark)
        notes.append(f"[{number}] {text}")
    if any(texts.values()):
        styles = {style.name for style in document.styles}
        _unnumber(document.add_paragraph("Footnotes", _HEADING if _HEADING in styles else None))
        for note in notes:
            document.add_paragraph(note)


def _unnumber(heading: Paragraph) -> None:
    """Take the number from a heading that its style numbers."""
    numbering = heading._p.get_or_add_pPr().get_or_add_numPr()
    numbering.get_or_add_ilvl().val, numbering.get_or_add_numId().val = 0, 0


def _find(element: etree._Element, path: str) -> etree._Element | None:
    return element.find("/".join(map(qn, path.split("/"))))


def _letters(element: etree._Element) -> str:
    return "".join(text.text or "" for text in element.iter(*_OF_LETTERS))


def _drop(elements: Iterable[etree._Element]) -> None:
    for element in list(elements):
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)


def _unwrap(wrapper: etree._Element) -> None:
    parent = wrapper.getparent()
    if parent is not None:
        place = parent.index(wrapper)
        parent[place : place + 1] = list(wrapper)


def _run(text: str) -> etree._Element:
    run = OxmlElement("w:r")
    run.text = text
    return run


def _is_hidden(run: etree._Element) -> bool:
    mark = _find(run, "w:rPr/w:vanish")
    return mark is not None and mark.get(qn("w:val")) not in _OFF


def _is_contents(block: etree._Element) -> bool:
    gallery = block.find(f".//{qn('w:docPartGallery')}")
    return gallery is not None and gallery.get(qn("w:val")) == "Table of Contents"


def _take_pictures(body: etree._Element) -> tuple[str, ...]:
    """Remove pictures and drawings without text, and old forms of others; a note counts them."""
    _drop(body.iter(_FALLBACK))
    drawn = (
        next((data.get("uri", "") for data in drawing.iter(_GRAPHIC)), "")
        for drawing in body.iter(qn("w:drawing"))
    )
    kinds = [uri.rpartition("/")[2] for uri in drawn]
    old = [old for old in body.iter(qn("w:pict")) if old.find(f".//{qn('w:txbxContent')}") is None]
    pictures = kinds.count("picture") + sum(bool(len(each)) for each in old)
    _drop(body.iter(qn("pic:pic")))
    _drop(old)
    return unread(picture=pictures, chart=kinds.count("chart"), diagram=kinds.count("diagram"))


def unread(**counts: int) -> tuple[str, ...]:
    """A note for each kind of what is in the file, and is not read."""
    return tuple(
        f"{count} {kind}{'s are' if count > 1 else ' is'} not read"
        for kind, count in counts.items()
        if count
    )


def _take_readings(body: etree._Element) -> tuple[str, ...]:
    """Leave the characters of words that have their reading above them."""
    words = [ruby for ruby in body.iter(qn("w:ruby")) if ruby.getparent().tag == qn("w:r")]
    for ruby in words:
        outer = ruby.getparent()
        place = outer.getparent().index(outer)
        outer.getparent()[place : place + 1] = list(ruby.iterfind(f"{qn('w:rubyBase')}/*"))
    return readings_left_out(len(words))


def _write_symbols(body: etree._Element) -> tuple[str, ...]:
    """Letters of the Symbol font as Unicode has them; a note counts those of other such fonts."""
    unknown = 0
    for symbol in list(body.iter(qn("w:sym"))):
        code = symbol.get(qn("w:char"), "")
        value = int(code, 16) if code and set(code.lower()) <= set("0123456789abcdef") else 0
        is_symbol = symbol.get(qn("w:font"), "") == "Symbol"
        char = _SYMBOLS.get(value & 0xFF, "") if is_symbol else chr(value)
        if value >= _PRIVATE and not is_symbol:
            char = normalised(char) if normalised(char) != char else ""
        unknown += not char
        text = OxmlElement("w:t")
        text.text = char or "\ufffd"
        symbol.getparent().replace(symbol, text)
    return unread(**{"sign of a symbol font": unknown}) if unknown else ()


def _join_paragraphs(body: etree._Element) -> None:
    """Join a paragraph whose end was deleted, or that is the large first letter, to the next."""
    for paragraph in list(body.iter(qn("w:p"))):
        frame = _find(paragraph, "w:pPr/w:framePr")
        is_letter = frame is not None and frame.get(qn("w:dropCap")) in ("drop", "margin")
        is_open = any(_find(paragraph, path) is not None for path in _DELETED)
        following = paragraph.getnext()
        if not (is_letter or is_open) or following is None or following.tag != qn("w:p"):
            continue
        content = [part for part in paragraph if part.tag != qn("w:pPr")]
        at = int(len(following) > 0 and following[0].tag == qn("w:pPr"))
        following[at:at] = content
        _drop([paragraph])


def _flatten_tables(body: etree._Element) -> None:
    """Each row of a table within a cell as a paragraph of that cell."""
    tables = [table for table in body.iter(qn("w:tbl")) if table.getparent().tag == qn("w:tc")]
    for table in reversed(tables):  # the innermost first
        place = table.getparent().index(table)
        table.getparent()[place : place + 1] = list(_rows_as_paragraphs(table))


def _rows_as_paragraphs(table: etree._Element) -> Iterator[etree._Element]:
    for row in table.iterfind(qn("w:tr")):
        cells = [
            " ".join(filter(None, map(_letters, cell.iter(qn("w:p")))))
            for cell in row.iterfind(qn("w:tc"))
        ]
        paragraph = OxmlElement("w:p")
        paragraph.append(_run(" | ".join(cells)))
        yield paragraph


def _write_scripts(body: etree._Element) -> None:
    """Raised and lowered text as Unicode has it, what several runs have as one."""
    for paragraph in body.iter(qn("w:p")):
        before = ""
        runs = list(paragraph.iter(qn("w:r")))
        kinds = list(map(_raised, runs))
        at = 0
        while at < len(runs):
            end = at + 1
            while end < len(runs) and kinds[at] is not None and kinds[end] is kinds[at]:
                end += 1
            text = "".join(map(_letters, runs[at:end]))
            raised = kinds[at]
            if raised is not None and text.strip():
                first, *others = [each for run in runs[at:end] for each in run.iter(qn("w:t"))]
                first.text = script_of(text.strip(), before, raised=raised)
                for other in others:
                    other.text = ""
            before = text or before
            at = end


def _raised(run: etree._Element) -> bool | None:
    """Whether the text of a run is raised or else lowered; None for text in the line."""
    place, moved = _find(run, "w:rPr/w:vertAlign"), _find(run, "w:rPr/w:position")
    if place is not None:
        return _RAISED.get(place.get(qn("w:val"), ""))
    by = moved.get(qn("w:val"), "") if moved is not None else ""
    return not by.startswith("-") if _FAR.fullmatch(by) else None
