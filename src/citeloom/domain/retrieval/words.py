"""The words of a question: those that carry content, its language, how passages cover them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from citeloom.domain.documents.language import LANGUAGE_NAMES
from citeloom.domain.text.hebrew_arabic import unpointed
from citeloom.domain.text.tokens import (
    UNSEGMENTED,
    has_unsegmented,
    joined_pairs,
    pairs_of_letters,
    parts_with_signs,
    words_with_signs,
)
from citeloom.domain.text.word_lists import word_list

# Words that ask or join and name nothing, by language, and which language a question is in.

_WORD = re.compile(r"[^\W\d_]+")
_MOST_WORDS = 200
_ASKING = re.compile(
    r"\bhow (?:long|often|far|soon|old|big|large)\b|\b(?:what|which) (?:kinds?|sorts?|types?) of\b"
    r"|\bwie (?:lange?|oft|weit|alt|groß)\b|\bwas für\b|\bwelche arten? von\b"
    r"|\bcombien de (?:temps|fois)\b|\bquelles? sortes? de\b|\bquels? types? de\b"
    r"|\bcuánto tiempo\b|\bcuántas veces\b|\bqué tipos? de\b"
    r"|\bquanto tempo\b|\bquantas vezes\b|\bque tipos? de\b"
    r"|\bgood for(?=\W*$)|\bgut für(?=\W*$)"
    r"|\bquante volte\b|\bche tipi? di\b|\bhoe (?:lang|vaak|ver)\b|\bwat voor\b",
    re.IGNORECASE,
)
"""Phrases that ask, of words that carry content elsewhere."""


_MEASURES = re.compile(
    r"\b(?:what|which) (height|length|width|depth|altitude|age|speed|temperature|weight|price|cost"
    r"|size|angle|distance|duration|rate|amount|quantity)\b"
    r"|\bwelche[mnrs]? (höhe|länge|breite|tiefe|temperatur|geschwindigkeit|entfernung|menge|größe"
    r"|alter|gewicht|preis|winkel|dauer)\b"
    r"|\b(?:que|qual (?:é )?[ao]) (altura|comprimento|largura|profundidade|idade|velocidade"
    r"|temperatura|peso|preço|custo|tamanho|ângulo|distância|duração|quantidade)\b",
    re.IGNORECASE,
)
"""What measure a question asks for: an answer has a number with its unit, and not the word."""


def languages_of_question(question: str) -> tuple[str, ...]:
    """The languages that most words of a question are function words of, the first word counted
    twice; English alone where it is among them, none where no word is.
    """
    words = [word.casefold() for word in _WORD.findall(unpointed(question))[:1]]
    words += _words(question)
    counted = {
        code: sum(word in word_list("question", code) for word in words) for code in LANGUAGE_NAMES
    }
    most = max(counted.values(), default=0)
    if not most:
        return ()
    best = tuple(code for code, count in counted.items() if count == most)
    return ("en",) if "en" in best else best


def clear_question_language(question: str) -> str | None:
    """The language that at least two of a question's words clearly tell, or the word that it begins
    with; None for any other.
    """
    languages = languages_of_question(question)
    first = next(iter(_WORD.findall(question)), "").casefold()
    for code in ("de", "pt", "es", "fr"):
        asks = first in word_list("opening of a question", code)
        if asks and (not languages or code in languages):
            return code
    if len(languages) != 1:
        return None
    telling = _words(question) & word_list("question", languages[0])
    return languages[0] if len(telling) > 1 else None


def function_words(question: str) -> frozenset[str]:
    """The words of a question, case-folded, that name nothing in its own language; none where it
    has no others.
    """
    words = _words(question)
    languages = languages_of_question(question)
    functional = words & word_list("question", *languages) if languages else set()
    functional.update(*(_words(phrase[0]) for phrase in _ASKING.finditer(question)))
    return frozenset() if functional == words else frozenset(functional)


def asked_measures(question: str) -> frozenset[str]:
    """The words of a question, case-folded, that say which measure it asks for: the height of *at
    what height*.
    """
    found = (match[match.lastindex or 0] for match in _MEASURES.finditer(question))
    return frozenset(word.casefold() for word in found)


def asks_or_joins(word: str) -> bool:
    """Whether a word, case-folded, is a function word of any language."""
    return word in word_list("question", *LANGUAGE_NAMES)


def _words(question: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(unpointed(question))[:_MOST_WORDS]}


# The words of a question that are looked up.

_QUESTION_WORD = re.compile(rf"[{UNSEGMENTED}]+|[^\W_](?:[\w.'\u2019/+-]*[^\W_])?[+#]*")
_HIRAGANA = re.compile("[\u3041-\u309f]")
_MOST_QUESTION_WORDS = 60
_ASKING_UNSPACED = re.compile(
    # Chinese, Japanese, Thai, Korean
    r"[是有]?(?:[为為]?什[么麼](?:[时時]候)?|怎[么麼樣样]样?|如何|多[少久]|哪[里裡些个個]|[谁誰])|[吗嗎呢](?=\W*$)"
    r"|いつ(?!も)|どこ|だれ|なぜ|(?<!ほ)どの(?:くらい|ような|ように)?|どんな|(?<!ぶ)どう(?:して)?|どれ|いく[つら]|(?<!こ)とは"
    r"|何(?=[でがをはに])|(?:でしょう|です|でした|ました|ます|ません)か(?!ら)"
    r"|(?:เพราะ|เพื่อ)?อะไร(?:บ้าง)?|เมื่อไ(?:ห)?ร่?|ที่(?:ไหน|ใด)|อย่างไร|ทำไม|เท่าไ(?:ห)?ร่?|เท่าใด|กี่|ใคร|หรือไม่|ไหม(?=\W*$)"
    r"|(?:무엇|언제|어디|누구|누가|어떻게|얼마|어떤)[가-힣]{0,2}|\b왜\b|\b몇\b"
)
"""How one asks where no spaces part words."""


def words_of_question(question: str) -> list[str]:
    """The different words of a question, up to 60; where no spaces part them, each two letters."""
    question = unpointed(question)
    asked = _ASKING_UNSPACED.sub(" ", question)
    if not has_unsegmented(asked):
        asked = question
    words = (part for word in _QUESTION_WORD.findall(asked) for part in _telling_parts(word))
    return list(dict.fromkeys(words))[:_MOST_QUESTION_WORDS]


def _telling_parts(word: str) -> list[str]:
    """The word, or where no spaces part words its pairs of letters; of Japanese those without the
    letters that endings and particles are written in, if there are any.
    """
    parts = pairs_of_letters(word)
    return [part for part in parts if not _HIRAGANA.search(part)] or parts


def content_words_of(question: str) -> list[str]:
    """The different words of a question without the function words of its language."""
    functional = function_words(question)
    return [word for word in words_of_question(question) if word.casefold() not in functional]


def words_looked_up(question: str) -> list[str]:
    """The content words of a question, and its words with signs and symbols."""
    signed = list(words_with_signs(question))
    symbols = (part for word in signed for part in parts_with_signs(word))
    words = dict.fromkeys((*content_words_of(question), *signed, *symbols))
    return list(words)[:_MOST_QUESTION_WORDS]


def without_signs(word: str) -> str:
    """The letters of a word by which it is known where its signs are not: C of C++; none of a
    symbol, nor of a word whose parts are words of the question.
    """
    if next(words_with_signs(word), None) is None:
        return word
    return re.sub("[+#]+", " ", word).strip() if _QUESTION_WORD.fullmatch(word) else ""


def parts_of_signed(word: str) -> list[str]:
    """The words of a question that are parts of a word with signs: n and 37 of n=37."""
    return [part for part in (*words_of_question(word), *parts_with_signs(word)) if part != word]


def names_of(question: str, words: Iterable[str]) -> Iterable[str]:
    """The words that name something: with a capital behind the first word, or with a digit."""
    first = next(iter(_QUESTION_WORD.findall(question)), "")
    for word in words:
        capital = any(char.isupper() for char in (word[1:] if word == first else word))
        if capital or any(char.isdigit() for char in word):
            yield word


# How well passages fit a question, by how its words stand in them and in the library.

PASSAGES_READ = 6
"""How many of the nearest passages the coverage of a question's words is that of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCoverage:
    """How the words of a question stand in the library.

    `weights` is the inverse document frequency of each word that carries content; `unknown` are the
    words that are nowhere in the library, `missing` those that are not in the nearest passages,
    `lacking` those that the one of these passages with most of the weight does not have (where it
    is None, those that all of them lack), `names` those of the question's words that name
    something. `work_share` is the share of these passages that are of the same work as that one,
    itself counted; 0 where that is of none. `uncounted` are those whose number the question asks
    for and none of these passages says, `figures` numbers in the question that `lacking` has and
    nothing beside these passages says.
    """

    weights: Mapping[str, float]
    unknown: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    lacking: frozenset[str] | None = None
    work_share: float = 0.0
    uncounted: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()

    @property
    def coverage(self) -> float:
        """The share of the words' weight that is in the nearest passages; 1 without words."""
        return max(1.0 - self._share(self.missing), 0.0)

    @property
    def coverage_in_one(self) -> float:
        """The share of the words' weight that is in one of them; 1 without words."""
        lacking = self.missing if self.lacking is None else self.lacking
        return max(1.0 - self._share(lacking), 0.0)

    @property
    def unknown_share(self) -> float:
        """The share of the words' weight that is nowhere in the library."""
        return self._share(self.unknown)

    def absent(self) -> tuple[str, ...]:
        """The words that the nearest passages lack: names first, then the rarest."""
        lacking = self.missing | self.unknown
        return tuple(sorted(lacking, key=lambda w: (w not in self.names, -self.weights[w], w)))

    def _share(self, words: frozenset[str]) -> float:
        total = sum(self.weights.values())
        share = sum(weight for word, weight in self.weights.items() if word in words)
        return share / total if total else 0.0


_STRONG = 0.7
"""The value from which a fit is strong (ADR 31)."""
_WEAK = 0.25
"""The value below which a fit is weak."""
_MOST_NAMED = 4
"""How many words a reason names."""


class Strength(StrEnum):
    """How well passages fit a question, in three steps."""

    STRONG = "strong"
    FAIR = "fair"
    WEAK = "weak"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryCoverage:
    """How well the passages of a work fit a question, with reasons in plain words.

    `value` is the share of the weight of the question's words that the work has, less the share of
    the words that are nowhere in the library.
    """

    strength: Strength
    """`strong` begins at 0.7, `weak` ends at 0.25."""
    value: float | None
    """From -1 to 1; null for a question without words that carry content."""
    reasons: tuple[str, ...] = ()
    """Which of the question's words occur nowhere in the library, or in none of the passages found
    of the work.
    """


VERBATIM = QueryCoverage(
    strength=Strength.STRONG, value=1.0, reasons=("the passage has the question word for word",)
)


def fit_of(wording: WordCoverage, work: str, question: str = "") -> QueryCoverage:
    """The fit of passages of the work so named, by how the words of the question stand in them and
    in the library.
    """
    if not wording.weights:
        reason = "the question has no words that carry content"
        return QueryCoverage(strength=Strength.FAIR, value=None, reasons=(reason,))
    unknown_words = len(wording.unknown) / len(wording.weights)
    value = round(wording.coverage - unknown_words, 4)
    strength = Strength.FAIR if value >= _WEAK else Strength.WEAK
    if value >= _STRONG:
        strength = Strength.STRONG
    return QueryCoverage(
        strength=strength, value=value, reasons=tuple(_reasons(wording, work, question))
    )


def _reasons(wording: WordCoverage, work: str, question: str) -> Iterable[str]:
    absent = wording.absent()
    unknown = joined_pairs([word for word in absent if word in wording.unknown], question)
    missing = joined_pairs([word for word in absent if word not in wording.unknown], question)
    if unknown:
        yield f"{_named(unknown)} {_occur(unknown)} nowhere in the library"
    if missing:
        yield f"{_named(missing)} {_occur(missing)} in none of the passages found of {work}"


def _occur(words: list[str]) -> str:
    return "occurs" if len(words) == 1 else "occur"


def _named(words: list[str]) -> str:
    """The first words in quotes: `'a', 'b' and 'c'`."""
    listed = [f"'{word}'" for word in words[:_MOST_NAMED]]
    if len(words) > _MOST_NAMED:
        listed.append(f"{len(words) - _MOST_NAMED} more")
    return " and ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))
