"""What PostgreSQL is asked, and what it keeps."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from threading import Event
from typing import Any

import pytest

pytest.importorskip("psycopg", reason="psycopg is not installed: citeloom[postgres]")

import psycopg

from citeloom.application.answering.relevance import JudgeRelevance
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.domain.errors import EmbeddingMismatch
from citeloom.domain.policies import Mode
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.ordering import Fusion
from citeloom.domain.retrieval.passage import Hit, IndexQuery, Selection, SparseVector
from citeloom.testing.chunks import (
    EVERYTHING,
    PROJECT,
    collection,
    dense_vector,
    embedded,
    library,
    sparse_vector,
)
from citeloom.testing.in_memory import InMemoryIndex
from citeloom_postgres.connections import Database
from citeloom_postgres.index import PostgresIndex
from tests.fakes.calibration_store import InMemoryCalibrations
from tests.fakes.postgres import connected
from tests.unit.application.answering.project import large_project, query_on

NAME = "tides"
FIELD = Selection(project_id=PROJECT, scopes=(("tags", ("method",)),))


def question(seed: int, *, mode: Mode = Mode.HYBRID, limit: int = 10) -> IndexQuery:
    random = Random(seed)
    return IndexQuery(
        selection=EVERYTHING,
        mode=mode,
        limit=limit,
        dense=dense_vector(random),
        sparse=sparse_vector(random),
        candidates=30,
        rrf_k=10,
    )


def scored(hits: list[Hit]) -> list[tuple[str, float]]:
    return [(hit.stored.chunk.id, hit.score) for hit in hits]


def filled(url: str, count: int, *, hnsw_from: int = 10_000) -> PostgresIndex:
    index = PostgresIndex(Database(url), hnsw_from=hnsw_from)
    index.create(collection(NAME))
    index.upsert(NAME, library(count, seed=1))
    return index


@pytest.mark.parametrize("selection", [EVERYTHING, FIELD])
def test_the_database_fuses_as_the_domain_does(url: str, selection: Selection) -> None:
    index = filled(url, 300)
    for seed in range(20):
        query = replace(question(seed), selection=selection)
        dense, sparse = (
            scored(index.search(NAME, replace(query, mode=mode, limit=30)))
            for mode in (Mode.DENSE, Mode.SPARSE)
        )
        expected = Fusion(k=10).merge(dense, sparse)[:10]
        assert scored(index.search(NAME, query)) == expected
    index.close()


def test_a_large_collection_gets_its_graph_after_loading(url: str) -> None:
    index = filled(url, 1500, hnsw_from=1000)
    assert index.describe(NAME).details["search"] == "exact"
    index.optimize(NAME)
    description = index.describe(NAME)
    assert description.details["search"] == "HNSW"
    assert "pgvector 0.8" in description.details["engine"]
    assert description.disk_bytes > 0
    assert {"citekey", "tags", "year"} <= set(description.indexed_fields)
    assert {"chunk_text", "page_start"} <= set(description.payload_keys)
    reference = InMemoryIndex()
    reference.create(collection(NAME))
    reference.upsert(NAME, library(1500, seed=1))
    found = wanted = 0
    for seed in range(20):
        for selection in (EVERYTHING, FIELD):
            query = replace(question(seed, mode=Mode.DENSE), selection=selection)
            expected = {name for name, _ in scored(reference.search(NAME, query))}
            found += len(expected & {name for name, _ in scored(index.search(NAME, query))})
            wanted += len(expected)
    assert found / wanted > 0.95
    index.close()


def test_a_small_collection_gets_none(url: str) -> None:
    index = filled(url, 50)
    index.optimize(NAME)
    assert index.describe(NAME).details["search"] == "exact"
    index.close()


def test_more_terms_than_an_index_of_vectors_takes_are_all_found(url: str) -> None:
    index = PostgresIndex(Database(url))
    index.create(collection(NAME))
    many = SparseVector(indices=tuple(range(5, 3005)), values=(1.0,) * 3000)
    index.upsert(NAME, [embedded("long", sparse=many), embedded("short")])
    for term in (5, 1500, 3004):
        one = replace(
            question(0, mode=Mode.SPARSE), sparse=SparseVector(indices=(term,), values=(1.0,))
        )
        assert [name for name, _ in scored(index.search(NAME, one))] == ["long"]
    [examined] = [one for one in index.examine(NAME, EVERYTHING) if one.id == "long"]
    assert examined.sparse == many
    index.close()


def test_more_terms_than_pgvector_holds_are_refused(url: str) -> None:
    index = PostgresIndex(Database(url))
    index.create(collection(NAME))
    many = SparseVector(indices=tuple(range(16_001)), values=(1.0,) * 16_001)
    with pytest.raises(EmbeddingMismatch, match="16001 terms"):
        index.upsert(NAME, [embedded("a"), embedded("b", sparse=many)])
    assert index.count(NAME, EVERYTHING) == 0
    index.close()


HOSTILE = ("'; DROP TABLE citeloom.collections; --", "%s %(p0)s {rows}", '"\\', "a\0b", "\ud800")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_a_statement(url: str, text: str) -> None:
    index = PostgresIndex(Database(url))
    index.create(collection(NAME))
    cited = CitationMeta(citekey=text, title=text, tags=(text,))
    index.upsert(NAME, [embedded("a", text=text, citation=cited), embedded("b")])
    kept = text.replace("\0", "�").replace("\ud800", "?")
    [stored] = index.fetch(NAME, EVERYTHING, ["a"])
    assert stored.chunk.text == kept
    for selection in (
        Selection(project_id=PROJECT, citekey=kept),
        Selection(project_id=PROJECT, scopes=(("tags", (kept,)),)),
    ):
        assert index.chunk_ids(NAME, selection) == {"a"}
    assert index.facets(NAME, "tags", EVERYTHING) == {kept: 1}
    assert index.count(NAME, Selection(project_id=kept)) == 0
    index.close()


def test_the_terms_are_counted_by_the_chunks_that_have_them(url: str) -> None:
    index = PostgresIndex(Database(url))
    index.create(collection(NAME))
    index.upsert(NAME, [embedded(name) for name in "abc"])
    index.upsert(NAME, [embedded("c", sparse=SparseVector(indices=(2, 9), values=(1.0, 1.0)))])
    index.delete(NAME, EVERYTHING, keep=frozenset({"b", "c"}))
    with connected(url) as connection:
        terms = connection.execute("SELECT term, chunks FROM citeloom.terms_1 ORDER BY 1")
        assert terms.fetchall() == [(1, 1), (2, 2), (9, 1)]
        assert connection.execute("SELECT chunks FROM citeloom.collections").fetchall() == [(2,)]
    index.close()


def test_a_rebuilt_collection_is_there_at_every_moment(url: str) -> None:
    writer, reader = filled(url, 40), PostgresIndex(Database(url))
    hits = len(writer.search(NAME, question(1, limit=60)))
    done, seen = Event(), set[tuple[int, int]]()

    def read() -> None:
        while not done.is_set():
            found = len(reader.search(NAME, question(1, limit=60)))
            seen.add((reader.count(NAME, EVERYTHING), found))

    with ThreadPoolExecutor() as threads:
        reading = threads.submit(read)
        for generation in range(12):
            staged = writer.stage(collection(NAME, generation=str(generation)))
            writer.upsert(staged, library(40, seed=1))
            writer.promote(NAME)
        done.set()
        reading.result(30)
    assert seen == {(writer.count(NAME, EVERYTHING), hits)}
    with connected(url) as connection:
        left = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'citeloom'")
        assert left.fetchone() == (4,)
    for index in (writer, reader):
        index.close()


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The statements that are executed, from here on."""
    made: list[object] = []
    execute = psycopg.Connection.execute

    def noted(self: Any, query: Any, *rest: Any, **named: Any) -> object:
        made.append(query)
        return execute(self, query, *rest, **named)

    monkeypatch.setattr(psycopg.Connection, "execute", noted)
    return made


@pytest.mark.parametrize("mode", Mode)
def test_a_question_takes_at_most_three_statements_and_a_verdict_one_more(
    url: str, executed: list[object], mode: Mode
) -> None:
    opened = query_on(PostgresIndex(Database(url)), *large_project())
    judge = JudgeRelevance(project=opened, calibrations=InMemoryCalibrations())
    query(opened, QueryRequest(text="Where are ran8 and tol12?"))
    text = "Which bar7 of kim50 or kim60 is a tol77 or ran150?"
    executed.clear()
    passages = query(opened, QueryRequest(text=text, mode=mode, explain=True)).passages
    assert len(passages) == 6
    assert len(executed) <= 3
    if mode is Mode.HYBRID:
        judge(text, passages)
        assert len(executed) <= 4


def test_the_terms_that_matter_have_the_weights_of_the_whole_vector(url: str) -> None:
    index = filled(url, 60)
    asked = replace(question(3), with_vectors=True)
    whole = index.search(NAME, asked)
    some = frozenset(term for hit in whole[:2] if hit.sparse for term in hit.sparse.indices[:2])
    for hit, other in zip(whole, index.search(NAME, replace(asked, terms=some)), strict=True):
        assert hit.sparse is not None
        assert replace(hit, sparse=None) == replace(other, sparse=None)
        pairs = zip(hit.sparse.indices, hit.sparse.values)
        found = other.sparse or SparseVector(indices=(), values=())
        expected = [(term, weight) for term, weight in pairs if term in some]
        assert list(zip(found.indices, found.values)) == expected
