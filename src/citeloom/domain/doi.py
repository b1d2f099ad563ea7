"""DOIs as written: in a reference, in a URL, in running text, broken over lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff\ufffe"))
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212"), "-")
_PREFIX = r"10\.\d{4,9}(?:\.\d+)*"
_DOI = re.compile(rf"(doi\.org/)?({_PREFIX}/\S+)")
_START = re.compile(rf"(?<![\d.]){_PREFIX}(?:/|%2[fF])")
_REST = re.compile(r"\S*")
_NEXT_LINE = re.compile(r"[ \t\r]*\n\s*(\S+)")
_LINE_END = re.compile(r"[ \t\r]*(?:\n|\Z)")
# what may stand before a DOI that has a line to itself: "DOI:", "https://doi.org/" or its tail
_LABEL = re.compile(r"\W*(?:https?:)?/*(?:dx\.|www\.)?(?:doi(?:\.org)?)?\W*", re.IGNORECASE)
_TRAILING = ".,;:!?'\"\u201c\u201d\u2018\u2019*\u2020\u2026|\\"
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}
_CONTINUED_LINES = 2
_LONGEST_LABEL = 60


def normalise_doi(text: str) -> str:
    """The DOI in `text` in lower case, without resolver, URL encoding or trailing punctuation.

    Empty where there is none. Idempotent.
    """
    found = _DOI.search(_decoded(text).translate(_INVISIBLE).translate(_DASHES).lower())
    if found is None:
        return ""
    resolver, doi = found.groups()
    if resolver:
        doi = re.split(r"[?#]", doi, maxsplit=1)[0]
    doi = _without_trailing_punctuation(doi)
    return doi if _DOI.fullmatch(doi) else ""


def _decoded(text: str) -> str:
    while (decoded := unquote(text)) != text:
        text = decoded
    return text


def _without_trailing_punctuation(doi: str) -> str:
    while doi and (doi[-1] in _TRAILING or _closes_nothing(doi)):
        doi = doi[:-1]
    return doi


def _closes_nothing(doi: str) -> bool:
    opening = _BRACKETS.get(doi[-1])
    return opening is not None and doi.count(doi[-1]) > doi.count(opening)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoiMention:
    """A DOI in running text.

    A DOI may go on in the next line: `readings` are its possible normal forms, the one that stops
    at the line's end first. `alone` says that the line holds nothing but the DOI.
    """

    readings: tuple[str, ...]
    alone: bool


def doi_mentions(text: str) -> tuple[DoiMention, ...]:
    """The DOIs in `text`, in text order."""
    mentions = (_mention(text, found) for found in _START.finditer(text))
    return tuple(mention for mention in mentions if mention.readings)


def _mention(text: str, found: re.Match[str]) -> DoiMention:
    rest = _REST.match(text, found.end())
    end = rest.end() if rest else found.end()
    written = [text[found.start() : end]]
    ends_line = _LINE_END.match(text, end) is not None
    while len(written) <= _CONTINUED_LINES and (more := _NEXT_LINE.match(text, end)):
        written.append(written[-1] + more[1])
        end = more.end()
    line_start = text.rfind("\n", 0, found.start()) + 1
    label = text[max(line_start, found.start() - _LONGEST_LABEL) : found.start()]
    return DoiMention(
        readings=tuple(dict.fromkeys(filter(None, map(normalise_doi, _readings(written))))),
        alone=ends_line and _LABEL.fullmatch(label) is not None,
    )


def _readings(written: list[str]) -> list[str]:
    """Publishers append to the DOI in their URLs: also read it without its last part."""
    shorter = written[0].rpartition("/")[0]
    return [*written, shorter] if shorter.count("/") else written
