"""A sentence taken apart for comparison: words, clauses and quantities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from citeloom.domain.answers import lexicon

_TOKEN = re.compile(
    r"\d+(?:[.,]\d+)*(?:[a-zµ]?[A-Z]?[a-z]?\b)?"
    r"|[^\W\d_][\w./]*(?:['\u2019\u02bc-]\w+)*"
    r"|[%°$€µ≤≥<>=±~]+[^\W\d_]*"
    r"|[,;:()\[\]]|[\u2013\u2014]"
)
_BREAKS = frozenset(",;:()[]\u2013\u2014")
_CONNECTIVES = frozenset(
    """
    and but which because although though while whereas since therefore so however if when until
    unless yet after before once where
    """.split()
)
_AUXILIARIES = frozenset(
    """
    is are was were be been has have had do does did can could may might must will would shall
    should
    """.split()
)
_SUFFIXES = ("ation", "edly", "ied", "ings", "ing", "ion", "ed", "er", "ly", "e", "y")
_LEAST_STEM = 3
_DIGITS = re.compile(r"(\d+(?:[.,]\d+)*)([a-zA-Zµ]*)")
_DIMENSIONS = re.compile(r"\b([1-4])-?D\b")
_WITHOUT_ONE = re.compile(
    r"\ban? (?P<noun>(?:[\w-]+ ){0,2}?[\w-]+)(?= (?:is|are|was|were|has|have|had|can|may|must|will"
    r"|should|of|for|in|on|at|by|with|to|from|that|which|and|or)\b|[,;.:])"
    r"[^.]*?\bwithout (?=one\b)",
    re.IGNORECASE,
)
"""What `one` stands for in *without one*: the noun behind the article before it."""
_DIGIT_WORDS = {"1": "one", "2": "two", "3": "three", "4": "four"}
_THOUSANDS = re.compile(r",(?=\d{3}\b)")
_NO_NOUN = frozenset("of the these those its their a to out all times such fewer more less".split())
_APOSTROPHE = re.compile("[\u2019\u02bc]")
_DETERMINERS = frozenset("the a an its their this that our his her each every".split())
_SUBJECTS = frozenset("it they he she we you there these those i".split())
_PARTS = frozenset("thirds quarters fifths tenths".split())


@dataclass(frozen=True, slots=True)
class ClaimWord:
    """A token as it is written, in lower case and as a stem; `place` counts tokens."""

    text: str
    low: str
    stem: str
    place: int
    clause: int

    @property
    def carries(self) -> bool:
        """Whether it carries content."""
        return (
            self.low not in lexicon.FUNCTION
            and self.low not in lexicon.NEGATORS
            and (any(c.isalpha() for c in self.low))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number with its kind, unit and bound, the word behind it, and the words around it."""

    value: float
    kind: str
    unit: str
    bound: str
    place: int
    clause: int
    noun: str
    around: frozenset[str] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Statement:
    """A text as words in clauses, with its quantities."""

    words: tuple[ClaimWord, ...]
    clauses: tuple[tuple[ClaimWord, ...], ...]
    quantities: tuple[Quantity, ...]

    @property
    def content(self) -> tuple[ClaimWord, ...]:
        """The words that carry content."""
        return tuple(word for word in self.words if word.carries)


def is_number(word: ClaimWord) -> bool:
    """Whether a word is a number, in digits or in letters."""
    return word.text[0].isdigit() or word.low in lexicon.NUMBER_WORDS


@cache
def stem(word: str) -> str:
    """The beginning that a word has in common with its inflections."""
    low = _APOSTROPHE.sub("'", word.casefold()).removesuffix("'s").removesuffix("'")
    low = _singular(lexicon.IRREGULAR.get(low, low))
    low = lexicon.IRREGULAR.get(low, low)
    for suffix in _SUFFIXES:
        least = _LEAST_STEM + (suffix == "ation")
        if low.endswith(suffix) and len(low) - len(suffix) >= least:
            low = low[: -len(suffix)]
            break
    if len(low) > _LEAST_STEM and low[-1] == low[-2] and low[-1] not in "aeious":
        low = low[:-1]
    return low.removesuffix("e") if len(low) > _LEAST_STEM else low


def _singular(low: str) -> str:
    if low.endswith("ies") and len(low) > _LEAST_STEM + 1:
        return low[:-3] + "y"
    if low.endswith(("sses", "shes", "ches", "xes", "zes")):
        return low[:-2]
    plain = low.endswith(("ss", "us", "is")) or len(low) <= _LEAST_STEM
    return low if plain else low.removesuffix("s")


def statement(text: str) -> Statement:
    """The statement that a text makes."""
    whole = _WITHOUT_ONE.sub(r"\g<0>\g<noun> ", text.replace("per cent", "percent"))
    plain = _DIMENSIONS.sub(_in_dimensions, whole)
    raw_tokens = _TOKEN.findall(plain)
    tokens = [token if token[0].isdigit() else token.rstrip("./'") or token for token in raw_tokens]
    numbered = _in_clauses(_without_hyphens(tokens))
    words = tuple(
        ClaimWord(token, token.casefold(), stem(token), place, clause)
        for place, (token, clause) in enumerate(numbered)
    )
    count = words[-1].clause + 1 if words else 0
    clauses = tuple(tuple(word for word in words if word.clause == n) for n in range(count))
    return Statement(words, clauses, tuple(_quantities(words)))


def _in_dimensions(digit: re.Match[str]) -> str:
    return f"{_DIGIT_WORDS[digit[1]]}-dimensional"


def _without_hyphens(tokens: Sequence[str]) -> list[str]:
    """The tokens, in pieces those of number words and of words with a slash: `thirty-one`."""
    parts: list[str] = []
    for token in tokens:
        pieces = token.split("-")
        numeric = any(piece.casefold() in lexicon.NUMBER_WORDS for piece in pieces)
        words = token.split("/")
        either = len(words) > 1 and all(
            len(word) > _LEAST_STEM and word.isalpha() for word in words
        )
        parts += pieces if numeric else words if either else [token]
    return parts


def _in_clauses(tokens: Sequence[str]) -> list[tuple[str, int]]:
    """Each token with the number of its clause; what has no verb and one word of content belongs to
    the clause before it.
    """
    segments: list[list[str]] = [[]]
    for at, token in enumerate(tokens):
        if token in _BREAKS or token.casefold() in _CONNECTIVES or _gives_reason(at, tokens):
            segments.append([])
        if token not in _BREAKS:
            segments[-1].append(token)
    clauses: list[list[str]] = []
    for segment in filter(None, segments):
        if clauses and not _stands_alone(segment):
            clauses[-1] += segment
        else:
            clauses.append(segment)
    return [(token, number) for number, clause in enumerate(clauses) for token in clause]


def _gives_reason(at: int, tokens: Sequence[str]) -> bool:
    """Whether `as` begins a clause: it has a subject and an auxiliary verb behind it."""
    words = [token.casefold() for token in tokens[at : at + 8]]
    ends = (n for n, word in enumerate(words) if word in _BREAKS or word in _CONNECTIVES)
    rest = words[2 : next(ends, len(words))]
    return (
        words[0] == "as"
        and words[1:2] != []
        and words[1] in _DETERMINERS | _SUBJECTS
        and any(word in _AUXILIARIES or word.endswith("n't") for word in rest)
    )


def _stands_alone(segment: Sequence[str]) -> bool:
    words = [token.casefold() for token in segment]
    content = [word for word in words if word not in lexicon.FUNCTION]
    return len(content) > 1 or (bool(content) and not _AUXILIARIES.isdisjoint(words))


@dataclass(frozen=True, slots=True)
class _Number:
    """A written number: its value and kind, how many tokens it takes, and a unit joined to it."""

    value: float
    kind: str = "count"
    length: int = 1
    suffix: str = ""


def _quantities(words: Sequence[ClaimWord]) -> list[Quantity]:
    quantities: list[Quantity] = []
    at = 0
    while at < len(words):
        number = _number_at(words, at)
        if number is not None:
            quantities.append(_quantity(words, at, number))
        at += number.length if number else 1
    return quantities


def _quantity(words: Sequence[ClaimWord], at: int, number: _Number) -> Quantity:
    end, clause = at + number.length, words[at].clause
    behind = [word for word in words[end : end + 4] if word.clause == clause]
    unit = lexicon.UNITS.get(number.suffix.casefold(), number.suffix)
    if not unit and behind and _is_unit(behind[0]):
        unit, behind = lexicon.UNITS.get(behind[0].low, behind[0].text), behind[1:]
    value, kind = number.value, number.kind
    if (unit, kind) == ("%", "count"):
        value, kind, unit = value / 100, "fraction", ""
    return Quantity(
        value=round(value, 9),
        kind=kind,
        unit=unit,
        bound=_bound(words, at, end),
        place=at,
        clause=clause,
        noun=_noun(words, behind),
        around=frozenset(word.stem for word in words if word.clause == clause and word.carries),
    )


def _noun(words: Sequence[ClaimWord], behind: Sequence[ClaimWord]) -> str:
    """The stem of what is counted: the first word of content, unless another number comes first."""
    for word in behind:
        if word.low in _NO_NOUN or word.low.endswith("er"):
            continue
        plain = word.carries and _number_at(words, word.place) is None
        return word.stem if plain else ""
    return ""


def _number_at(words: Sequence[ClaimWord], at: int) -> _Number | None:
    """The number that begins there."""
    low = words[at].low
    if digits := _DIGITS.fullmatch(words[at].text):
        return _in_digits(words, at, digits[1], digits[2])
    if low in lexicon.MULTIPLES:
        return _Number(lexicon.MULTIPLES[low], "multiple")
    if low == "decade":
        return _Number(10.0, suffix="years")
    if low in lexicon.FRACTIONS or low in lexicon.ORDINALS:
        return _part_or_place(low, words[at - 1].low if at else "")
    return _in_words(words, at) if low in lexicon.NUMBER_WORDS and low != "one" else None


def _part_or_place(low: str, before: str) -> _Number | None:
    """A fraction or an ordinal; `second` alone is a unit of time."""
    if low not in lexicon.ORDINALS or (low in lexicon.FRACTIONS and before in {"a", "one"}):
        return _Number(lexicon.FRACTIONS[low], "fraction")
    if low in {"first", "second"} and before not in _DETERMINERS:
        return None
    return _Number(float(lexicon.ORDINALS[low]), "ordinal")


def _in_digits(words: Sequence[ClaimWord], at: int, digits: str, suffix: str) -> _Number:
    value = _value(digits)
    if suffix.casefold() in {"st", "nd", "rd", "th"}:
        return _Number(value, "ordinal")
    scale = lexicon.SCALES.get(words[at + 1].low) if at + 1 < len(words) else None
    length = 1 if scale is None else 2
    if suffix in lexicon.SUFFIXES:
        return _Number(value * lexicon.SUFFIXES[suffix], length=length)
    return _Number(value * (scale or 1.0), length=length, suffix=suffix)


def _value(digits: str) -> float:
    """The value of digits with commas for thousands, or one for decimals."""
    whole, _, rest = _THOUSANDS.sub("", digits).replace(",", ".").partition(".")
    return float(f"{whole}.{rest.replace('.', '')}") if rest else float(whole)


def _in_words(words: Sequence[ClaimWord], at: int) -> _Number:
    value, length = float(lexicon.NUMBER_WORDS[words[at].low]), 1
    for word in words[at + 1 : at + 6]:
        unit = lexicon.NUMBER_WORDS.get(word.low, 0)
        if word.low in lexicon.SCALES:
            value *= lexicon.SCALES[word.low]
        elif 0 < unit < 10 and value >= 20 and value % 10 == 0:
            value += unit
        elif word.low in _PARTS:
            return _Number(value * lexicon.FRACTIONS[word.low], "fraction", length + 1)
        else:
            break
        length += 1
    return _Number(value, length=length)


def _is_unit(word: ClaimWord) -> bool:
    text = word.text
    if word.low in lexicon.UNITS or "/" in text or text[0] in "°%$€":
        return True
    return len(text) <= _LEAST_STEM and text.isalpha() and text != text.lower()


def _bound(words: Sequence[ClaimWord], at: int, end: int) -> str:
    """Whether a number is a least one (`>`), a most one (`<`), exact (`=`) or none of these."""
    before = " ".join(word.low for word in words[max(at - 3, 0) : at])
    after = " ".join(word.low for word in words[end : end + 4])
    if match := re.search(r"\bor (?:(more|greater|above)|less|fewer|below)\b", after):
        return ">" if match[1] else "<"
    signs = (sign for phrase, sign in lexicon.BOUNDS if re.search(rf"\b{phrase}(?: an?)?$", before))
    return next(signs, "")
