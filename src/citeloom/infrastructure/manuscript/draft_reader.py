"""Reads drafts, all but Typst through Pandoc, into paragraphs with citations and their places."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from citeloom.domain.errors import NotFound, UnreadableDocument, UnsupportedFormat
from citeloom.domain.manuscript.cited_place import MARKUPS, Markup, markup_of
from citeloom.domain.manuscript.coverage import with_reading
from citeloom.domain.manuscript.draft import Draft, WrittenCitation
from citeloom.infrastructure.manuscript.citation_scan import CROSS_REFERENCE, SCANS
from citeloom.infrastructure.manuscript.flattening import FlatDraft, flattened
from citeloom.infrastructure.manuscript.markup_for_pandoc import (
    with_plain_quotes,
)
from citeloom.infrastructure.manuscript.packed_citations import (
    with_citations_of_the_text,
    with_written_marks,
)
from citeloom.infrastructure.manuscript.pandoc import PANDOC, Pandoc
from citeloom.infrastructure.manuscript.placing import placed, placed_by_paragraph
from citeloom.infrastructure.manuscript.typst_reader import typst_tree


@dataclass(frozen=True, slots=True)
class _Reader:
    """Pandoc's reader of a format, and what the text is made into for it. A packed format has no
    text.
    """

    name: str
    prepared: Callable[[str], str] = str
    is_packed: bool = False


_OF_MARKUP = {
    "markdown": _Reader("markdown+mark"),
    "latex": _Reader("latex", with_plain_quotes),
    "typst": _Reader("typst"),
    "org": _Reader("org"),
}
_READERS: Mapping[str, _Reader] = {
    **{suffix: _OF_MARKUP[name] for name, one in MARKUPS.items() for suffix in one.suffixes},
    ".docx": _Reader("docx+citations", is_packed=True),
    ".odt": _Reader("odt", is_packed=True),
}
MOST_BYTES = 12_000_000
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def read_draft(path: Path, pandoc: Pandoc = PANDOC) -> Draft:
    """The draft in a file.

    Raises `NotFound`, `UnsupportedFormat` for a suffix that no reader has, `UnreadableDocument` for
    what Pandoc cannot read or is larger than 12 MB, what `Pandoc.run` raises, and `ConfigError`
    where Pandoc is not installed.
    """
    try:
        content = path.read_bytes()
    except IsADirectoryError:
        raise UnreadableDocument(f"{path} is a folder", "Name the files of the draft.") from None
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}", "Check the path.") from error
    return draft_of(content, path, pandoc)


def draft_of(content: bytes, path: Path, pandoc: Pandoc = PANDOC) -> Draft:
    """The draft in a file's content; its suffix says how it is read. Raises as `read_draft`."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise UnsupportedFormat(
            f"{path.name} is no draft that can be read",
            f"Drafts are {', '.join(sorted(_READERS))}.",
        )
    if len(content) > MOST_BYTES:
        raise UnreadableDocument(
            f"{path.name} has {len(content) // 1_000_000} MB; a draft may have "
            f"{MOST_BYTES // 1_000_000}",
            "Divide it into chapters, each a file of its own, or take out embedded pictures.",
        )
    try:
        if reader.is_packed:
            return placed_by_paragraph(str(path), _packed(content, path, reader.name, pandoc))
        text, warnings = _decoded(content, path.name)
        if reader.name == "typst":
            tree = typst_tree(text, _is_cross_reference)
        else:
            tree = _tree(reader.prepared(text).encode(), reader.name, path.name, pandoc)
        flat = flattened(tree, _is_cross_reference)
        draft = placed(str(path), text, flat, warnings)
        return replace(draft, written=_written(draft))
    except RecursionError:
        raise UnreadableDocument(
            f"{path.name} has blocks within blocks too deep to be read",
            "Close the quotations, lists and brackets that it opens.",
        ) from None


def _is_cross_reference(citekey: str) -> bool:
    return CROSS_REFERENCE.match(citekey) is not None


def _written(draft: Draft) -> tuple[WrittenCitation, ...]:
    """The citations that a scan of the draft's text finds, each with whether it was read."""
    found = SCANS[markup_of(draft.name)](draft.text)
    written = [
        WrittenCitation(
            citekey=one.citekey,
            place=draft.place(one.start, one.start + len(one.citekey)),
            is_certain=one.is_certain,
        )
        for one in found
    ]
    return tuple(with_reading(sorted(written, key=lambda one: one.place), draft.citations))


def draft_of_text(text: str, markup: Markup, pandoc: Pandoc = PANDOC) -> Draft:
    """The draft in a text, which is named `draft.md`, `draft.tex`, `draft.typ` or `draft.org`.

    Raises as `read_draft`.
    """
    return draft_of(text.encode(), Path(f"draft{MARKUPS[markup].suffixes[0]}"), pandoc)


def _packed(content: bytes, path: Path, reader: str, pandoc: Pandoc) -> FlatDraft:
    """The draft in a Word or OpenDocument file, with citations of Zotero and written ones."""
    items: tuple[Mapping[str, Any], ...] = ()
    if path.suffix.lower() == ".odt":
        content, items = with_written_marks(content, path.name, pandoc.limits.memory_mb)
    draft = flattened(_tree(content, reader, path.name, pandoc), is_no_work=lambda _: False)
    draft.references = (*draft.references, *items)
    return with_citations_of_the_text(draft)


def _tree(content: bytes, reader: str, name: str, pandoc: Pandoc) -> Mapping[str, Any]:
    tree: Mapping[str, Any] = json.loads(pandoc.run(["-f", reader, "-t", "json"], content, name))
    return tree


def _decoded(content: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """The text of a file with line feeds alone, and what was odd about its encoding."""
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return _lines(content.decode(encoding, "replace")), ()
    if b"\0" in content:
        raise UnreadableDocument(f"{name} is no text", "Name the file that you write in.")
    try:
        return _lines(content.decode()), ()
    except UnicodeDecodeError:
        warning = f"{name} is not UTF-8; it was read as Western European text"
        return _lines(content.decode("cp1252", "replace")), (warning,)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
