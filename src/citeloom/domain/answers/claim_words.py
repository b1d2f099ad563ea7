"""A sentence taken apart for comparison: words, clauses and quantities; and which words mean the
same, or the opposite.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from citeloom.domain.text.word_lists import list_lines, word_list

# Stems, and words with one meaning or with opposite ones.

_SUFFIXES = ("ation", "edly", "ied", "ings", "ing", "ion", "ed", "er", "ly", "e", "y")
_LEAST_STEM = 3
_APOSTROPHE = re.compile("[\u2019\u02bc]")
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "non-", "dis", "de", "a", "anti", "counter")
_MOST_WORDS, _MOST_STATEMENTS = 20_000, 512
"""How many results are kept, since a server runs for months: a few megabytes of each."""
_LEAST_BEGINNING, _BEGINNING = 5, 0.6
"""Two words are forms of one if so many letters, and such a share of the longer, are the same."""


@lru_cache(maxsize=_MOST_WORDS)
def stem(word: str) -> str:
    """The beginning that a word has in common with its inflections."""
    irregular = irregular_forms()
    low = _APOSTROPHE.sub("'", word.casefold()).removesuffix("'s").removesuffix("'")
    low = _singular(irregular.get(low, low))
    low = irregular.get(low, low)
    for suffix in _SUFFIXES:
        least = _LEAST_STEM + (suffix == "ation")
        if low.endswith(suffix) and len(low) - len(suffix) >= least:
            low = low[: -len(suffix)]
            break
    if len(low) > _LEAST_STEM and low[-1] == low[-2] and low[-1] not in "aeious":
        low = low[:-1]
    return low.removesuffix("e") if len(low) > _LEAST_STEM else low


@cache
def irregular_forms() -> dict[str, str]:
    return dict(pair.split(":") for pair in word_list("irregular"))


def _singular(low: str) -> str:
    if low.endswith("ies") and len(low) > _LEAST_STEM + 1:
        return low[:-3] + "y"
    if low.endswith(("sses", "shes", "ches", "xes", "zes")):
        return low[:-2]
    plain = low.endswith(("ss", "us", "is")) or len(low) <= _LEAST_STEM
    return low if plain else low.removesuffix("s")


@lru_cache(maxsize=_MOST_WORDS)
def alike(first: str, second: str) -> bool:
    if first == second:
        return True
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) >= 4 and longer.startswith(shorter[: max(4, round(0.7 * len(longer)))]):
        return True
    common = next((n for n, (a, b) in enumerate(zip(first, second)) if a != b), len(shorter))
    if common >= _LEAST_BEGINNING and common >= _BEGINNING * len(longer):
        return True
    return bool(_groups().get(first, frozenset()) & _groups().get(second, frozenset()))


@lru_cache(maxsize=_MOST_WORDS)
def opposed(first: str, second: str) -> bool:
    """Whether two stems have opposite meanings, by the list or by a prefix."""
    if (first, second) in _opposites():
        return True
    shorter, longer = sorted((first, second), key=len)
    return len(shorter) >= 4 and any(
        longer.startswith(prefix)
        and (rest := longer.removeprefix(prefix))
        and (rest == shorter or (len(shorter) >= _LEAST_BEGINNING and rest[:5] == shorter[:5]))
        for prefix in _PREFIXES
    )


@cache
def _groups() -> dict[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    sides = (side for pair in list_lines("opposite", separator=";") for side in pair.split("|"))
    for number, words in enumerate([*list_lines("same", separator=";"), *sides]):
        for word in words.split():
            groups.setdefault(stem(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in groups.items()}


@cache
def _opposites() -> frozenset[tuple[str, str]]:
    pairs: set[tuple[str, str]] = set()
    for line in list_lines("opposite", separator=";"):
        left, right = ([*map(stem, side.split())] for side in line.split("|"))
        pairs |= {pair for a in left for b in right for pair in ((a, b), (b, a))}
    return frozenset(pair for pair in pairs if pair[0] != pair[1])


# Words, clauses and quantities.

_TOKEN = re.compile(
    r"\d+(?:[.,]\d+)*(?:[a-zµ]?[A-Z]?[a-z]?\b)?"
    r"|[^\W\d_][\w./]*(?:['\u2019\u02bc-]\w+)*"
    r"|[%°$€µ≤≥<>=±~]+[^\W\d_]*"
    r"|[,;:()\[\]]|[\u2013\u2014]"
)
_BREAKS = frozenset(",;:()[]\u2013\u2014")
_NUMBERS = {
    word: float(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
} | {
    word: 10.0 * value
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "dozen": 12.0}
_SUFFIX_SCALES = {"k": 1e3, "K": 1e3, "M": 1e6}
_ORDINALS = {
    word: float(value)
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1
    )
}
_FRACTIONS = {"half": 1 / 2, "quarter": 1 / 4, "third": 1 / 3, "fifth": 1 / 5, "tenth": 1 / 10}
_FRACTIONS |= {"halves": 1 / 2, "halved": 1 / 2, **{f"{n}s": v for n, v in _FRACTIONS.items()}}
_MULTIPLES = {"twice": 2.0, "thrice": 3.0}
_MULTIPLES |= {f"doubl{end}": 2.0 for end in ("e", "ed", "es", "ing")}
_MULTIPLES |= {f"tripl{end}": 3.0 for end in ("e", "ed", "es", "ing")}
_DIGITS = re.compile(r"(\d+(?:[.,]\d+)*)([a-zA-Zµ]*)")
_THOUSANDS = re.compile(r",(?=\d{3}\b)")


@dataclass(frozen=True)
class ClaimWord:
    """A token as it is written, in lower case and as a stem; `place` counts tokens."""

    text: str
    low: str
    stem: str
    place: int
    clause: int

    @cached_property
    def carries(self) -> bool:
        return self.low not in no_content() and any(map(str.isalpha, self.low))


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its kind, its unit, and the stem of what is counted."""

    value: float
    kind: str
    unit: str
    noun: str
    place: int
    clause: int


@dataclass(frozen=True)
class Statement:
    """A text as words in clauses, with its quantities."""

    words: tuple[ClaimWord, ...]
    clauses: tuple[tuple[ClaimWord, ...], ...]
    quantities: tuple[Quantity, ...]

    @cached_property
    def content(self) -> tuple[ClaimWord, ...]:
        return tuple(word for word in self.words if word.carries)

    @cached_property
    def lows(self) -> frozenset[str]:
        return frozenset(word.low for word in self.words)


@cache
def no_content() -> frozenset[str]:
    """Words that join, and those that negate."""
    return word_list("function", "en", "de", "pt") | negators()


@cache
def negators() -> frozenset[str]:
    """Words that negate, in five languages."""
    return word_list("negation", "en", "de", "pt", "fr", "es")


@cache
def units() -> dict[str, str]:
    """The first name of each unit by all its names."""
    return {alias: line.split()[0] for line in list_lines("unit") for alias in line.split()}


def stems(words: Iterable[ClaimWord]) -> list[str]:
    return [word.stem for word in words if word.carries]


@lru_cache(maxsize=_MOST_STATEMENTS)
def statement(text: str) -> Statement:
    raw = _TOKEN.findall(text.replace("per cent", "percent"))
    tokens = [token if token[0].isdigit() else token.rstrip("./'") or token for token in raw]
    numbered = _in_clauses([part for token in tokens for part in _parts(token)])
    words = tuple(
        ClaimWord(token, token.casefold(), stem(token), place, clause)
        for place, (token, clause) in enumerate(numbered)
    )
    count = words[-1].clause + 1 if words else 0
    clauses = tuple(tuple(word for word in words if word.clause == n) for n in range(count))
    return Statement(words, clauses, tuple(_quantities(words)))


def _parts(token: str) -> list[str]:
    """The pieces of a number word with hyphens, `thirty-one`, and of words with a slash."""
    pieces, words = token.split("-"), token.split("/")
    if any(piece.casefold() in _NUMBERS for piece in pieces):
        return pieces
    either = len(words) > 1 and all(len(word) > _LEAST_STEM and word.isalpha() for word in words)
    return words if either else [token]


def _in_clauses(tokens: Sequence[str]) -> list[tuple[str, int]]:
    """Each token with the number of its clause; what has no verb and one word of content belongs to
    the clause before it.
    """
    segments: list[list[str]] = [[]]
    for token in tokens:
        if token in _BREAKS or token.casefold() in word_list("connective"):
            segments.append([])
        if token not in _BREAKS:
            segments[-1].append(token)
    clauses: list[list[str]] = []
    functional, auxiliary = word_list("function", "en", "de", "pt"), word_list("auxiliary")
    for segment in filter(None, segments):
        lows = [token.casefold() for token in segment]
        content = sum(low not in functional for low in lows)
        if clauses and not (content > 1 or (content and not auxiliary.isdisjoint(lows))):
            clauses[-1] += segment
        else:
            clauses.append(segment)
    return [(token, number) for number, clause in enumerate(clauses) for token in clause]


def is_number(word: ClaimWord) -> bool:
    return word.text[0].isdigit() or word.low in _NUMBERS


def is_amount(word: ClaimWord) -> bool:
    """Whether a word is a number, or about one: `dozens`."""
    return is_number(word) or word.low.removesuffix("s") in _SCALES


def _quantities(words: Sequence[ClaimWord]) -> list[Quantity]:
    quantities: list[Quantity] = []
    at = 0
    while at < len(words):
        number = _number_at(words, at)
        if number is None:
            at += 1
            continue
        value, kind, length, unit = number
        clause, end = words[at].clause, at + length
        behind = [word for word in words[end : end + 4] if word.clause == clause]
        if not unit and behind and _is_unit(behind[0]):
            unit, behind = behind[0].text, behind[1:]
        unit = units().get(unit.casefold(), unit)
        if (unit, kind) == ("%", "count"):
            value, kind, unit = value / 100, "fraction", ""
        noun = _noun(words, behind)
        quantities.append(Quantity(round(value, 9), kind, unit, noun, at, clause))
        at = end
    return quantities


def _noun(words: Sequence[ClaimWord], behind: Sequence[ClaimWord]) -> str:
    """The stem of what is counted: the first word of content, unless another number comes first."""
    counted = (w for w in behind if w.low not in word_list("no noun") and not w.low.endswith("er"))
    word = next(counted, None)
    is_noun = word is not None and word.carries and _number_at(words, word.place) is None
    return word.stem if word and is_noun else ""


_Number = tuple[float, str, int, str]
"""A written number: its value and kind, how many tokens it takes, and a unit joined to it."""


def _number_at(words: Sequence[ClaimWord], at: int) -> _Number | None:
    word = words[at]
    if digits := _DIGITS.fullmatch(word.text):
        return _in_digits(words, at, digits[1], digits[2])
    if word.low in _MULTIPLES:
        return _MULTIPLES[word.low], "multiple", 1, ""
    if word.low == "decade":
        return 10.0, "count", 1, "years"
    if word.low in _FRACTIONS or word.low in _ORDINALS:
        return _part_or_place(word.low, words[at - 1].low if at else "")
    return _in_words(words, at) if word.low in _NUMBERS and word.low != "one" else None


def _in_digits(words: Sequence[ClaimWord], at: int, digits: str, suffix: str) -> _Number:
    """The value of digits with commas for thousands, or one for decimals."""
    whole, _, rest = _THOUSANDS.sub("", digits).replace(",", ".").partition(".")
    value = float(f"{whole}.{rest.replace('.', '') or 0}")
    if suffix.casefold() in {"st", "nd", "rd", "th"}:
        return value, "ordinal", 1, ""
    if suffix in _SUFFIX_SCALES:
        return value * _SUFFIX_SCALES[suffix], "count", 1, ""
    scale = _SCALES.get(words[at + 1].low) if at + 1 < len(words) else None
    return value * (scale or 1.0), "count", 1 if scale is None else 2, suffix


def _part_or_place(low: str, before: str) -> _Number | None:
    """A fraction or an ordinal; `second` alone is a unit of time."""
    if low not in _ORDINALS or (low in _FRACTIONS and before in {"a", "one"}):
        return _FRACTIONS[low], "fraction", 1, ""
    if low in {"first", "second"} and before not in word_list("article"):
        return None
    return _ORDINALS[low], "ordinal", 1, ""


def _in_words(words: Sequence[ClaimWord], at: int) -> _Number:
    value, length = _NUMBERS[words[at].low], 1
    for word in words[at + 1 : at + 6]:
        number = _NUMBERS.get(word.low, 0)
        if word.low in _SCALES:
            value *= _SCALES[word.low]
        elif 0 < number < 10 and value >= 20 and value % 10 == 0:
            value += number
        elif word.low in _FRACTIONS and word.low.endswith("s"):
            return value * _FRACTIONS[word.low], "fraction", length + 1, ""
        else:
            break
        length += 1
    return value, "count", length, ""


def _is_unit(word: ClaimWord) -> bool:
    text = word.text
    if word.low in units() or "/" in text or text[0] in "°%$€":
        return True
    return len(text) <= _LEAST_STEM and text.isalpha() and text != text.lower()
