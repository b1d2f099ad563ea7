"""The marks of citations and footnotes in a text, which a quotation of it may leave out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_NUMBER = r"[1-9]\d{0,2}"
_NUMBERED = (
    rf"(?<![=<>\u2208\u2264\u2265+*/^_])(?<![=<>\u2208\u2264\u2265+*/^_]\s)(?<!\b\w)"
    rf"\[\s*{_NUMBER}(?:\s*[,;\u2010-\u2015-]\s*{_NUMBER}){{0,30}}\s*\]"
)
"""`[8]`, `[8, 9]`, `[3-5]`, but no interval and no index: no zero, none behind a sign or a name of
one letter.
"""
_LABEL = r"[A-Z][A-Za-z+]{1,12}\d{2}[a-z]?"
_ALPHABETIC = rf"\[\s*{_LABEL}(?:\s*[,;]\s*{_LABEL}){{0,30}}\s*\]"
_RAISED = (
    r"(?<=[^\W\d_]{3})[\u00b9\u00b2\u00b3\u2070\u2074-\u2079](?:[,\u00b9\u00b2\u00b3\u2070\u2074-\u2079])*"
    r"|(?<=[.,;:!?\u201d\u2019\"')])[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+"
)
_LOWERED = r"(?<=[^\W\d_]{2}[.,;:!?\u201d\u2019\")])[1-9]\d{0,2}(?=\s+[A-Z\u00c0-\u00de]|\s*$)"
"""A raised number that a PDF has as a plain one, behind the end of a sentence."""
_YEAR = r"(?:1[5-9]|20)\d\d[a-z]?"
_NAME = r"[A-Z\u00c0-\u00de][\w'\u2019-]{1,40}"
_NAMES = (
    rf"(?P<name>{_NAME})(?:(?:,?\s+(?:and|und|et|y|e)\s+|\s*,?\s*&\s*|,\s+|\s+){_NAME}){{0,8}}"
    r"(?P<others>\s+et\s+al\.?|\s+(?:&|and)\s+others)?"
)
_AUTHOR_YEAR = (
    r"(?:(?:see|cf\.|e\.g\.,?|also|vgl\.|siehe|voir)\s+){0,2}"
    rf"{_NAMES},?\s+{_YEAR}(?:\s*,\s*{_YEAR}){{0,5}}"
    r"(?:\s*[,:]\s*(?:pp?\.|S\.)?\s*\d+(?:\s*[-\u2013]\s*\d+)?)?"
)
_IN_PARENTHESES = re.compile(r"\((?=[^()]{0,300}\b(?:1[5-9]|20)\d\d)[^()]{4,300}\)")
_ONE = re.compile(_AUTHOR_YEAR)
_MARK = re.compile("|".join((_NUMBERED, _ALPHABETIC, _RAISED, _LOWERED)), re.MULTILINE)


_OF_AN_INTERVAL = re.compile(r"\b(?:interval|range|vector|bereich|gamme)\w*\s*$", re.IGNORECASE)
_BEFORE = 20


def citation_marks(text: str, references: str = "") -> list[tuple[int, int]]:
    """The spans of the marks in a text: numbers in brackets, raised numbers, and authors with a
    year in parentheses, of whom at least the first is in the text's `references`, or `et al.`.
    """
    numbered = (
        match.span()
        for match in _MARK.finditer(text)
        if not _OF_AN_INTERVAL.search(text, max(match.start() - _BEFORE, 0), match.start())
    )
    return sorted((*numbered, *_by_author(text, references)))


def _by_author(text: str, references: str) -> Iterator[tuple[int, int]]:
    for match in _IN_PARENTHESES.finditer(text):
        parts = [_ONE.fullmatch(part.strip()) for part in match[0][1:-1].split(";")]
        if all(part and (part["others"] or part["name"] in references) for part in parts):
            yield match.span()


def blanked(text: str, marks: Iterable[tuple[int, int]]) -> str:
    """The text with spaces in place of its marks."""
    parts, at = [], 0
    for start, end in marks:
        parts += [text[at:start], " " * (end - max(start, at))]
        at = max(end, at)
    return "".join([*parts, text[at:]])


def has_marks_of(quote_marks: Iterable[str], work_marks: Iterable[str]) -> bool:
    """Whether all marks of a quotation are among those of a work, in their order."""
    there = iter("".join(mark.split()) for mark in work_marks)
    return all("".join(mark.split()) in there for mark in quote_marks)
