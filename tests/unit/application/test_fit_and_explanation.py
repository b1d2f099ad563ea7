"""How well passages fit a question, and why they stand where they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from citeloom.application.open_project import OpenProject
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.application.retrieval.question import question_words
from citeloom.application.retrieval.result import ordinal
from citeloom.application.retrieval.search import search_in
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import BatchHits, IndexQuery, Selection
from citeloom.domain.retrieval.words import VERBATIM, Strength
from citeloom.testing.in_memory import InMemoryIndex
from tests.unit.application.answering.project import project
from tests.unit.application.library import open_project

KNOWN = "rainfall measured before sowing?"
STRANGE = "Zeppelin Mongolia?"


@pytest.fixture(scope="module")
def opened() -> OpenProject:
    return open_project(project())


def test_a_question_in_the_librarys_words_fits_well(opened: OpenProject) -> None:
    result = query(opened, QueryRequest(text=KNOWN))
    assert result.fit is not None
    assert result.fit.strength is Strength.STRONG
    assert result.fit == result.passages[0].fit
    assert result.passages[1].fit != result.fit


def test_a_fit_names_the_work_that_lacks_a_word(opened: OpenProject) -> None:
    passages = query(
        opened, QueryRequest(text="How many copper gauges of rainfall were there?")
    ).passages
    reasons = {one.stored.source_path: one.fit.reasons for one in passages if one.fit}
    assert reasons["papers/a.txt"] == ("'copper' occurs in none of the passages found of @rye2001",)
    assert reasons["papers/b.txt"][0].endswith("in none of the passages found of b.txt")


def test_a_question_in_strange_words_does_not(opened: OpenProject) -> None:
    fit = query(opened, QueryRequest(text=STRANGE)).fit
    assert fit is not None
    assert fit.strength is Strength.WEAK
    assert fit.reasons[0] == "'Mongolia' and 'Zeppelin' occur nowhere in the library"


@pytest.mark.parametrize("mode", [Mode.DENSE, Mode.SPARSE])
def test_one_side_alone_is_judged_by_the_texts_found(opened: OpenProject, mode: Mode) -> None:
    fit = query(opened, QueryRequest(text=KNOWN, mode=mode)).fit
    assert fit is not None
    assert fit.strength is Strength.STRONG


def test_without_sparse_terms_words_are_compared_by_their_letters() -> None:
    library = project()
    library.project = replace(library.project, id="lab/dense", collection="", hybrid_enabled=False)
    library.ingest()
    fit = query(open_project(library), QueryRequest(text=STRANGE)).fit
    assert fit is not None
    assert fit.strength is Strength.WEAK
    assert "none of the passages found" in fit.reasons[0]


def test_a_quotation_fits_where_it_stands_and_nothing_is_said_of_the_others(
    opened: OpenProject,
) -> None:
    passages = query(
        opened, QueryRequest(text="A copper collar kept the window of the logger")
    ).passages
    assert passages[0].fit is VERBATIM
    assert {passage.fit for passage in passages[1:]} == {None}


def test_nothing_found_has_no_fit(opened: OpenProject) -> None:
    assert query(opened, QueryRequest(text=KNOWN, min_score=9.0)).fit is None


HYPHENS = {
    "papers/a.txt": "# Old\n\nMost programs of 85 banks were written down on sheets of rye paper.",
    "papers/b.txt": "# New\n\nThe pre-war mill ground rye. A well-known rye grew in 85 places.",
}


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("What is COBOL-85?", {"COBOL-85"}),
        ("Which pre-war rye?", set()),
        ("Which post-war rye?", {"post-war"}),
        ("rye in 85 places", set()),
    ],
)
def test_a_hyphen_hides_no_unknown_word(question: str, unknown: set[str]) -> None:
    opened = open_project(project(HYPHENS))
    collection = opened.index.binding(opened.settings.collection)
    assert collection is not None
    words = question_words(opened, search_in(opened, collection))
    assert words is not None
    assert words(question, Selection(project_id=opened.settings.id)).unknown == unknown


def test_each_word_is_looked_up_once() -> None:
    library = project()
    opened = open_project(library)
    query(opened, QueryRequest(text=KNOWN))
    counting = CountingSearches(library.index)
    counted = replace(opened, index=counting)
    query(counted, QueryRequest(text=KNOWN))
    asked = counting.searches
    query(counted, QueryRequest(text=KNOWN))
    assert counting.searches - asked < asked


class CountingSearches(InMemoryIndex):
    """Another view of an index, which counts searches, each of a batch."""

    def __init__(self, index: InMemoryIndex) -> None:
        self.__dict__.update(index.__dict__)
        self.searches = 0

    def search_batch(
        self, name: str, queries: Sequence[IndexQuery], matches: Sequence[IndexQuery] = ()
    ) -> BatchHits:
        self.searches += len(queries) + len(matches)
        return super().search_batch(name, queries, matches)


def test_an_explanation_says_in_words_why_a_passage_is_there(opened: OpenProject) -> None:
    best, other = query(opened, QueryRequest(text=KNOWN, explain=True)).passages
    told = "\n".join(best.why)
    assert best.why[0].startswith("in the whole search 1st by meaning (")
    assert "the only passage found of its work" in told
    assert "has 'rainfall', 'measured', 'sowing'" in told
    assert "one of the 2 passages the question was expanded by" in told
    assert "has '" not in "\n".join(other.why)
    quoted = query(
        opened, QueryRequest(text="A copper collar kept the window of the logger", explain=True)
    )
    assert quoted.passages[0].why[0].startswith("has the question word for word")
    assert query(opened, QueryRequest(text=KNOWN)).passages[0].why == ()


def test_numbers_in_order() -> None:
    told = [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 21, 112)]
    assert told == ["1st", "2nd", "3rd", "4th", "11th", "12th", "21st", "112th"]
