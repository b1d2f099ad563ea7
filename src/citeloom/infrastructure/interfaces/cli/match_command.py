"""`citeloom match`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.errors import NotFound
from citeloom.infrastructure.answers.text import counted, some
from citeloom.infrastructure.interfaces.cli.console import (
    as_line,
    note,
    out,
    out_json_rows,
    painter,
)
from citeloom.infrastructure.interfaces.cli.context import opened
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption

if TYPE_CHECKING:
    from citeloom.application.match import MatchCandidates
    from citeloom.domain.references.reference_matcher import NearReference
    from citeloom.infrastructure.library.project import ProjectLibrary

_QUIT = frozenset({"q", "quit", "exit"})
_SKIP = frozenset({"", "n", "none", "s", "skip"})


def match(
    context: typer.Context,
    document: Annotated[
        str | None,
        typer.Argument(help="One document, by its path, the end of its path, or its id."),
    ] = None,
    citekey: Annotated[
        str | None, typer.Argument(help="The reference to assign to it, without asking.")
    ] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Choose a reference, out of the three nearest, for each document without one.

    Choices are written to [project."namespace/name".files] in citeloom.toml; the next
    `citeloom ingest` applies them. In a pipe, or with --json, the documents are listed only.

    Example: citeloom match --project citeloom/clean-arch

    Example: citeloom match papers/scan-of-chapter-3.pdf moeller1998
    """
    with opened(context, project) as library:
        if document is not None and citekey is not None:
            out(library.configure_reference(document, citekey).as_posix())
            note(_next(library))
            return
        candidates = library.match_candidates(document)
        if as_json:
            out_json_rows(candidates)
        elif sys.stdin.isatty() and sys.stdout.isatty():
            _choose(library, candidates)
        else:
            _list(candidates)


def _choose(library: ProjectLibrary, candidates: Iterable[MatchCandidates]) -> None:
    """Ask for the reference of each document, and write each choice at once."""
    seen = chosen = matched = 0
    for candidate in candidates:
        seen += 1
        if candidate.citekey is not None:
            matched += 1
            continue
        out(_text(candidate))
        answer = _answer(library, candidate)
        if answer is None:
            break
        chosen += answer
    if not seen:
        note("every document has a reference")
    if chosen:
        note(f"{counted(chosen, 'reference')} written to {library.info.config_file}")
    if matched:
        note(_matched(matched))
    if chosen or matched:
        note(_next(library))


def _answer(library: ProjectLibrary, document: MatchCandidates) -> bool | None:
    """Whether a reference was chosen; None to end."""
    numbers = {str(n): near.citekey for n, near in enumerate(document.references, start=1)}
    choices = f"{', '.join(numbers)}, a citekey" if numbers else "a citekey"
    while True:
        note(f"  {choices}, Enter for none of them, q to quit: ", end="")
        sys.stderr.flush()
        line = sys.stdin.readline()
        answer = line.strip()
        if not line or answer.lower() in _QUIT:
            return None
        if answer.lower() in _SKIP:
            return False
        if answer.isdecimal() and answer not in numbers:
            note(f"  there is no reference {answer}")
            continue
        try:
            library.configure_reference(document.path, numbers.get(answer, answer))
        except NotFound as error:
            note(f"  {error.message}. {error.hint}")
        else:
            return True


def _list(candidates: Iterable[MatchCandidates]) -> None:
    every = list(candidates)
    unmatched = [document for document in every if document.citekey is None]
    for document in unmatched:
        out(_text(document))
    if unmatched:
        note(
            f"{counted(len(unmatched), 'document')} without a reference. Choose at a terminal with "
            "`citeloom match`, or one by one with `citeloom match DOCUMENT CITEKEY`."
        )
    if len(every) > len(unmatched):
        note(_matched(len(every) - len(unmatched)))
    if not every:
        note("every document has a reference")


def _matched(number: int) -> str:
    return f"{counted(number, 'document')} will have a reference after the next `citeloom ingest`"


def _next(library: ProjectLibrary) -> str:
    return f"Next: citeloom ingest{'' if library.project.sources else ' FOLDER'}"


def _text(document: MatchCandidates) -> str:
    pages = f"  ({counted(document.pages, 'page')})" if document.pages else ""
    lines = [f"{painter(sys.stdout)(document.path, 'bold')}{pages}"]
    facts = {
        "title": document.title,
        "author": document.author,
        "DOI": document.doi,
        "begins": document.begins,
    }
    lines += [f"  {name}: {value}" for name, value in facts.items() if value]
    if document.citekey is not None:
        lines.append(f"  @{document.citekey} after the next `citeloom ingest`")
    elif not document.references:
        lines.append("  no reference is near")
    for number, near in enumerate(document.references, start=1):
        year = f"({near.year})" if near.year is not None else ""
        work = " ".join(filter(None, (some(near.authors, 3, "; "), year, near.title)))
        lines.append(f"  {number}  {near.score:.2f}  @{near.citekey}  {work}")
        lines.append(f"           {_reason(near)}")
    return "\n".join(map(as_line, lines))


def _reason(near: NearReference) -> str:
    """What of the reference the document shows, and why it was not taken."""
    from citeloom.infrastructure.answers.ingest_text import OBJECTIONS

    facts = [
        f"title words {some(near.title_words, 8)}" if near.title_words else "",
        f"author {some(near.authors_found, 3, '; ')}" if near.authors_found else "",
        f"year {near.year}" if near.year_found else "",
        "the DOI" if near.doi_found else "",
    ]
    shown = "; ".join(filter(None, facts)) or "a similar title"
    return f"shows {shown}; but {OBJECTIONS[near.objection]}"
