"""Glued and broken words, judged by the words of the whole document."""

from __future__ import annotations

from citeloom.domain.evaluation.line_order import PageText
from citeloom.domain.evaluation.page_recall import WordFaults, word_faults
from tests.fakes.page_texts import printed

OTHER = "The river carries barley. No river carries external wool, nor are external guilds known."


def faults(line: str, text: str, *, aside: bool = False) -> WordFaults:
    """Of a stored text against the line that another reader has, on a page with the words."""
    return word_faults([(printed(f"{OTHER}\n{line}"), [PageText(text=text, aside=aside)])])


def test_a_word_that_the_other_reader_parts_is_glued() -> None:
    found = faults("Our river carries the wool in April", "Our rivercarries the wool in April")
    assert (found.words, found.glued, found.broken) == (7, ("rivercarries",), ())


def test_a_word_that_the_other_reader_has_whole_is_broken() -> None:
    found = faults("An external guild pays in silver", "An ex ternal guild pays in silver")
    assert (found.glued, found.broken) == ((), ("ex ternal",))


def test_a_word_that_only_this_reader_has_whole_is_right() -> None:
    found = faults("Our Ta ble carries much wheat bread", "Our Table carries much wheat bread")
    assert found == WordFaults(words=7)


def test_two_words_that_only_this_reader_parts_are_right() -> None:
    line = "Our rivercarries wool and rivercarries wheat"
    assert faults(line, line.replace("rivercarries", "river carries")).broken == ()


def test_identifiers_and_tables_are_left_out() -> None:
    assert faults("river.carries the wool of April", "rivercarries the wool of April").glued == ()
    text = "Our rivercarries the wool in April"
    assert faults("Our river carries the wool in April", text, aside=True) == WordFaults()
