"""What ellipses and brackets of a quotation hide of a work or add to it that turns its meaning, and
the superscripts and subscripts that it has in the line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from citeloom.domain.text.near import Remark, WordChange, negations, numbers, remarks_on
from citeloom.domain.text.verbatim import Gap, QuotedPlace
from citeloom.domain.text.word_lists import words_of_all_languages

_NEAR_AN_ELLIPSIS = 6
"""How many words at either end of what an ellipsis hides belong to what is quoted there."""
_FEW_WORDS = 4
"""Of up to so many words that an ellipsis hides, a number or a name is told."""
_BREAK = re.compile(r"[,;:.!?()\u2013\u2014]+(?=\s|$)|\s[\u2013\u2014-]\s")
_CAPITAL = re.compile(r"[^\W\d_a-z][^\W\d_]+")


@dataclass(frozen=True, slots=True)
class HiddenWords:
    """Words that a quotation hides or adds, and whether it is wrong with them: so is one with or
    without a negation, and one with another number or name in brackets.
    """

    change: WordChange
    is_wrong: bool


def hidden_words(place: QuotedPlace, *, with_names: bool) -> list[HiddenWords]:
    """The negations, numbers and, unless the language begins all nouns with a capital, the names
    that a quotation hides of a work, or adds to it.
    """
    return [words for gap in place.gaps for words in _of(gap, with_names=with_names)]


def _of(gap: Gap, *, with_names: bool) -> Iterator[HiddenWords]:
    words, work = gap.change.words, " ".join(gap.work.split())
    remarks = list(remarks_on(words, work))
    names, work_names = (_names(text) if with_names else frozenset() for text in (words, work))
    if names != work_names:
        remarks.append(Remark.NAME)
    if gap.change.is_omission and not words:
        yield from _behind_an_ellipsis(work, remarks)
    elif remarks:
        is_other = bool(numbers(words) or numbers(work)) or bool(names and work_names)
        is_wrong = Remark.NEGATION in remarks or (bool(work) and is_other)
        yield HiddenWords(WordChange(quote=words, work=work, remarks=tuple(remarks)), is_wrong)


def _behind_an_ellipsis(work: str, remarks: list[Remark]) -> Iterator[HiddenWords]:
    """A negation that belongs to the words at either side; the number or name of a few words."""
    parts = _BREAK.split(work)
    head, tail = parts[0].split()[:_NEAR_AN_ELLIPSIS], parts[-1].split()[-_NEAR_AN_ELLIPSIS:]
    for side in (" ".join(head), " ".join(tail)):
        if negations(side):
            yield HiddenWords(WordChange(quote="", work=side, remarks=(Remark.NEGATION,)), True)
            return
    if remarks and len(work.split()) <= _FEW_WORDS:
        yield HiddenWords(WordChange(quote="", work=work, remarks=tuple(remarks)), False)


def _names(text: str) -> frozenset[str]:
    """The words with a capital that no language uses all the time."""
    frequent = words_of_all_languages("frequent") | words_of_all_languages("function")
    capital = _CAPITAL.findall(text)
    return frozenset(word for word in capital if word.casefold() not in frequent)


# Superscripts and subscripts in the forms in which texts write them: `r²`, `r^2`, `x_(max)`.

# of Unicode's blocks with such letters, those that stand for plain ones
_FORMS = [
    (chr(code), kind)
    for first, last in (
        (0xB2, 0xB9),
        (0x2B0, 0x2B8),
        (0x1D2C, 0x1DBF),
        (0x2070, 0x209C),
        (0x2C7C, 0x2C7D),
    )
    for code in range(first, last + 1)
    if (kind := unicodedata.decomposition(chr(code)).split(" ")[0]) in {"<super>", "<sub>"}
]
_SUPERSCRIPT = "".join(form for form, kind in _FORMS if kind == "<super>")
_SUBSCRIPT = "".join(form for form, kind in _FORMS if kind == "<sub>")
_RUN = re.compile(f"(?P<raised>[{_SUPERSCRIPT}]+)|(?P<lowered>[{_SUBSCRIPT}]+)")
_BRACKETS = re.compile(r"([\^_])(?:\(([^(){}]*)\)|\{([^(){}]*)\})")
_MARK = re.compile(r"[\^_]")
_ENDS = ".,;:!?\"'"


def scripts_written_otherwise(quotation: str, work: str) -> Iterator[tuple[str, str]]:
    """The words with a script that a quotation has in the line, each with that of the work."""
    if not _RUN.search(work) and not _MARK.search(work):
        return
    written = "".join(_marked(quotation).split())
    plain = _MARK.sub("", written)
    for word in dict.fromkeys(work.split()):
        marked = _marked(word).strip(_ENDS)
        flat = _MARK.sub("", marked)
        if flat != marked and marked not in written and flat in plain:
            yield flat, word.strip(_ENDS)


def _marked(text: str) -> str:
    """The text with `^` or `_` before each script, and no brackets about it."""
    text = _RUN.sub(lambda run: f"{'^' if run['raised'] else '_'}{run[0]}", text)
    text = unicodedata.normalize("NFKC", text).replace("\u2212", "-").replace("\u2013", "-")
    return _BRACKETS.sub(lambda found: found[1] + (found[2] or found[3] or ""), text)
