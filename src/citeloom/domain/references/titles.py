"""Titles compared by their words, not by their typesetting, and DOIs in one form."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum
from functools import cached_property
from itertools import takewhile
from urllib.parse import unquote

from citeloom.domain.text.normal_form import INVISIBLE
from citeloom.domain.text.word_lists import word_list

# Comparing titles by their words, not by their typesetting.

Similarity = Callable[[str, str], float]
"""The similarity of two strings, 0..1; 1 for equal ones."""

_TAG = re.compile(r"</?[A-Za-z][\w:]*(?:\s[^<>]*)?/?>")
_COMMAND = re.compile(r"\\[A-Za-z]+\s*(?=\{)")
_VANISHING = re.compile(r"[\u00ad\ufffe]\s*|[\u200b-\u200d\u2060\ufeff${}_^*'\u2018\u2019\u02bc`]")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i"}
)
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
_SUBTITLE = re.compile(r"\s*:\s+|\s+[-\u2013\u2014]+\s+|\s*\u2014\s*")
_ROMAN = frozenset("ii iii iv vi vii viii ix xi xii xiii xiv xv".split())
_BEFORE_ROMAN = frozenset("part volume vol book chapter series".split())
_SHORTEST_MISSPELT = 4
_CONTENT_WORD = 4


def normalise_title(text: str) -> str:
    """The words of a title: no markup, case, accents, ligatures or punctuation, one space between.

    Idempotent.
    """
    plain = _TAG.sub(" ", html.unescape(html.unescape(text)))
    plain = _VANISHING.sub("", _COMMAND.sub("", plain))
    if plain.isascii():
        folded = plain.casefold()
    else:
        folded = _unaccented(_unaccented(plain).casefold().translate(_LETTERS))
    return " ".join(_WORD.findall(folded))


def _unaccented(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


class TitleRelation(Enum):
    SAME = "same"
    SHORTENED = "shortened"
    OTHER = "other"


@dataclass(frozen=True)
class Title:
    """A title for comparison: `text` is its normal form, `main` the part before a colon."""

    text: str
    main: str = ""

    @classmethod
    def of(cls, raw: str) -> Title:
        main, *subtitle = _SUBTITLE.split(raw, maxsplit=1)
        return cls(normalise_title(raw), normalise_title(main) if subtitle else "")

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words; each ideograph counts as one."""
        return tuple(self.text.split())

    @cached_property
    def key(self) -> str:
        """The letters and digits alone, so that hyphenation and lost spaces do not matter."""
        return self.text.replace(" ", "")

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Years, parts and volumes: works that differ in these are different works."""
        numbers: list[str] = []
        for before, word in zip(("", *self.words), self.words):
            numbers += re.findall(r"\d+", word)
            if word in _ROMAN or (word in {"i", "v", "x"} and before in _BEFORE_ROMAN):
                numbers.append(word)
        return tuple(numbers)

    @cached_property
    def companion_words(self) -> frozenset[str]:
        """The words by which a reply, a correction or a replication names the work it is about."""
        return word_list("companion of a work").intersection(self.words)

    @cached_property
    def content_words(self) -> tuple[str, ...]:
        """Its distinct words without short and function words; all, where it has no others."""
        words = tuple(dict.fromkeys(self.words))
        functional = word_list("function of a title")
        content = (w for w in words if len(w) >= _CONTENT_WORD and w not in functional)
        return tuple(content) or words

    @property
    def is_long(self) -> bool:
        """Whether the title is long enough to identify one work."""
        return len(self.words) >= 8 or (len(self.words) >= 5 and len(self.key) >= 12)

    def wording(self, other: Title) -> TitleRelation:
        """Whether both have the same words except for noise, or this one begins `other`."""
        if not self.may_be(other):
            return TitleRelation.OTHER
        shortened = False
        matcher = SequenceMatcher(a=self.words, b=other.words, autojunk=False)
        for operation, start, end, other_start, other_end in matcher.get_opcodes():
            extra = other.words[other_start:other_end]
            if operation == "equal" or _is_noise(self.words[start:end], extra):
                continue
            if operation != "insert" or other_end < len(other.words):
                return TitleRelation.OTHER
            shortened = True
        return TitleRelation.SHORTENED if shortened else TitleRelation.SAME

    def may_be(self, other: Title) -> bool:
        """Whether `other` has the same numbers and is not a reply to, or a correction of, this."""
        if self.companion_words != other.companion_words:
            return False
        without_footnote_mark = Title(re.sub(r"[\d¹²³⁰⁴-⁹]$", "", other.text).rstrip())
        return self.numbers in (other.numbers, without_footnote_mark.numbers)


def announces_companion(line: str) -> bool:
    """Whether a line above a title says that this is a correction of, or a reply to, that work."""
    functional = word_list("function of a title")
    words = set(normalise_title(line).split()) - functional - {"article", "notice", "book"}
    book_review = words == {"review"} and "book" in line.casefold()
    return book_review or (bool(words) and words <= word_list("companion of a work") - {"review"})


def _is_noise(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether they differ only in function words, hyphenation, a footnote mark or one letter."""
    if word_list("function of a title").issuperset((*ours, *theirs)):
        return True
    here, there = "".join(ours), "".join(theirs)
    if not here or not there:
        return len(here + there) == 1
    if here.replace("rn", "m") == there.replace("rn", "m"):
        return True
    longest = max(len(here), len(there))
    if abs(len(here) - len(there)) > 1 or longest < _SHORTEST_MISSPELT:
        return False
    before = _shared_letters(here, there)
    behind = _shared_letters(here[before:][::-1], there[before:][::-1])
    return before + behind >= longest - 1


def _shared_letters(here: str, there: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(here, there)))


# DOIs as written: in a reference, in a URL, in running text, broken over lines.

_INVISIBLE = {**INVISIBLE, 0xFFFE: None}
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
    while (decoded := unquote(text)) != text:
        text = decoded
    match = _DOI.search(text.translate(_INVISIBLE).translate(_DASHES).lower())
    if match is None:
        return ""
    resolver, doi = match.groups()
    if resolver:
        doi = re.split(r"[?#]", doi, maxsplit=1)[0]

    def closes_nothing(doi: str) -> bool:
        opening = _BRACKETS.get(doi[-1])
        return opening is not None and doi.count(doi[-1]) > doi.count(opening)

    while doi and (doi[-1] in _TRAILING or closes_nothing(doi)):
        doi = doi[:-1]
    return doi if _DOI.fullmatch(doi) else ""


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
    mentions = []
    for match in _START.finditer(text):
        rest = _REST.match(text, match.end())
        end = rest.end() if rest else match.end()
        written = [text[match.start() : end]]
        # publishers append to the DOI in their URLs: also read it without its last part
        shorter = written[0].rpartition("/")[0]
        ends_line = _LINE_END.match(text, end) is not None
        while len(written) <= _CONTINUED_LINES and (more := _NEXT_LINE.match(text, end)):
            written.append(written[-1] + more[1])
            end = more.end()
        if "/" in shorter:
            written.append(shorter)
        line_start = text.rfind("\n", 0, match.start()) + 1
        label = text[max(line_start, match.start() - _LONGEST_LABEL) : match.start()]
        if readings := tuple(dict.fromkeys(filter(None, map(normalise_doi, written)))):
            alone = ends_line and _LABEL.fullmatch(label) is not None
            mentions.append(DoiMention(readings=readings, alone=alone))
    return tuple(mentions)
