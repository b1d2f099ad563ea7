"""Passages as Markdown and for Pandoc: a document's words stay words, and only ours are marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from citeloom.application.requests.manuscript import CollectRequest
from citeloom.domain.retrieval.passage import AddedContext, Passage, StoredChunk
from citeloom.infrastructure.answers.headlines import (
    NO_REFERENCE,
    comments,
    headline,
    neighbours_once,
    place,
    remark_on,
)
from citeloom.infrastructure.answers.text import (
    link_to_file,
    link_to_reader,
    link_to_zotero,
    one_line,
    printable,
)

_MARKS = re.compile(r"[\\*_{}\[\]<>#|~$^@&]")
_BLOCK = re.compile(r"^[-+=:%]|^\((?=\w+\))", re.ASCII)
_NUMBERED = re.compile(r"^(\d+|[A-Za-z]|[ivxlcdmIVXLCDM]+)([.)])(?=\s|$)", re.ASCII)
_BARE_LINK = re.compile(r"(?<=\w):(?=//)|(?<=www)\.|(?<=mailto):|(?<=xmpp):", re.IGNORECASE)
_TYPED = re.compile(r"-(?=-)|\.(?=\.\.)")
_TICKS = re.compile("`+")
_BACKTICK = "&#96;"
"""An escaped one may still be taken for the end of code that stands behind it."""


def markdown(passages: Sequence[Passage], base_dir: Path, without: str = NO_REFERENCE) -> str:
    """The passages as quotations, each with its work and with links to the place; `without` is what
    is said of those without a reference.
    """

    def source(stored: StoredChunk) -> str:
        links = (
            (str(stored.locator) or "file", link_to_file(stored, base_dir)),
            ("Zotero", link_to_reader(stored) or link_to_zotero(stored)),
        )
        linked = [f"[{_phrase(name)}]({target})" for name, target in links if target]
        head = ", ".join((_phrase(headline(stored, without)), *linked))
        return f">\n> — {head} {code(place(stored))}{remark_on(stored)}"

    return _quoted(passages, source, escape=escaped_markdown, cite=code)


def pandoc(passages: Sequence[Passage]) -> str:
    """The passages as quotations, each with a citation that Pandoc understands."""

    def source(stored: StoredChunk) -> str:
        return f"> {_citation(stored)}"

    return _quoted(passages, source, escape=escaped_pandoc, cite=one_line)


def _quoted(
    passages: Sequence[Passage],
    source: Callable[[StoredChunk], str],
    *,
    escape: Callable[[str], str],
    cite: Callable[[str], str],
) -> str:
    """The passages as quotations, each above its source and between what its neighbours add, which
    are quotations within the quotation; what the reader said of it stands apart.
    """

    def quoted_neighbour(neighbour: AddedContext) -> str:
        text = "\n".join(f"> > {line}".rstrip() for line in escape(neighbour.text).splitlines())
        cited, locator = neighbour.citation, one_line(str(neighbour.locator))
        return f"{text}\n> >\n> > {cite(cited) if cited else escape(locator)}"

    parts: list[str] = []
    for passage in neighbours_once(passages):
        parts += map(quoted_neighbour, passage.context_before)
        parts.append(f"{_quoted_lines(escape(passage.text))}\n{source(passage.stored)}")
        parts += (f"Comment: {escape(comment)}" for comment in comments(passage.stored))
        parts += map(quoted_neighbour, passage.context_after)
    return "\n\n".join(parts)


def collected(stored: StoredChunk, request: CollectRequest) -> str:
    """A passage to be collected: quoted with its citation for Pandoc, comment and tags below it."""
    quoted = _quoted_lines(escaped_pandoc(stored.chunk.text))
    parts = [f"{quoted}\n>\n> {_citation(stored)}"]
    if request.comment.strip():
        parts.append(escaped_pandoc(request.comment.strip()))
    if request.tags:
        parts.append(f"Tags: {', '.join(map(_phrase, request.tags))}")
    return "\n\n".join(parts)


def heading(text: str) -> str:
    """The text such that it may be a heading."""
    return _phrase(text.strip())


def escaped_markdown(text: str) -> str:
    """The text such that a reader of Markdown, Pandoc's too, shows it as it is and nothing else.

    White space at the beginning of a line, which would make it a listing, is left out.
    """
    lines = (_escaped_words(line.strip()) for line in printable(text).split("\n"))
    return "\n".join(_NUMBERED.sub(r"\1\\\2", _BLOCK.sub(r"\\\g<0>", line)) for line in lines)


def escaped_pandoc(text: str) -> str:
    """Likewise for Pandoc alone, which makes dashes of hyphens and an ellipsis of dots."""
    return _TYPED.sub(r"\\\g<0>", escaped_markdown(text))


def code(text: str) -> str:
    """The text on one line between as many backticks as it takes."""
    text = one_line(text) or " "
    fence = "`" * (max(map(len, _TICKS.findall(text)), default=0) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def listing(text: str) -> str:
    """The text as a listing, between as many backticks as it takes."""
    text = printable(text).strip("\n")
    fence = "`" * max(3, max(map(len, _TICKS.findall(text)), default=0) + 1)
    return f"{fence}\n{text}\n{fence}"


def _escaped_words(text: str) -> str:
    """The text such that it may stand within a line."""
    marked = _BARE_LINK.sub(r"\\\g<0>", _MARKS.sub(r"\\\g<0>", text))
    return marked.replace("`", _BACKTICK)


def _citation(stored: StoredChunk) -> str:
    """The citation, which is ours to write, or the place of a document that has none."""
    if stored.cited is None:
        return escaped_pandoc(one_line(place(stored)))
    return f"{one_line(place(stored))}{remark_on(stored)}"


def _phrase(text: str) -> str:
    return _escaped_words(one_line(text))


def _quoted_lines(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
