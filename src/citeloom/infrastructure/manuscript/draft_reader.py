"""Reads drafts, all but Typst through Pandoc, into paragraphs with citations and their places."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from citeloom.application.events import DocumentDone, ReadEvent, StageReached, reported_run
from citeloom.application.manuscript.open_draft import SourceBlock, blocks_of
from citeloom.domain.errors import (
    DeadlineExceeded,
    NotFound,
    ProcessKilled,
    UnreadableDocument,
    UnsupportedFormat,
)
from citeloom.domain.manuscript.cited_place import MARKUPS, Markup, markup_of
from citeloom.domain.manuscript.coverage import with_reading
from citeloom.domain.manuscript.draft import LARGEST_DRAFT, Draft, IncludedFile, WrittenCitation
from citeloom.infrastructure.manuscript.citation_scan import (
    CROSS_REFERENCE,
    SCANS,
    blank,
    definitions,
    keys_in_fields,
    listings,
    note_definitions,
    typst_labels,
    unprinted,
)
from citeloom.infrastructure.manuscript.flattening import flattened
from citeloom.infrastructure.manuscript.for_pandoc import (
    MOST_OPTIONS,
    captions_of_chunk,
    prepared_latex,
    prepared_org,
    unknown_names,
    with_latex_read,
    without_macros,
)
from citeloom.infrastructure.manuscript.included_files import (
    IncludingFile,
    included_names,
    with_included_files,
)
from citeloom.infrastructure.manuscript.packed_citations import with_written_fields
from citeloom.infrastructure.manuscript.pandoc import CORRECT, PANDOC, Pandoc
from citeloom.infrastructure.manuscript.placing import placed, placed_by_paragraph
from citeloom.infrastructure.manuscript.typst_reader import typst_tree
from citeloom.infrastructure.manuscript.written_citations import with_citations_of_the_text

_PACKED = {".docx": "docx", ".odt": "odt"}
"""Pandoc's readers of files that are no text."""
DRAFT_SUFFIXES = (*_PACKED, *(suffix for one in MARKUPS.values() for suffix in one.suffixes))
_TEXT_READ = 100_000
"""Of how many bytes the markup is guessed of a text whose name does not say it."""
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True, slots=True)
class SharedNames:
    """What files of a draft that are named together have from one another: the macros that LaTeX
    defines in one and uses in another, and the labels of Typst.
    """

    definitions: str = ""
    labels: frozenset[str] = frozenset()


NOTHING_SHARED = SharedNames()


def shared_names(paths: Iterable[Path]) -> SharedNames:
    """What the files share; one that cannot be read has nothing to share."""
    definitions_in, labels = list[str](), set[str]()
    for path in paths:
        markup = markup_of(path.name)
        text = text_of(path) if markup in {"latex", "typst"} else None
        if text is not None and markup == "typst":
            labels |= typst_labels(text)
        elif text is not None:
            definitions_in += (text[start:end] for start, end in definitions(text))
    return SharedNames("\n".join(definitions_in), frozenset(labels))


def text_of(path: Path) -> str | None:
    """The text of a file; None where it has none or cannot be read, which `read_draft` says."""
    with suppress(OSError, UnreadableDocument):
        if path.is_file():
            with path.open("rb") as file:
                return _decoded(file.read(LARGEST_DRAFT), path.name)[0]
    return None


_KEPT = (DeadlineExceeded, ProcessKilled, UnreadableDocument)
"""What stands in the place of a draft where those that cannot be read are kept."""


def read_drafts(
    drafts: Sequence[str | Path | Draft],
    pandoc: Pandoc,
    events: ReadEvent,
    *,
    keep_unreadable: bool,
    included: bool,
) -> list[Draft]:
    """Drafts, of which those that have been read stay, each with the files that it includes behind
    it where `included`.

    With `keep_unreadable`, one that cannot be read has its `error`; of several, so has one that is
    missing or that no reader can read. Raises as `read_draft`.
    """
    paths = [Path(draft) for draft in drafts if not isinstance(draft, Draft)]
    files = {path: [IncludingFile(path)] for path in paths}
    if included:
        files = with_included_files(paths, text_of)
    every = [
        one
        for draft in drafts
        for one in ([draft] if isinstance(draft, Draft) else files[Path(draft)])
    ]
    unread = [one.path for one in every if isinstance(one, IncludingFile)]
    shared, read = shared_names(unread), list[Draft]()
    kept = (*_KEPT, NotFound, UnsupportedFormat) if len(drafts) > 1 else _KEPT
    with reported_run(len(unread), events):
        for one in every:
            if isinstance(one, Draft):
                read.append(one)
                continue
            name = str(one.path)
            events(StageReached(document=name, stage="reading"))
            try:
                read.append(one.without_read(read_draft(one.path, pandoc, shared)))
            except kept as error:
                if not keep_unreadable or pandoc.cancellation.requested:
                    raise
                read.append(Draft(name=name, text="", paragraphs=(), error=error))
            events(DocumentDone(document=name, state="read"))
    return read


def read_draft(path: Path, pandoc: Pandoc = PANDOC, shared: SharedNames = NOTHING_SHARED) -> Draft:
    """The draft in a file; `shared` is what the files named with it define. Those that it includes
    are not read with it.

    Raises `NotFound`, `UnsupportedFormat` for a suffix that no reader has, `UnreadableDocument` for
    what Pandoc cannot read or is larger than 12 MB, what `Pandoc.run` raises, and `ConfigError`
    where Pandoc is not installed.
    """
    return draft_of(content_of(path), path, pandoc, shared)


def content_of(path: Path) -> bytes:
    """The content of a draft's file, of one that is too large so much that this can be told.

    Raises `NotFound` and `UnreadableDocument` as `read_draft`.
    """
    if str(path) == "-":
        raise NotFound(
            "a draft is not read from stdin: the suffix of its file says how it is written",
            "Save it, as draft.md, and name that.",
        )
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_DRAFT + 1)
    except IsADirectoryError:
        raise UnreadableDocument(f"{path} is a folder", "Name the files of the draft.") from None
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}", "Check the path.") from error


def draft_of(
    content: bytes, path: Path, pandoc: Pandoc = PANDOC, shared: SharedNames = NOTHING_SHARED
) -> Draft:
    """The draft in a file's content; its suffix says how it is read. Raises as `read_draft`."""
    suffix = path.suffix.lower()
    if suffix not in DRAFT_SUFFIXES:
        raise UnsupportedFormat(
            f"{path.name} is no draft that can be read",
            f"Drafts are {', '.join(sorted(DRAFT_SUFFIXES))}.",
        )
    if len(content) > LARGEST_DRAFT:
        raise UnreadableDocument(
            f"{path.name} has more than the {LARGEST_DRAFT // 1_000_000} MB that a draft may have",
            "Divide it into chapters, each a file of its own, or take out embedded pictures.",
        )
    try:
        if suffix in _PACKED:
            return _packed(content, path, _PACKED[suffix], pandoc)
        text, warnings = _decoded(content, path.name)
        run = partial(_run, name=path.name, pandoc=pandoc)
        return replace(_read_text(text, path, run, shared), warnings=warnings)
    except RecursionError:
        raise UnreadableDocument(
            f"{path.name} has blocks within blocks too deep to be read",
            "Close the quotations, lists and brackets that it opens.",
        ) from None


_IN_PACKED = {"word/document.xml": ".docx", "content.xml": ".odt"}
"""What of an archive says that it is a draft, and of which format."""
_SIGNS: Mapping[str, re.Pattern[str]] = {
    ".tex": re.compile(r"^[ \t]*\\(?:documentclass|begin|chapter|(?:sub)?section)\b", re.MULTILINE),
    ".typ": re.compile(r"^[ \t]*#(?:import|set|show|let|include)\b|#cite\(", re.MULTILINE),
    ".org": re.compile(r"^#\+\w+:|\[cite[/\w]*:", re.MULTILINE),
}


def suffix_of(content: bytes, name: str) -> str:
    """What a file of a draft is by its content: that of a Word or OpenDocument file where it is
    one; of a text that of its name, or else of the markup that it has.

    Raises `UnsupportedFormat` for an archive that is no draft, and for what is no text.
    """
    if content.startswith(b"PK\x03\x04"):
        with suppress(BadZipFile), ZipFile(BytesIO(content)) as archive:
            names = {*archive.namelist()}
            for inner, suffix in _IN_PACKED.items():
                if inner in names:
                    return suffix
    elif b"\0" not in content or content[:2] in _BYTE_ORDER_MARKS:
        suffix = Path(name).suffix.lower()
        if suffix in DRAFT_SUFFIXES and suffix not in _PACKED:
            return suffix
        text = content[:_TEXT_READ].decode(errors="replace")
        return next((one for one, sign in _SIGNS.items() if sign.search(text)), ".md")
    raise UnsupportedFormat(
        f"{name} is no draft that can be read",
        f"Drafts are {', '.join(sorted(DRAFT_SUFFIXES))}.",
    )


Tree = Mapping[str, Any]
Run = Callable[[str, str], Tree]
"""Runs a reader of Pandoc's over a text."""


def _read_text(text: str, path: Path, run: Run, shared: SharedNames) -> Draft:
    markup = markup_of(path.name)
    read, unread = TREES[markup], list[SourceBlock]()
    try:
        tree = read(text, run, shared)
    except UnreadableDocument as error:
        if error.hint != CORRECT:
            raise
        tree, unread = _read_apart(text, lambda part: read(part, run, shared))
        if not tree["blocks"]:
            raise
    hidden = unprinted(text, markup)
    notes = note_definitions(blank(text, hidden), markup)
    flat = flattened(tree, is_cross_reference)
    draft = placed(str(path), text, flat, unprinted=hidden, notes=notes)
    unreadable = tuple(draft.place(block.start, block.end) for block in unread)
    includes = tuple(
        IncludedFile(name=name, place=draft.place(start, end))
        for name, start, end in included_names(text, markup)
    )
    return replace(
        draft, written=_written(draft, shared), unreadable=unreadable, unread_files=includes
    )


_MOST_RUNS = 40


def _read_apart(text: str, read: Callable[[str], Tree]) -> tuple[Tree, list[SourceBlock]]:
    """The tree of the blocks of a text that can be read, found by halves, and those that cannot."""
    blocks, unread, runs = list[Any](), list[SourceBlock](), 0
    waiting = [blocks_of(text)]
    while waiting:
        part = waiting.pop()
        written = "".join(block.text for block in part)
        if not written.strip():
            continue
        runs += 1
        try:
            if runs > _MOST_RUNS:
                unread += part
            else:
                blocks += read(written)["blocks"]
        except UnreadableDocument:
            middle = len(part) // 2
            if middle:
                waiting += [part[middle:], part[:middle]]
            else:
                unread += part
    return {"blocks": blocks, "meta": {}}, unread


_CALLOUT = re.compile(r"^([ \t]*>[ \t]*)\[![\w-]+\][+-]?[^@\n]*$", re.MULTILINE)
"""The first line of a box that some editors make of a block quotation: `> [!quote] Title`."""


def _markdown_tree(text: str, run: Run, shared: SharedNames) -> Tree:
    """Of chunks of code only captions are left: behind a blank line in one, Pandoc takes text for
    code. What cites or quotes in LaTeX is read as in a LaTeX draft.
    """
    parts, at, of_chunks = list[str](), 0, 0
    for start, end, info in listings(text):
        if info.startswith("{"):
            chunk = text[start:end]
            of_chunks += len(chunk)
            found = captions_of_chunk(chunk, with_options=of_chunks <= MOST_OPTIONS)
            captions = "".join(f"{one}\n\n" for one in found)
            parts += [text[at:start], blank(chunk, [(0, len(chunk))]), "\n\n", captions]
            at = end
    tree = run(_CALLOUT.sub(r"\1", "".join([*parts, text[at:]])), "markdown+mark")
    try:
        return with_latex_read(tree, lambda latex: _latex_tree(latex, run, shared))
    except UnreadableDocument:  # the scan of the text counts what stands there as not read
        return tree


_MOST_ROUNDS = 6


def _latex_tree(text: str, run: Run, shared: SharedNames) -> Tree:
    """Macros that Pandoc does not know keep what they are given: within one may be another."""
    text = prepared_latex(f"{shared.definitions}\n{text}")
    for _ in range(_MOST_ROUNDS):
        tree = run(text, "latex+raw_tex")
        macros, environments = unknown_names(tree)
        if not macros and not environments:
            break
        text = without_macros(text, macros, environments)
    return tree


def _typst_tree(text: str, run: Run, shared: SharedNames) -> Tree:
    del run
    return typst_tree(text, lambda key: is_cross_reference(key) or key in shared.labels)


def _org_tree(text: str, run: Run, shared: SharedNames) -> Tree:
    del shared
    return run(prepared_org(text), "org")


TREES: Mapping[str, Callable[[str, Run, SharedNames], Tree]] = {
    "markdown": _markdown_tree,
    "latex": _latex_tree,
    "typst": _typst_tree,
    "org": _org_tree,
}
"""What reads a text, by what it is written in."""


def is_cross_reference(citekey: str) -> bool:
    return CROSS_REFERENCE.match(citekey) is not None


def _written(draft: Draft, shared: SharedNames) -> tuple[WrittenCitation, ...]:
    """The citations that a scan of the draft's text finds, each with whether it was read."""
    markup = markup_of(draft.name)
    before = f"{shared.definitions}\n" if markup == "latex" else ""
    every = SCANS[markup](f"{before}{draft.text}")
    found = (one for one in every if one.start >= len(before) and one.citekey not in shared.labels)
    written = [
        WrittenCitation(
            citekey=one.citekey,
            place=draft.place(start := one.start - len(before), start + len(one.citekey)),
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


def _packed(content: bytes, path: Path, reader: str, pandoc: Pandoc) -> Draft:
    """The draft in a Word or OpenDocument file, with citations of fields and written ones."""
    written, found = with_written_fields(content, path.name, pandoc.limits.memory_mb)
    flat = flattened(_tree(written, reader, path.name, pandoc), is_no_work=lambda _: False)
    draft = placed_by_paragraph(str(path), with_citations_of_the_text(flat, found.works))
    keys = [key for xml in found.xml for key in keys_in_fields(xml.decode(errors="replace"))]
    in_fields = [WrittenCitation(citekey=key, place=draft.place(0, 0)) for key in keys]
    in_text = [
        WrittenCitation(citekey=one.citekey, place=one.place)
        for one in draft.citations
        if one.citekey not in {*keys}
    ]
    return replace(draft, written=tuple(with_reading([*in_fields, *in_text], draft.citations)))


def _run(text: str, reader: str, *, name: str, pandoc: Pandoc) -> Tree:
    return _tree(text.encode(), reader, name, pandoc)


def _tree(content: bytes, reader: str, name: str, pandoc: Pandoc) -> Tree:
    tree: Tree = json.loads(pandoc.run(["-f", reader, "-t", "json"], content, name))
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
