"""What is kept of an answer."""

from __future__ import annotations

from dataclasses import replace

from citeloom.domain.answers.answer import Citation, Sentence
from citeloom.domain.answers.session import LONGEST_QUOTE, MOST_PASSAGES, excerpt
from citeloom.domain.retrieval.passage import Passage
from tests.fakes.turns import RYE, answer, stored


def test_the_quoted_words_keep_their_own_place() -> None:
    whole = answer()
    kept = excerpt(whole)
    assert kept.text == whole.text
    for one, other in zip(kept.citations, whole.citations, strict=True):
        assert one.stored.chunk.text == one.quote == other.quote
        assert (one.locator, one.citation, one.match) == (
            other.locator,
            other.citation,
            other.match,
        )
    assert [str(one.locator) for one in kept.citations] == [
        "p. iv (PDF page 4)",
        "p. v (PDF page 5)",
        "sec. 2, ¶¶ 1-2",
    ]


def test_a_quote_across_pages_keeps_where_the_second_begins() -> None:
    quote = Citation(stored=stored(), start=4, end=40)
    sentence = Sentence(text="…", citations=(quote,), shown=True)
    (kept,) = excerpt(replace(answer(), sentences=(sentence,))).citations
    assert kept.stored.chunk.page_starts == (23,)
    assert kept.stored.locator_between(23, 36).page_start == 5
    assert kept.citation == quote.citation == "[@rye2001, pp. iv-v]"


def test_nothing_kept_grows_with_the_library() -> None:
    text = "word " * 2_000
    work = replace(RYE, authors=("A, B",) * 3_000, tags=("t",) * 500, title="x" * 9_000)
    long = replace(stored(text), citation=work, metadata={"summary": "s" * 9_000, "module": "M1"})
    quote = Citation(stored=long, start=0, end=len(text))
    made = replace(
        answer(),
        sentences=(Sentence(text="…", citations=(quote,), shown=True),),
        passages=(Passage(stored=long, score=1.0, text=text, after=(long,)),) * 50,
    )
    kept = excerpt(made)
    (cited,) = kept.citations
    assert len(cited.quote) == LONGEST_QUOTE
    assert cited.stored.metadata == {"module": "M1"}
    assert cited.stored.citation is not None
    assert len(cited.stored.citation.authors) == 20
    assert len(kept.passages) == MOST_PASSAGES
    assert all(len(one.stored.chunk.text) <= 200 and not one.after for one in kept.passages)
    assert len(repr(kept)) < 60_000


def test_of_the_nearest_passages_the_place_stays() -> None:
    (first, second) = excerpt(answer()).passages
    assert first.citation == "[@rye2001, pp. iv-v]"
    assert second.stored.chunk.paragraphs is not None
