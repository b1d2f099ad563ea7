"""A word that only a few passages have is found, whatever else is asked with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest

from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.application.retrieval.question import question_words, vectors_of_chunks
from citeloom.application.retrieval.reranking import Reranking
from citeloom.application.retrieval.result import QueryResult
from citeloom.application.retrieval.search import Retrieve, search_in
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.candidates import Candidates, StageName
from citeloom.domain.retrieval.coverage import WeighedWords
from citeloom.domain.retrieval.passage import BatchHits, Hit, IndexQuery, Selection, SparseVector
from citeloom.domain.retrieval.rare_words import (
    RareWords,
    rare_form_weights,
    rare_word_holders,
    rare_word_queries,
)
from citeloom.domain.text.verbatim import holds_word, word_spans
from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse
from citeloom.testing.chunks import library as chunks
from citeloom.testing.in_memory import InMemoryIndex
from tests.fakes.reranker import SharedWords
from tests.unit.application.library import Library, open_project

COMMON = "The library and its readers say much about the {} and about what a library may say."
TOPICS = ("tides", "harbours", "gauges", "floats", "pens") * 16
RARE = (
    "On a bench lay brass tools that Quennell made, at 41.1 degrees, beside a lamp, two files, a "
    "saw of Sheffield steel, wire in rolls, sealing wax, string, corks, chalk and a broken rule."
)
BESIDE = "Weights of 41 and of 1 were on the table, in figures that 41 men and 1 boy wrote."


def library_of(*texts: str, stems: bool = False) -> Library:
    library = Library(
        {f"papers/{n:03}.txt": f"# Part\n\n{text} {n * 1000}" for n, text in enumerate(texts)}
    )
    if stems:
        library.sparse = FastEmbedSparse()
        library.project = replace(library.project, sparse_model="Qdrant/bm25")
    library.ingest()
    return library


LIBRARY = library_of(*(COMMON.format(topic) for topic in TOPICS), BESIDE, RARE)
PROJECT = open_project(LIBRARY)
HOLDER = f"papers/{len(TOPICS) + 1:03}.txt"


def sources(result: QueryResult) -> list[str]:
    return [passage.stored.source_path for passage in result.passages]


def without_the_stage(text: str) -> QueryRequest:
    return QueryRequest(text=text, without=frozenset({StageName.RARE}))


@pytest.mark.parametrize("word", ["Quennell", "41.1"])
def test_a_passage_with_a_rare_word_comes_first_in_a_short_question(word: str) -> None:
    question = f"What does the library say about {word}?"
    neither = frozenset({StageName.RARE, StageName.COVERAGE})
    assert sources(query(PROJECT, QueryRequest(text=question, without=neither)))[0] != HOLDER
    alone = frozenset({StageName.COVERAGE})
    assert sources(query(PROJECT, QueryRequest(text=question, without=alone)))[0] == HOLDER
    assert sources(query(PROJECT, QueryRequest(text=question)))[0] == HOLDER


HITS = tuple(
    Hit(stored=chunk.stored, score=1 / rank, dense=chunk.dense, sparse=chunk.sparse)
    for rank, chunk in enumerate(chunks(9, seed=1), start=61)
)
LONG = WeighedWords(
    forms={word: (SparseVector(indices=(n,), values=(1.0,)),) for n, word in enumerate("abcdQ")},
    weights=dict.fromkeys("abcdQ", 5.0),
    unknown=frozenset(),
    names=frozenset(),
    rare=frozenset("Q"),
)


BY_WORDS = IndexQuery(
    selection=Selection(project_id="lab/wheat"), mode=Mode.DENSE, limit=9, dense=(1.0,)
)


def staged(top_k: int, *holders: Hit) -> Candidates:
    stage = RareWords(words=lambda: LONG, top_k=top_k)
    return stage(Candidates(text="a b c d Q", query=BY_WORDS, hits=HITS, rare={"Q": holders}))


def test_in_a_long_question_it_keeps_the_last_of_the_first_places() -> None:
    done = staged(6, HITS[7])
    assert done.hits == (*HITS[:5], HITS[7], *HITS[5:7], HITS[8])
    assert done.detail == "'Q' in 3 passages or fewer: the first stays, and one has place 6"


def test_no_place_is_taken_where_fewer_are_shown_or_one_has_the_word() -> None:
    assert staged(5, HITS[7]).hits == HITS
    assert staged(6, HITS[3], HITS[7]).hits == HITS


def test_an_explanation_names_the_rare_word() -> None:
    question = "What does the library say about Quennell?"
    result = query(PROJECT, QueryRequest(text=question, explain=True))
    reason = "has 'Quennell', which no other passage has: such a word keeps a place"
    assert reason in result.passages[0].why
    assert all(reason not in passage.why for passage in result.passages[1:])


def test_the_order_of_a_reranker_stays() -> None:
    question = "What does the library say about Quennell?"
    reranking = Reranking(reranker=SharedWords(), candidates=12, seconds=30.0)
    reranked = replace(PROJECT, open_reranking=lambda: reranking)
    first = sources(query(reranked, without_the_stage(question)))[0]
    assert sources(query(reranked, QueryRequest(text=question)))[0] == first != HOLDER


def test_an_ordinary_word_is_looked_for_in_its_own_form_where_it_is_asked_for_alone() -> None:
    asked = ordinary("internalizing")
    (searched,) = rare_word_queries(BY_WORDS, asked).values()
    own = with_text(HITS[8], "Of internalizing the costs of floods.")
    others = [with_text(hit, "Internal tides, internally gauged.") for hit in HITS[:8]]
    assert searched.limit > len(others)
    assert rare_word_holders({"internalizing": (*others, own)}, asked) == {"internalizing": (own,)}
    assert rare_word_holders({"internalizing": others}, asked) == {}
    frequent = replace(asked, weights={"internalizing": 1.0})
    assert rare_word_queries(BY_WORDS, frequent).keys() == {"internalizing"}
    assert rare_word_holders({"internalizing": (own,)}, frequent)
    assert not rare_word_holders({"internalizing": (own, *others * 38)}, frequent)
    assert not rare_word_queries(BY_WORDS, ordinary("internalizing", "costs", "of", "floods"))


def test_in_a_short_question_each_word_is_looked_for_in_its_own_form() -> None:
    asked = ordinary("library", "say", "internalizing")
    asked = replace(asked, weights={"library": 2.7, "say": 5.0, "internalizing": 3.3})
    assert rare_word_queries(BY_WORDS, asked).keys() == {"library", "say", "internalizing"}


def test_passages_that_are_looked_through_for_a_form_come_without_vectors() -> None:
    asked = replace(ordinary("internalizing", "quennell"), rare=frozenset({"quennell"}))
    searches = rare_word_queries(replace(BY_WORDS, with_vectors=True), asked)
    assert not searches["internalizing"].with_vectors
    assert searches["quennell"].with_vectors


def test_the_passage_with_a_form_has_the_terms_of_its_text_wherever_it_was_found() -> None:
    texts = ("The gauge floats on tides.",) * 9
    own_form = "Floating on tides was a lamp that the gauge had, and nothing else."
    opened = open_project(library_of(*texts, own_form, stems=True))
    terms = question_words(opened, search_in(opened, opened.bound_collection()))
    assert terms is not None
    words = terms("floating tides", Selection(project_id=opened.id))
    stage = Retrieve(
        search=search_in(opened, opened.bound_collection()),
        words=lambda: words,
        vectors=partial(vectors_of_chunks, terms=terms.terms),
    )
    asked = replace(
        BY_WORDS,
        selection=Selection(project_id=opened.id),
        limit=1,
        candidates=1,
        dense=opened.dense.embed_query("gauge"),
    )
    found = stage(Candidates(text="floating tides", query=asked))
    (own,) = found.rare["floating"]
    assert own_form in own.stored.chunk.text
    assert all(words.has(words.own_terms(own), word) for word in ("floating", "tides"))


def test_a_form_that_few_have_weighs_more_than_its_stem() -> None:
    """A passage that has it comes before one with a rarer stem that many have as asked."""
    asked = ordinary("say", "internalizing")
    asked = replace(asked, weights={"say": 5.0, "internalizing": 3.3})
    having_say, internal, own = (
        replace(hit, sparse=SparseVector(indices=(term,), values=(1.0,)))
        for hit, term in zip(HITS, (0, 1, 1))
    )
    holders = {"internalizing": (own,)}
    weights = rare_form_weights({"internalizing": [internal] * 85 + [own]}, holders, asked)
    assert weights == {"internalizing": pytest.approx(7.35, abs=0.01)}
    found = Candidates(
        text="say internalizing", query=BY_WORDS, hits=(having_say, internal, own), rare=holders
    )
    stage = RareWords(words=lambda: asked, top_k=6)
    assert stage(found).hits == found.hits
    assert stage(replace(found, form_weights=weights)).hits == (own, having_say, internal)


def test_a_name_weighs_what_its_terms_do() -> None:
    hits = {"Quennell": HITS[:8]}
    assert not rare_form_weights(hits, {"Quennell": HITS[:1]}, ordinary("Quennell"))


def test_of_a_rare_stem_the_form_that_is_asked_for_comes_before_that_of_another_language() -> None:
    rare = replace(ordinary("pests"), rare=frozenset({"pests"}))
    french, english = with_text(HITS[0], "La peste noire."), with_text(HITS[1], "Pests of rye.")
    terms = SparseVector(indices=(0,), values=(1.0,))
    french, english = replace(french, sparse=terms), replace(english, sparse=terms)
    assert rare_word_holders({"pests": (french, english)}, rare) == {"pests": (english,)}
    assert rare_word_holders({"pests": (french,)}, rare) == {"pests": (french,)}


def ordinary(*words: str) -> WeighedWords:
    """Words of a question that more than a few chunks have, by one stem each."""
    return WeighedWords(
        forms={word: (SparseVector(indices=(n,), values=(1.0,)),) for n, word in enumerate(words)},
        weights=dict.fromkeys(words, 3.5),
        unknown=frozenset(),
        names=frozenset(),
    )


def with_text(hit: Hit, text: str) -> Hit:
    stored = hit.stored
    return replace(hit, stored=replace(stored, chunk=replace(stored.chunk, text=text)))


def test_a_word_that_many_passages_have_keeps_no_place() -> None:
    result = query(PROJECT, QueryRequest(text="What does the library say about readers?"))
    (stage,) = [stage for stage in result.stages if stage.name is StageName.RARE]
    assert stage.detail == "no word that only a few passages have"


def test_rare_words_need_no_further_exchange_with_the_store() -> None:
    index = CountingExchanges(LIBRARY.index)
    opened = replace(PROJECT, index=index)
    query(opened, QueryRequest(text="What does the library say about readers?"))
    common, index.exchanges = index.exchanges, 0
    query(opened, QueryRequest(text="What does the library say about Quennell?"))
    assert index.exchanges == common == 2


class CountingExchanges(InMemoryIndex):
    """Another view of an index, which counts the searches made at once."""

    def __init__(self, index: InMemoryIndex) -> None:
        self.__dict__.update(index.__dict__)
        self.exchanges = 0

    def search_batch(
        self, name: str, queries: Sequence[IndexQuery], matches: Sequence[IndexQuery] = ()
    ) -> BatchHits:
        self.exchanges += 1
        return super().search_batch(name, queries, matches)


@pytest.mark.parametrize(
    ("text", "word", "spans"),
    [
        ("Tide and tides, TIDE.", "tide", [(0, 4), (16, 20)]),
        ("at 41.1 degrees, 141.1 or 41.12", "41.1", [(3, 7)]),
        ("written in C++ or C", "C++", [(11, 14)]),
        ("C, C++, (C#), AC++ and C", "C", [(0, 1), (23, 24)]),
        ("in Basic C++ or Basic C", "Basic C", [(16, 23)]),
        (".NET, dotted.NET or a .net, a NET", "net", [(13, 16), (23, 26), (30, 33)]),
        ("counter++ by a counter", "counter", [(0, 7), (15, 22)]),
        ("a modern proof, rn", "rn", [(16, 18)]),
        ("so e\ufb03cient", "efficient", [(3, 10)]),
        ("a well-\nknown float", "wellknown", [(2, 13)]),
        ("図書館の研究", "研究", [(4, 6)]),
        ("the new  edition", "new edition", [(4, 16)]),
        ("nothing", "", []),
    ],
)
def test_whole_words(text: str, word: str, spans: list[tuple[int, int]]) -> None:
    assert list(word_spans(text, word)) == spans
    assert holds_word(text, word) is bool(spans)
