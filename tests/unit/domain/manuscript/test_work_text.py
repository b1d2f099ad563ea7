"""The full text of works, and where quotations stand in it."""

from __future__ import annotations

from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.manuscript.work_text import WorkText, overlap
from citeloom.domain.text.normal_form import TextSpan
from citeloom.domain.text.verbatim import quotation_spans
from tests.fakes.works import stored, work


def spans(quote: str, its: WorkText) -> list[str]:
    found = quotation_spans(quote, its)
    return [its.text[span.start : span.end] for span in found]


def pages(quote: str, its: WorkText) -> tuple[int, int] | None:
    return its.pages_of(next(quotation_spans(quote, its)))


def test_what_a_chunk_repeats_of_the_one_before_is_there_once() -> None:
    first = "Alpha beta gamma delta. Epsilon zeta eta theta."
    second = "Epsilon zeta eta theta. Iota kappa lambda."
    its = WorkText.of([stored(second, 1), stored(first, 0)])
    assert its.text.count("Epsilon") == 1
    assert spans("theta. Iota", its) == ["theta.\n Iota"]


def test_a_short_coincidence_is_no_overlap() -> None:
    assert overlap("it ends so", "so it begins") == 0
    assert overlap("abc and then it ends", "and then it ends here") == len("and then it ends")


def test_a_quotation_over_a_page_break_is_on_both_pages() -> None:
    text = "The first page ends with a bro-\nken word on the second."
    its = WorkText.of([stored(text, pages=(4, 5), page_starts=(text.index("ken"),))])
    assert pages("a broken word", its) == (4, 5)
    assert pages("the second", its) == (5, 5)
    assert pages("The first", its) == (4, 4)


def test_pages_of_a_chunk_that_begins_with_an_overlap() -> None:
    first = "One two three four five six."
    second = "three four five six. Seven eight nine ten."
    at = second.index("eight")
    its = WorkText.of([stored(first, 0), stored(second, 1, pages=(1, 2), page_starts=(at,))])
    assert pages("Seven", its) == (1, 1)
    assert pages("nine ten", its) == (2, 2)


def test_an_ellipsis_stands_for_words_in_between() -> None:
    its = work("The reader opens a book, closes the door and reads the book at night.")
    assert spans("opens a book [...] at night", its)
    assert not spans("at night [...] opens a book", its)


def test_a_bracketed_change_stands_for_a_few_words() -> None:
    its = work("We found that they walk slowly, and that is all there is to say about it.")
    assert spans("[The authors] found that they walk[ed] slowly", its)
    assert spans("that [children] walk slowly", its)


def test_only_the_first_letter_may_have_another_case() -> None:
    its = work("The Model of the mind is simple.")
    assert spans("the Model of", its)
    assert spans("[o]f the mind", its)
    assert not spans("the model of", its)


def test_every_occurrence_is_found() -> None:
    its = work("Rain falls here.", "Rain falls there.")
    found = list(quotation_spans("rain falls", its))
    assert [its.pages_of(span) for span in found] == [(1, 1), (2, 2)]


def test_annotations_and_hidden_text_are_not_quoted() -> None:
    its = WorkText.of([stored("Seen by all."), stored("Hidden words.", 1, kind=ChunkKind.HIDDEN)])
    assert "Hidden" not in its.text


def test_digits_of_two_chunks_stay_apart() -> None:
    its = WorkText.of([stored("in 19"), stored("84 rats", 1)])
    assert not spans("in 1984", its)
    assert its.pages_of(TextSpan(0, 2)) == (1, 1)
