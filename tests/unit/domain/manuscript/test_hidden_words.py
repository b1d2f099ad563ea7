"""What ellipses and brackets hide of a work or add to it: negations, numbers, names."""

from __future__ import annotations

import pytest

from citeloom.domain.manuscript.verdicts import Lookup, look_up
from citeloom.domain.text.near import Remark
from tests.fakes.works import work

WORK = (
    "In a second study we would have seen it. We could not fully replicate the results of Doe. "
    "It is not obvious that twenty people came to Paris in the spring of 1984, when many others "
    "stayed at home. The drug, which was not tested in children, was effective and safe in adults. "
    "That is possible in most cases. The authors found that the method works well for all of the "
    "data sets, and she said that he did not think it would rain. Of these papers 12 were read."
)
GERMAN = (
    "Das Verfahren ist nicht geeignet, um die Ergebnisse der Studie zu prüfen, die wir auch für "
    "andere Fragen und mit anderen Daten durchgeführt haben, als es noch keine anderen gab."
)


def told(quote: str, text: str = WORK) -> tuple[Lookup, list[tuple[str, str, tuple[Remark, ...]]]]:
    lookup = look_up(quote, work(text))
    return lookup, [(one.quote, one.work, one.remarks) for one in lookup.changes]


@pytest.mark.parametrize(
    ("quote", "in_brackets", "there", "remark"),
    [
        ("we would [not] have seen it", "not", "", Remark.NEGATION),
        ("We [were able to] replicate", "were able to", "could not fully", Remark.NEGATION),
        ("We […] replicate the results", "", "could not fully", Remark.NEGATION),
        ("It is […] obvious that", "", "not", Remark.NEGATION),
        ("It is ... obvious that", "", "not", Remark.NEGATION),
        ("said that […] it would rain", "", "he did not think", Remark.NEGATION),
        ("That is [im]possible in most cases", "impossible", "is possible", Remark.NEGATION),
        ("to Paris [not] in the spring", "not", "", Remark.NEGATION),
        ("[not] effective and safe in adults", "not", "was", Remark.NEGATION),
        ("was effective and safe [in no way]", "in no way", "in adults", Remark.NEGATION),
        ("that [two hundred] people came", "two hundred", "twenty", Remark.NUMBER),
        ("[two hundred] people came", "two hundred", "that twenty", Remark.NUMBER),
        ("in the spring of [MCMXX 1948]", "MCMXX 1948", "1984, when", Remark.NUMBER),
        ("people came to [Berlin] in the spring", "Berlin", "Paris", Remark.NAME),
    ],
)
def test_a_reversal_behind_a_bracket_or_an_ellipsis_is_not_exact(
    quote: str, in_brackets: str, there: str, remark: Remark
) -> None:
    lookup, changes = told(quote)
    assert lookup.verdict == "near"
    [(words, work_words, remarks)] = changes
    assert words == in_brackets
    assert work_words.endswith(there)
    assert remark in remarks


@pytest.mark.parametrize(
    ("quote", "there", "remarks"),
    [
        ("people came […] in the spring", "to Paris", (Remark.NAME,)),
        ("Of these papers […] were read", "12", (Remark.NUMBER,)),
        ("found that [Smith] method works", "the", (Remark.NAME,)),
        ("found that [in 1990] the method works", "", (Remark.NUMBER,)),
    ],
)
def test_a_number_or_name_that_is_hidden_or_added_is_told(
    quote: str, there: str, remarks: tuple[Remark, ...]
) -> None:
    lookup, changes = told(quote)
    assert lookup.verdict == "exact"
    assert [(one[1], one[2]) for one in changes] == [(there, remarks)]


@pytest.mark.parametrize(
    "quote",
    [
        "The drug […] was effective and safe",
        "the method works well for […] the data sets",
        "[They] found that the method works",
        "The authors […] and she said",
        "could not fully replicate [their findings]",
        "was effective [no italics in the original] and safe",
        "[W]e could not fully [reference omitted] replicate",
    ],
)
def test_what_turns_no_meaning_is_exact(quote: str) -> None:
    lookup, changes = told(quote)
    assert (lookup.verdict, changes) == ("exact", [])


def test_german_nouns_are_no_names_and_german_negations_are_known() -> None:
    assert told("Das [Vorgehen] ist nicht geeignet", GERMAN)[1] == []
    assert told("Das Verfahren ist […] geeignet", GERMAN)[0].verdict == "near"


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("il […] possible de le dire", "Ici il n'est pas possible de le dire."),
        ("Это […] возможно в таких случаях", "Это не возможно в таких случаях."),
        ("这个方法[…]有效的方法", "我们认为这个方法不是有效的方法。"),
    ],
)
def test_negations_are_known_in_other_languages(quote: str, text: str) -> None:
    assert told(quote, text)[0].verdict == "near"


def test_words_of_a_script_without_spaces_are_compared_letter_by_letter() -> None:
    text = "我们认为这个方法不是有效的方法。因为它「只」考虑了二十个人。"
    assert told("因为它“只”考虑了二十个人", text)[0].verdict == "exact"
    lookup, changes = told("我们认为这个方法是有效的方法", text)
    assert (lookup.verdict, changes) == ("near", [("", "不", (Remark.NEGATION,))])
    assert told("我们认为那个方法不是有效的方法", text)[1] == [("那", "这", ())]


def test_of_several_places_the_one_that_hides_nothing_counts() -> None:
    text = "It is not obvious that this holds. It is very obvious that this holds."
    assert told("It is […] obvious that this holds", text)[0].verdict == "exact"
