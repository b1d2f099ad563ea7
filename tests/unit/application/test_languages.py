"""Documents of several languages in one collection, searched by words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.ingest.embedding import sparse_vectors
from citeloom.application.models import (
    ModelKind,
    RecommendedModels,
    recommend_models,
)
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.application.retrieval.search import Search, TermStatisticsCache
from citeloom.application.retrieval.terms import LanguageCache, QuestionTerms, unread_language
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.policies import (
    DEFAULT_DENSE_MODEL,
    DEFAULT_SPARSE_MODEL,
    MULTILINGUAL_MODEL,
)
from citeloom.domain.project import Project
from citeloom.domain.retrieval.candidates import StageName
from citeloom.domain.retrieval.passage import EmbeddedChunk, SparseVector, StoredChunk
from citeloom.domain.retrieval.sparse import languages_of, own_terms
from citeloom.testing.chunks import collection, embedded
from citeloom.testing.in_memory import InMemoryIndex
from tests.fakes.embedders import TermHashSparse
from tests.unit.application.library import Library, open_project, project_in

GERMAN = (
    "Die Felder wurden im Herbst mit Roggen bestellt und nicht vor dem Mai geerntet, "
    "als das Wetter für eine Mahd von Hand zu nass war."
)
ENGLISH = (
    "The fields were sown with rye in autumn and not harvested before the month of May, when it "
    "was too wet for mowing by hand."
)


def chunk(text: str, number: int = 0, kind: ChunkKind = ChunkKind.TEXT) -> StoredChunk:
    stored = embedded(f"c{number}", text=text).stored
    own = replace(stored.chunk, id=f"c{number}", doc_id="d", heading_context=(), kind=kind)
    return replace(stored, chunk=own, citation=None, metadata={})


def terms(stored: StoredChunk, *others: StoredChunk) -> SparseVector:
    vector = sparse_vectors([stored, *others], TermHashSparse())[0]
    assert vector is not None
    return vector


def in_german(text: str) -> SparseVector:
    return TermHashSparse().embed_passages([text], "de")[0]


def test_a_document_is_taken_in_the_language_of_its_text() -> None:
    found = terms(chunk(GERMAN))

    assert own_terms(found) == in_german(GERMAN)
    assert languages_of(found) == {"de"}
    assert languages_of(terms(chunk(ENGLISH))) == frozenset()


def test_a_short_text_is_in_the_language_of_its_document() -> None:
    short = chunk("Roggen, Hafer", 1)

    assert own_terms(terms(short, chunk(GERMAN))) == in_german("Roggen, Hafer")
    assert languages_of(terms(short)) == frozenset()


@pytest.mark.parametrize("metadata", [{"language": "de-AT"}, {"language": "Deutsch"}, {}])
def test_what_is_declared_counts_where_the_text_does_not_tell(metadata: dict[str, str]) -> None:
    short = replace(chunk("Roggen, Hafer"), metadata=metadata)

    assert languages_of(terms(short)) == (frozenset({"de"}) if metadata else frozenset())


def test_a_chunk_clearly_in_another_language_is_taken_in_that() -> None:
    declared = replace(chunk(ENGLISH), metadata={"language": "de"})

    assert own_terms(terms(declared)) == TermHashSparse().embed_passages([ENGLISH])[0]


def test_reference_lists_are_in_the_language_of_their_document() -> None:
    listed = chunk(GERMAN, 1, kind=ChunkKind.REFERENCE)

    assert own_terms(terms(listed, chunk(ENGLISH))) != in_german(GERMAN)


def searched(*chunks: StoredChunk, models: tuple[str, str] = ("dense", "sparse")) -> Search:
    """A collection that holds the chunks, each a document of its own."""
    index = InMemoryIndex()
    bound = replace(collection("papers"), dense_model=models[0], sparse_model=models[1])
    index.create(bound)
    named = [
        replace(
            one,
            chunk=replace(one.chunk, doc_id=f"d{number}"),
            embed_model=bound.dense_model,
            sparse_model=bound.sparse_model,
        )
        for number, one in enumerate(chunks)
    ]
    vectors = sparse_vectors(named, TermHashSparse())
    dense = embedded("c").dense
    index.upsert(
        "papers",
        [
            EmbeddedChunk(stored=one, dense=dense, sparse=vector)
            for one, vector in zip(named, vectors, strict=True)
        ],
    )
    return Search(reader=index, collection=bound, statistics=TermStatisticsCache())


def test_a_collection_tells_which_languages_it_holds() -> None:
    known = LanguageCache()

    assert known(searched(chunk(ENGLISH))) == ()
    assert known(searched(chunk(ENGLISH), chunk(GERMAN, 1))) == ("de",)


def test_a_question_has_the_terms_of_each_language_held() -> None:
    sparse = TermHashSparse()
    english, both = QuestionTerms(sparse=sparse), QuestionTerms(sparse=sparse, languages=("de",))

    assert english.vector("Roggen") == sparse.embed_query("Roggen")
    assert set(both.vector("Roggen").indices) == {
        *sparse.embed_query("Roggen").indices,
        *sparse.embed_query("Roggen", "de").indices,
    }
    assert len(both.forms("Roggen", ("en", "de"))) == 2


def test_stop_words_of_the_questions_own_language_count_in_none() -> None:
    sparse = TermHashSparse()
    both = QuestionTerms(sparse=sparse, languages=("de",))
    german, english = "Was ist der Roggen", "das Boot and rye"

    assert both.question_languages(german) == ("de",)
    assert both.vector(german) == both.vector("Roggen")
    assert both.forms("der", ("de",)) == ()
    assert both.question_languages("rye") == ("en", "de")
    assert both.forms("das", ("en", "de")) == (sparse.embed_query("das"),)
    assert both.question_languages(english) == ("de",)


@pytest.mark.parametrize(
    ("question", "languages", "said"),
    [
        ("Wann wurde der Roggen gesät?", (), "in German"),
        ("Quando foi semeado o centeio?", (), "in Portuguese"),
        ("Quand le seigle a-t-il été semé ?", (), "in French"),
        ("Когда посеяли рожь?", (), "in Cyrillic script"),
        ("黑麦是什么时候播种的?", (), "in Chinese"),
        ("호밀은 언제 심었나요?", (), "in Korean"),
        ("ปลูกข้าวไรย์เมื่อใด", (), "in another script"),
        ("Wann wurde der Roggen gesät?", ("de",), None),
        ("Когда посеяли рожь?", ("ru",), None),
        ("When was the rye (рожь) sown?", (), None),
        ("When was the rye sown?", (), None),
        ("Roggen", (), None),
    ],
)
def test_it_is_said_which_language_the_model_does_not_read(
    question: str, languages: tuple[str, ...], said: str | None
) -> None:
    bound = replace(collection("papers"), dense_model=DEFAULT_DENSE_MODEL, sparse_model="sparse")
    notes = unread_language(question, bound, languages)
    assert [said in note and MULTILINGUAL_MODEL in note for note in notes if said] == (
        [True] if said else []
    )
    assert bool(notes) == bool(said)
    named = replace(bound, sparse_model="Qdrant/bm25:portuguese")
    assert unread_language(question, named, languages) == ()
    assert unread_language(question, replace(bound, dense_model="other"), languages) == ()


DEFAULTS = (DEFAULT_DENSE_MODEL, DEFAULT_SPARSE_MODEL)


def recommended(search: Search) -> RecommendedModels:
    project = Project(id=search.collection.project_id, collection="papers")
    assert isinstance(search.reader, InMemoryIndex)
    return recommend_models(project_in(search.reader, settings=project))


def test_a_multilingual_model_is_recommended_where_texts_are_not_english() -> None:
    found = recommended(searched(chunk(ENGLISH), chunk(GERMAN, 1), models=DEFAULTS))

    assert (found.chunks, found.languages) == (2, {"en": 1, "de": 1})
    (one,) = found.models
    assert (one.kind, one.name, one.rebuild) == (ModelKind.DENSE, MULTILINGUAL_MODEL, False)
    assert one.reason == f"1 passage in German; {DEFAULT_DENSE_MODEL} was trained on English"


def test_an_installed_multilingual_model_is_recommended_before_another() -> None:
    search = searched(chunk(GERMAN), models=DEFAULTS)
    assert isinstance(search.reader, InMemoryIndex)
    project = Project(id=search.collection.project_id, collection="papers")
    opened = project_in(search.reader, settings=project)

    (one,) = recommend_models(opened, lambda: "intfloat/multilingual-e5-large").models

    assert one.name == "intfloat/multilingual-e5-large"


def test_nothing_is_recommended_for_english_or_before_an_ingest() -> None:
    assert recommended(searched(chunk(ENGLISH), models=DEFAULTS)).models == ()
    nothing = recommend_models(project_in(InMemoryIndex()))
    assert nothing == RecommendedModels(project="lab/wheat")


def test_terms_of_all_languages_are_recommended_where_one_is_named_for_all() -> None:
    models = ("other/model", "Qdrant/bm25:german")

    (one,) = recommended(searched(chunk(ENGLISH), chunk(GERMAN, 1), models=models)).models

    assert (one.kind, one.name) == (ModelKind.SPARSE, "Qdrant/bm25")
    assert one.reason.endswith("Qdrant/bm25:german takes every text for german")


def test_what_was_ingested_as_english_is_to_be_ingested_again() -> None:
    french = (
        "Les champs sont semés avec le seigle et ne sont pas récoltés dans les mois de printemps "
        "pour une raison que le temps a sur la terre."
    )
    models = ("other/model", DEFAULT_SPARSE_MODEL)

    (one,) = recommended(searched(chunk(french), models=models)).models

    assert (one.kind, one.name, one.rebuild) == (ModelKind.SPARSE, DEFAULT_SPARSE_MODEL, True)


def test_a_question_prefers_works_in_its_language_where_others_have_the_same_stem() -> None:
    german = (
        "Die Gifte der Pflanzen sind in diesem Kapitel nicht mehr als eine Frage, und auch die {} "
        "werden von den Leuten auf dem Land nur als Gifte beschrieben. Gifte und Gifte!"
    )
    english = "It was in the spring that the gift of the king, two boats and a coat of "
    english += "arms were seen by the people who were on their way to the market of the old town."
    texts = [german.format(word) for word in ("Pilze", "Beeren", "Wurzeln", "Samen", "Rinden")]
    library = Library(
        {f"papers/{n}.txt": f"# Part\n\n{text}" for n, text in enumerate(texts)}
        | {"papers/en.txt": f"# Part\n\n{english}"}
    )
    library.ingest()
    project, question = open_project(library), "What do we know about the gift?"

    def first(*without: StageName) -> str:
        others = {StageName.COVERAGE, StageName.RARE}
        request = QueryRequest(text=question, without=frozenset(others.union(without)))
        return query(project, request).passages[0].stored.source_path

    assert first(StageName.LANGUAGE) != "papers/en.txt"
    assert first() == "papers/en.txt"
