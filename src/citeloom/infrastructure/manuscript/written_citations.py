"""Citations in the text of a Word or OpenDocument file: by key, or by author and year."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from citeloom.domain.manuscript.draft import DraftCitation, NamedWork, ParagraphKind
from citeloom.domain.manuscript.quotations import spans_in_quotation_marks
from citeloom.infrastructure.manuscript.flattening import FlatDraft, FlatParagraph

# By key: `[@key, p. 45; @other]`, `@key [p. 45]`.

_KEY = r"@(?:\{(?P<braced>[^{}]+)\}|(?P<key>\w(?:[\w:.#$%&+?<>~/-]*\w)?))"
_BRACKET = re.compile(r"\[(?=[^\[\]]*@[\w{])([^\[\]]*)\]")
_IN_BRACKET = re.compile(rf"(?P<prefix>(?:[^@]*[^\w@.-])?)-?{_KEY}(?P<suffix>[^@]*)", re.DOTALL)
_IN_TEXT = re.compile(rf"(?<![\w@.\[-]){_KEY}(?:\s*\[(?P<suffix>[^\[\]@]*)\])?")

# By author and year: `(Doe 2020, 45; Roe & Poe, 2001b)`, `Doe et al. (2020: 45)`.
# Repetitions are bounded, or a paragraph of names would be read anew from each of them.

_ASCII = str.maketrans("\uff08\uff09\uff0c\uff1a\uff1b\u3001", "(),:;,")
_LATIN = r"[A-Z\u00c0-\u024f][\w\u00c0-\u024f'\u2019-]{1,60}(?!\w)"
_NAME = rf"(?:{_LATIN}|[\u3400-\u9fff\uac00-\ud7af]{{1,8}})"
_PARTICLE = (
    r"(?:[Vv]an|[Vv]on|[Dd]e|[Dd]er|[Dd]en|[Dd]u|[Ll]a|[Ll]e|[Dd]a|[Dd]i|[Dd]os|DA|DE|DOS|DO)"
)
_ONE = rf"(?:{_PARTICLE}\s+){{0,4}}{_NAME}"
_NAMES = (
    rf"(?P<name>{_ONE})"
    rf"(?:\s+et\s+al\.?|(?:,?\s*&\s*|,?\s+(?:and|und|e|y|et)\s+|[,;]\s+){_ONE}){{0,20}}"
)
_TITLE = r"(?:,?\s+[\u201c\u00ab\u2018](?P<title>[^\u201d\u00bb;()]{1,160})[\u201d\u00bb\u2019])?"
_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)(?P<letter>[a-z]?)(?!\w)"
_PARENTHESES = re.compile(r"\((?=[^()]*(?<!\w)(?:1[5-9]|20)\d\d)([^()]{0,300})\)")
_AUTHOR_YEAR = re.compile(
    rf"(?P<prefix>[^;]*?)(?<!\w){_NAMES}{_TITLE}(?:,\s*|\s+){_YEAR}(?P<suffix>\s*[,:][^;]*)?\s*$"
)
_AUTHOR_IN_TEXT = re.compile(rf"(?<!\w){_NAMES}\s+\({_YEAR}(?P<suffix>\s*[,:][^()]*)?\)")
_INITIALS = r"(?:,(?:[\s-]+[A-Z\u00c0-\u00de]\w{0,3}\.){1,3})?"
_NOTE = re.compile(
    rf"(?P<prefix>(?:[^\W\d]+\.?\s+){{0,3}}?)(?<!\w){_NAMES}{_INITIALS}{_TITLE}(?:,\s*|\s+)"
    rf"\(?{_YEAR}\)?(?P<suffix>\s*[,:.][^;\"\u201c\u201e\u00ab]*)?(?=[;\"\u201c\u201e\u00ab]|$)"
)
"""In a footnote, without parentheses: `See Doe, J. 2020, p. 45.`"""
_WITHOUT_YEAR = re.compile(rf"\s*{_NAMES}\s*")


def with_citations_of_the_text(draft: FlatDraft, works: Mapping[str, NamedWork]) -> FlatDraft:
    """The draft with what is written as a citation as one; `works` are those of keys in it."""
    named: dict[str, NamedWork] = {}
    for paragraph in draft.paragraphs:
        paragraph.replace(list(_written_in(paragraph, named)))
        paragraph.marks = [
            replace(mark, citations=tuple(_renamed(one, works) for one in mark.citations))
            for mark in paragraph.marks
        ]
    draft.works = (*works.values(), *named.values())
    return draft


def _renamed(citation: DraftCitation, works: Mapping[str, NamedWork]) -> DraftCitation:
    work = works.get(citation.citekey)
    return replace(citation, citekey=work.citekey) if work else citation


Written = tuple[int, int, tuple[DraftCitation, ...]]


def _written_in(paragraph: FlatParagraph, named: dict[str, NamedWork]) -> Iterator[Written]:
    """The written citations of a paragraph, in order; works cited by author and year go to `named`:
    those of a quotation are the work's own.
    """
    found = [*_by_key(paragraph.text), *_by_author_outside_quotations(paragraph, named)]
    at = 0
    for start, end, citations in sorted(found, key=lambda each: each[0]):
        if start >= at:
            at = end
            yield start, end, citations


def _by_key(text: str) -> Iterator[Written]:
    def citation(match: re.Match[str]) -> DraftCitation:
        groups = match.groupdict()
        return DraftCitation(
            citekey=groups["braced"] or groups["key"],
            prefix=(groups.get("prefix") or "").strip(),
            suffix=groups["suffix"] or "",
        )

    for match in _BRACKET.finditer(text):
        parts = [_IN_BRACKET.fullmatch(part.strip()) for part in match[1].split(";")]
        if all(parts):
            yield *match.span(), tuple(citation(part) for part in parts if part)
    for match in _IN_TEXT.finditer(text):
        yield *match.span(), (replace(citation(match), in_text=True),)


def _by_author_outside_quotations(
    paragraph: FlatParagraph, named: dict[str, NamedWork]
) -> Iterator[Written]:
    text = paragraph.text.translate(_ASCII)
    quoted = list(spans_in_quotation_marks(paragraph.text))
    if paragraph.kind is ParagraphKind.QUOTATION:
        quoted.append((0, len(text.rstrip(" .")) - 1))
    for start, end, matches in _by_author(text, is_note=paragraph.kind is ParagraphKind.NOTE):
        if any(low <= start and end <= high for low, high in quoted):
            continue
        citations = []
        for match in matches:
            groups = match.groupdict()
            title = (groups.get("title") or "").strip(" ,")
            name = f"{match['name']} {match['year']}{match['letter']}{title and f', {title}'}"
            named[name] = NamedWork(
                citekey=name,
                author=match["name"],
                year=int(match["year"]),
                letter=match["letter"],
                title=title,
                is_in_text=True,
            )
            citations.append(
                DraftCitation(
                    citekey=name,
                    prefix=(groups.get("prefix") or "").strip(),
                    suffix=(match["suffix"] or "").replace(":", ",", 1),
                    in_text=match.re is _AUTHOR_IN_TEXT,
                )
            )
        yield start, end, tuple(citations)


def _by_author(text: str, *, is_note: bool) -> Iterator[tuple[int, int, list[re.Match[str]]]]:
    if is_note and (match := _NOTE.match(text)):
        yield *match.span(), [match]
    for match in _PARENTHESES.finditer(text):
        parts = [_AUTHOR_YEAR.fullmatch(part.strip()) for part in _parts(match[1])]
        if all(parts):
            yield *match.span(), [part for part in parts if part]
    for match in _AUTHOR_IN_TEXT.finditer(text):
        yield *match.span(), [match]


def _parts(text: str) -> Iterator[str]:
    """The citations of a bracket; a name without a year is of the next one: `SILVA; DIAS, 2019`."""
    waiting = ""
    for part in text.split(";"):
        if _WITHOUT_YEAR.fullmatch(part):
            waiting += f"{part}, "
        else:
            yield waiting + part
            waiting = ""
    if waiting:
        yield waiting
