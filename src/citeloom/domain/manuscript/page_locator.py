"""The pages that a citation names, by what they are called in the languages of CSL's locales."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from citeloom.domain.text.word_lists import words_of_all_languages

_FOLLOWING = 10
"""How many pages `ff.` may mean."""


@dataclass(frozen=True, slots=True)
class CitedPages:
    """Pages from `first` to `last` as they are written, and `following` more."""

    first: str
    last: str
    following: int = 0


@dataclass(frozen=True, slots=True)
class PageLocator:
    """The pages that a citation names: `45`, `45-47`, `iv`, `45ff.`, `45, 50`.

    `text` is what the citation has, from the first number to the last.
    """

    ranges: tuple[CitedPages, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@lru_cache(maxsize=4_096)
def page_locator(suffix: str) -> PageLocator | None:
    """The pages that the suffix of a citation names, with or without a label; None where it names
    none, but a chapter or a figure.
    """
    return labelled_pages(suffix) or _unlabelled_pages(suffix)


def labelled_pages(text: str) -> PageLocator | None:
    """The pages that a text calls so: those of its first part between semicolons that has any."""
    patterns = _patterns()
    for part in text.split(";"):
        masked = _SUB_VERBO.sub(lambda found: " " * len(found[0]), part)
        labels = (match.end() for match in patterns.label.finditer(masked))
        runs = [run for at in labels if (run := _run(masked, at)) is not None]
        runs = runs or [_run_of(match) for match in patterns.labelled_behind.finditer(masked)]
        if runs:
            ranges = tuple(pages for run in runs for pages in run.ranges)
            return PageLocator(ranges, part[runs[0].start : runs[-1].end])
    return None


def _unlabelled_pages(suffix: str) -> PageLocator | None:
    """The pages of a suffix that begins with a number that is called nothing else."""
    start = len(suffix) - len(suffix.lstrip(" ,;:(\xa0"))
    run = _run(suffix, start)
    if run is None or not run.ranges[0].first[-1:].isdigit():
        return None
    if _patterns().other_name.match(suffix, run.end):
        return None
    return PageLocator(run.ranges, suffix[run.start : run.end])


def unread_locator(suffix: str) -> str:
    """What a suffix says with a number that is neither pages nor another known place; empty where
    there is nothing of the kind.
    """
    if page_locator(suffix) is not None:
        return ""
    rest = _patterns().other.sub("", suffix)
    return suffix.strip(" ,;:\xa0") if any(map(str.isdigit, rest)) else ""


def pages_behind(text: str, at: int) -> str:
    """What stands behind a citation that names no pages itself, where this names them: `(p. 7)`,
    `, p. 7`, or the rest of the brackets that the citation is in; else nothing.
    """
    behind = text[at : at + _REACH]
    bracket = _IN_BRACKETS.match(behind)
    if bracket and labelled_pages(bracket[1]):
        return bracket[1]
    before = text[max(at - _REACH, 0) : at]
    opened = max(before.rfind("("), before.rfind("["))
    if opened > max(before.rfind(")"), before.rfind("]")):
        rest = _REST_OF_BRACKETS.match(behind)
        return rest[1] if rest and page_locator(rest[1]) else ""
    apposed = _patterns().apposed.match(behind)
    run = _run(behind, apposed.end()) if apposed else None
    return behind[: run.end] if run else ""


_REACH = 200
_IN_BRACKETS = re.compile(r"[\s\xa0]*[(\[]([^()\[\]]{1,120})[)\]]")
_REST_OF_BRACKETS = re.compile(r"(\s*[,:][^()\[\]]{1,160}|\s+[^()\[\]]{1,160})[)\]]")

# A run of page numbers, and what pages and other places are called.

_SUB_VERBO = re.compile(r"(?<!\w)s\.\s*[uv]{1,2}\.", re.IGNORECASE)
_NUMBER = r"(?:(?:[A-Za-z]{1,2}[-.]?)?\d+[a-e]?|[ivxlcdm]+|[IVXLCDM]+)"
_AND_ON = r"ff?|sqq?|sgg?|segs?|ss|et\s+seqq?|n|nn"
_LEAST_LETTERS = 3
"""How many letters the name of a place has that may stand behind its number."""
_ONE_MORE = frozenset({"f", "sq", "sg", "seg", "et seq", "n"})


class _Run(NamedTuple):
    ranges: tuple[CitedPages, ...]
    start: int
    end: int


class _Patterns(NamedTuple):
    label: re.Pattern[str]
    labelled_behind: re.Pattern[str]
    apposed: re.Pattern[str]
    other: re.Pattern[str]
    other_name: re.Pattern[str]
    range: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    pages, behind = (words_of_all_languages(name) for name in ("page", "page behind its number"))
    others = words_of_all_languages("place in a work")
    both = pages & others
    long = frozenset(word for word in others - both if len(word) >= _LEAST_LETTERS)
    label = rf"(?:{_any_of((pages | behind) - both)})\.?\s*(?=[\dA-Z]|[ivxlcdm]+\b)"
    other = rf"(?:{_any_of(others - both)}|[§¶№#]+)\.?"
    joined = rf"(?:(?i:{_any_of(words_of_all_languages('and'))})\s+)?"
    numbers = (
        rf"(?P<first>{_NUMBER})(?:\s*(?:[-\u2010-\u2015\u2212~\uff5e]+|\b(?:to|bis|à|al?|až|till?|tot|"
        rf"do|до)\b)\s*(?P<last>{_NUMBER})|\s*(?:\b(?:y|e|et)\s+)?(?P<on>{_AND_ON})\b\.?)?"
    )
    return _Patterns(
        re.compile(rf"(?<![^\W_])(?i:{label})"),
        re.compile(rf"(?<![\d.A-Za-z]){numbers}\.?\s*(?i:{_any_of(behind)})(?![A-Za-z])"),
        re.compile(rf"[\s\xa0]*,?[\s\xa0]*(?i:{label})"),
        re.compile(
            rf"(?<![^\W\d_])(?i:{other})\s*{_NUMBER}(?:\s*[-\u2010-\u2015,.&:]\s*{_NUMBER})*"
            rf"|\b{_NUMBER}\.?\s*(?i:{_any_of(long)})(?![^\W_])"
        ),
        re.compile(rf"\.?\s*(?i:{other})(?![^\W_])"),
        re.compile(rf"\s*[,;&]?\s*{joined}{numbers}(?=$|[\s,;.:)\]}}&])"),
    )


def _any_of(words: frozenset[str]) -> str:
    """The words as alternatives, the longest first; a dot at the end of one must be there."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


def _run(text: str, start: int) -> _Run | None:
    """The numbers of pages from a place on, one behind another."""
    ranges: list[CitedPages] = []
    end = begins = start
    while match := _patterns().range.match(text, end):
        begins = begins if ranges else match.start("first")
        ranges.append(_pages_of(match))
        end = match.end()
    return _Run(tuple(ranges), begins, end) if ranges else None


def _run_of(match: re.Match[str]) -> _Run:
    end = max(match.end("first"), match.end("last"))
    return _Run((_pages_of(match),), match.start("first"), end)


def _pages_of(match: re.Match[str]) -> CitedPages:
    first, last = match["first"], match["last"] or match["first"]
    if first.isdigit() and last.isdigit() and len(last) < len(first):
        last = first[: -len(last)] + last
    on = " ".join((match["on"] or "").split())
    return CitedPages(first, last, 0 if not on else 1 if on in _ONE_MORE else _FOLLOWING)
