"""The sections of a lesson and their types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from citeloom.domain.chunk import ChunkKind
from citeloom.domain.chunking.headings import with_headings
from citeloom.domain.chunking.pieces import Piece
from citeloom.domain.chunking.runs import Run
from citeloom.domain.chunking_parameters import LessonParameters
from citeloom.domain.conversion import BlockKind, ConversionResult
from citeloom.domain.lesson import LessonType

_LEVEL = 2
_CODE_BLOCKS = 2
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonSection:
    """An H2 section, or the text before the first one; `heading` is None without any heading."""

    heading: int | None
    type: LessonType
    run: Run


def lesson_sections(
    result: ConversionResult, pieces: Sequence[Piece], parameters: LessonParameters, longest: int
) -> Iterator[LessonSection]:
    """The sections that have text, in reading order; all of a document of headings alone."""
    has_text = any(piece.kind is not BlockKind.HEADING for piece in pieces)
    for heading, group in groupby(pieces, lambda piece: _heading(result, piece)):
        own = list(group)
        run = _run(own, longest)
        run.merged = not has_text
        if run.tokens or not has_text:
            title = "" if heading is None else result.headings[heading].title
            yield LessonSection(heading=heading, type=section_type(title, own, parameters), run=run)


def section_type(title: str, pieces: Sequence[Piece], parameters: LessonParameters) -> LessonType:
    """By the title first, then by the number of code blocks."""
    words = f" {_words(title)} "
    if any(f" {_words(known)} " in words for known in parameters.structural_titles):
        return LessonType.STRUCTURAL
    blocks = sum(piece.kind is BlockKind.CODE and piece.opens for piece in pieces)
    return LessonType.CODE_HEAVY if blocks >= _CODE_BLOCKS else LessonType.INSTRUCTIONAL


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _heading(result: ConversionResult, piece: Piece) -> int | None:
    """The H2 above a piece, else the nearest H1, else the topmost heading."""
    section = piece.section
    while section is not None and result.headings[section].level > _LEVEL:
        above = result.headings[section].parent
        if above is None:
            break
        section = above
    return section


def _run(pieces: Sequence[Piece], longest: int) -> Run:
    """The pieces as one text; of the kind of works cited only if all of it is."""
    body = [piece for piece in pieces if piece.kind is not BlockKind.HEADING]
    cited = bool(body) and all(piece.reference for piece in body)
    alike = [replace(piece, reference=cited) for piece in pieces]
    kind = ChunkKind.REFERENCE if cited else ChunkKind.TEXT
    return Run(root=None, pieces=with_headings(alike, longest), kind=kind)
