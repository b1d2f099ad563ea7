"""Questions about the library itself and about who wrote a work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.domain.answers.messages import MESSAGES, AnswerLanguage
from citeloom.domain.answers.overview import (
    LibraryOverview,
    asks_about_library,
    authors_text,
    overview_of,
    overview_text,
    requested_works,
)
from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import Passage, StoredChunk

RYE = CitationMeta(
    citekey="okafor2014", title="Sowing rye on wet soil", authors=("Okafor, Ada",), year=2014
)
OATS = CitationMeta(citekey="lind2019", title="Oats and rye in the north", year=2019)


@pytest.mark.parametrize(
    "question",
    [
        "What is this library about?",
        "what's this collection about",
        "What documents are in my library?",
        "Worum geht es in dieser Bibliothek?",
        "De que trata esta biblioteca?",
        "Sobre o que é esta coleção?",
    ],
)
def test_a_question_about_the_library_is_known(question: str) -> None:
    assert asks_about_library(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is this library about rye?",
        "What is the numpy library about to change?",
        "Which library computes steam tables?",
        "",
    ],
)
def test_a_question_about_something_else_is_not(question: str) -> None:
    assert not asks_about_library(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote about sowing rye?",
        "Who are the authors of Sowing rye on wet soil?",
        "Wer hat Sowing rye geschrieben?",
        "Quem escreveu Sowing rye?",
        "Who wrote okafor2014?",
    ],
)
def test_the_work_whose_authors_are_asked_for_has_its_words_in_the_title(question: str) -> None:
    assert requested_works(question, [passage(OATS), passage(RYE), passage(RYE)]) == (RYE,)


@pytest.mark.parametrize(
    "question", ["Who wrote Hamlet?", "When was rye sown?", "Who wrote it?", "They say who wrote"]
)
def test_no_work_is_named_for_other_questions(question: str) -> None:
    assert requested_works(question, [passage(OATS), passage(None)]) == ()


def test_an_overview_counts_documents_works_years_words_and_sections() -> None:
    firsts = [stored("a", RYE), stored("b", OATS), stored("c", None)]
    chunks = [*firsts, stored("b", OATS, "Results"), stored("c", None, "Results")]
    overview = overview_of(firsts, chunks)
    assert overview == LibraryOverview(
        documents=3, works=2, years=(2014, 2019), terms=("rye",), sections=("Methods", "Results")
    )
    assert overview_of([], []) == LibraryOverview(documents=0, works=0)


def test_an_overview_counts_each_section_that_a_passage_has_a_part_of() -> None:
    one = stored("a", None)
    sections = (("2 Results", "Yield"), ("3 Limits",))
    joined = replace(one, chunk=replace(one.chunk, section_path=(), sections=sections))
    chunks = [joined, stored("b", None, "Yield"), stored("c", None, "Limits")]
    assert overview_of([joined], chunks).sections == ("Limits", "Yield")


def test_an_overview_counts_a_heading_once_however_it_is_numbered_and_written() -> None:
    firsts = [stored("a", RYE), stored("b", OATS), stored("c", None)]
    headings = (("a", "1. Methods"), ("b", "METHODS"), ("c", "II. Methods"), ("a", "I"), ("b", "I"))
    chunks = [stored(doc, None, heading) for doc, heading in headings]
    assert overview_of(firsts, chunks).sections == ("Methods", "I")


def test_every_language_says_what_a_library_holds_and_who_wrote_a_work() -> None:
    overview = LibraryOverview(
        documents=3, works=2, years=(2014, 2019), terms=("rye",), sections=("Results",)
    )
    for language in AnswerLanguage:
        messages = MESSAGES[language]
        whole = overview_text(overview, messages)
        assert all(part in whole for part in ("3 ", "2014", "2019", "rye", "Results"))
        assert overview_text(LibraryOverview(documents=1, works=0), messages).count(".") == 1
        assert "Okafor, Ada (2014), Sowing rye on wet soil [@okafor2014]" in authors_text(
            RYE, messages
        )
        assert messages.nobody in authors_text(OATS, messages)


def stored(doc_id: str, work: CitationMeta | None, section: str = "Methods") -> StoredChunk:
    chunk = Chunk(
        id=f"{doc_id}-{section}",
        doc_id=doc_id,
        text="Rye was sown.",
        page_span=(1, 1),
        section_path=(section,),
        chunk_idx=0,
        token_count=4,
        signal_to_noise=1.0,
    )
    return StoredChunk(project_id="lab/p", chunk=chunk, source_path=f"{doc_id}.pdf", citation=work)


def passage(work: CitationMeta | None) -> Passage:
    return Passage(stored=stored("a", work), score=1.0, text="Rye was sown.")
