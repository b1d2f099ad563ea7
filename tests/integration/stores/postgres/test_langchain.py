"""LangChain's tables: what its programs write is searched here, and what is written here, there."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("psycopg", reason="psycopg is not installed: citeloom[postgres]")

from citeloom_langchain_tables.collections import Owner
from citeloom_langchain_tables.index import LangChainIndex

from citeloom.application.collection import stored_documents
from citeloom.domain.errors import EmbeddingMismatch, IndexUnavailable
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import IndexQuery, Selection
from citeloom.testing.chunks import (
    DENSE_MODEL,
    EVERYTHING,
    PROJECT,
    TWO_TERMS,
    collection,
    embedded,
    rich,
)
from citeloom_postgres.connections import Database
from tests.fakes.postgres import connected

NAME = "documents"
PYTHON = "CITELOOM_TEST_LANGCHAIN_PYTHON"
PROGRAM = Path(__file__).parent / "langchain_program.py"
Run = Callable[[str], str]

SEED_TABLES = """
CREATE EXTENSION vector;
CREATE TABLE langchain_pg_collection (
    uuid UUID PRIMARY KEY DEFAULT gen_random_uuid(), name VARCHAR(255) NOT NULL UNIQUE,
    cmetadata JSONB);
CREATE TABLE langchain_pg_embedding (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    collection_id UUID REFERENCES langchain_pg_collection(uuid) ON DELETE CASCADE,
    document TEXT, embedding VECTOR(8), cmetadata JSONB);
CREATE INDEX langchain_pg_embedding_embedding_idx ON langchain_pg_embedding
    USING hnsw (embedding vector_cosine_ops);
INSERT INTO langchain_pg_collection (name) VALUES ('documents'), ('others');
INSERT INTO langchain_pg_embedding (collection_id, document, embedding, cmetadata)
SELECT uuid, 'Página ' || page, ('[1,' || page || ',0,0,0,0,0,1]')::vector,
    jsonb_build_object('source', name || '.pdf', 'page', page, 'chunk_index', page,
        'page_label', 'p' || page, 'tags', 'not a list')
FROM langchain_pg_collection, generate_series(0, 4) AS page;
INSERT INTO langchain_pg_embedding (collection_id, document, embedding, cmetadata)
SELECT uuid, 'Sem página', '[1,9,0,0,0,0,0,1]', '{"source": "notes.txt"}'
FROM langchain_pg_collection;
"""

ANEW = """
INSERT INTO langchain_pg_collection (name) VALUES ('documents');
INSERT INTO langchain_pg_embedding (collection_id, document, embedding, cmetadata)
SELECT uuid, 'Anew', '[1,3,0,0,0,0,0,1]', '{"source": "a.pdf", "page": 1}'
FROM langchain_pg_collection WHERE name = 'documents';
"""


def store(url: str, *, owned: bool = True) -> LangChainIndex:
    owners = {NAME: Owner(project_id=PROJECT, dense_model=DENSE_MODEL)} if owned else {}
    return LangChainIndex(Database(url), owners)


def nearest(page: int) -> IndexQuery:
    return IndexQuery(
        selection=EVERYTHING,
        mode=Mode.DENSE,
        limit=3,
        dense=(1.0, float(page), 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    )


@pytest.fixture
def seeded(url: str) -> str:
    """A database as a program left it that made its tables by hand."""
    with connected(url) as connection:
        connection.execute(SEED_TABLES.encode())
    return url


def test_what_another_program_wrote_is_found_with_its_page(seeded: str) -> None:
    index = store(seeded)
    bound = index.binding(NAME)
    assert bound is not None
    assert (bound.dense_model, bound.dimension, bound.hybrid) == (DENSE_MODEL, 8, False)
    best = index.search(NAME, nearest(3))[0]
    assert best.score == pytest.approx(1.0)
    assert best.stored.chunk.text == "Página 3"
    assert best.stored.chunk.page_span == (4, 4)
    assert best.stored.chunk.page_labels == ("p3",)
    assert best.stored.source_path == best.stored.chunk.doc_id == "documents.pdf"
    assert best.stored.citation is None
    assert [one.faults for one in index.examine(NAME, EVERYTHING) if one.faults] == []
    assert all(one.is_foreign for one in index.scroll(NAME, EVERYTHING))
    index.close()


def test_a_collection_made_by_a_service_is_bound_to_how_that_is_asked(seeded: str) -> None:
    asked = "as it is"
    owner = Owner(project_id=PROJECT, dense_model=DENSE_MODEL, dense_inputs=asked)
    index = LangChainIndex(Database(seeded), {NAME: owner})
    bound = index.binding(NAME)
    assert bound is not None
    assert bound.dense_inputs == asked
    index.close()


@pytest.mark.parametrize("again", [True, False])
def test_a_collection_made_anew_is_noticed_and_rebuilt(seeded: str, again: bool) -> None:
    index, one = store(seeded), embedded("a", sparse=None)
    index.create(collection(NAME, hybrid=False))
    index.upsert(NAME, [one])
    with connected(seeded) as connection:
        connection.execute("DELETE FROM langchain_pg_collection WHERE name = 'documents'")
        if again:
            connection.execute(ANEW.encode())
    calls: tuple[Callable[[], object], ...] = (
        lambda: index.search(NAME, nearest(3)),
        lambda: index.upsert(NAME, [one]),
        lambda: stored_documents(index, NAME, PROJECT),
    )
    for call in calls:
        with pytest.raises(IndexUnavailable, match="made anew by another program") as refused:
            call()
        assert "citeloom ingest --rebuild" in refused.value.hint
    staged = index.stage(collection(NAME, hybrid=False, generation="second"))
    index.upsert(staged, [one])
    index.promote(NAME)
    found = {hit.stored.chunk.text for hit in index.search(NAME, nearest(3))}
    assert found == {one.stored.chunk.text, *(["Anew"] if again else [])}
    index.close()


def test_what_has_no_page_and_other_collections_are_left_out(seeded: str) -> None:
    index = store(seeded)
    assert index.count(NAME, EVERYTHING) == 5
    assert index.count(NAME, Selection(project_id=PROJECT, doc_id="others.pdf")) == 0
    assert index.count(NAME, Selection(project_id="lab/another")) == 0
    assert index.binding("others") is None
    assert store(seeded, owned=False).binding(NAME) is None
    index.close()


def test_one_reads_it_without_writing_anything(seeded: str) -> None:
    index = store(seeded)
    index.search(NAME, nearest(1))
    index.optimize(NAME)
    assert index.describe(NAME).details["layout"] == "langchain"
    with connected(seeded) as connection:
        schema = connection.execute("SELECT to_regnamespace('citeloom')::text").fetchone()
    assert schema == (None,)
    index.close()


def test_both_write_into_one_collection(seeded: str) -> None:
    index = store(seeded)
    index.create(collection(NAME, hybrid=False))
    chunk = embedded("mine", sparse=None)
    index.upsert(NAME, [chunk])
    assert index.fetch(NAME, EVERYTHING, ["mine"]) == [chunk.stored]
    assert not chunk.stored.is_foreign
    assert index.count(NAME, EVERYTHING) == 6
    index.upsert(NAME, [chunk])
    assert index.count(NAME, EVERYTHING) == 6
    assert index.delete(NAME, Selection(project_id=PROJECT, doc_id="documents.pdf")) == 5
    with connected(seeded) as connection:
        others = connection.execute(
            "SELECT count(*) FROM langchain_pg_embedding JOIN langchain_pg_collection "
            "ON uuid = collection_id WHERE name = 'others'"
        ).fetchone()
    assert others == (6,)
    index.close()


def test_vectors_of_another_length_are_refused(seeded: str) -> None:
    other = replace(collection(NAME, hybrid=False), dimension=9)
    with pytest.raises(EmbeddingMismatch, match=r"8 dimensions.* 9"):
        store(seeded, owned=False).create(other)


@pytest.mark.parametrize("id_type", ["UUID", "TEXT"])
def test_a_rebuild_keeps_what_another_program_wrote(url: str, id_type: str) -> None:
    tables = SEED_TABLES.replace("\n    id UUID", f"\n    id {id_type}")
    with connected(url) as connection:
        connection.execute(tables.encode())
    index = store(url)
    bound = collection(NAME, hybrid=False)
    index.create(bound)
    chunk = embedded("mine", sparse=None)
    for _ in range(2):
        index.upsert(NAME, [chunk])
        staged = index.stage(replace(bound, generation="new"))
        index.upsert(staged, [chunk])
        index.upsert(staged, [chunk])
        documents = {"documents.pdf", chunk.stored.chunk.doc_id}
        assert stored_documents(index, staged, PROJECT).keys() == documents
        assert index.count(staged, EVERYTHING) == 6
        index.delete(staged, Selection(project_id=PROJECT, doc_id="documents.pdf"))
        index.promote(NAME)
        assert index.count(NAME, EVERYTHING) == 6
        assert index.fetch(NAME, EVERYTHING, ["mine"]) == [chunk.stored]
    with connected(url) as connection:
        texts = connection.execute(
            "SELECT count(*) FROM langchain_pg_embedding JOIN langchain_pg_collection "
            "ON uuid = collection_id WHERE name = 'documents' AND document = 'Sem página'"
        ).fetchone()
    assert texts == (1,)
    index.close()


def test_a_dropped_collection_leaves_what_another_program_wrote(seeded: str) -> None:
    index = store(seeded)
    before = index.count(NAME, EVERYTHING)
    index.create(collection(NAME, hybrid=False))
    index.upsert(NAME, [embedded("mine", sparse=None)])
    assert index.count(NAME, EVERYTHING) == before + 1
    index.drop(NAME)
    assert index.count(NAME, EVERYTHING) == before
    assert index.fetch(NAME, EVERYTHING, ["mine"]) == []
    index.close()


def test_a_rebuild_with_another_model_is_refused_while_another_program_has_rows(
    seeded: str,
) -> None:
    index = store(seeded)
    bound = collection(NAME, hybrid=False)
    index.create(bound)
    with pytest.raises(EmbeddingMismatch, match="6 rows of another program"):
        index.stage(replace(bound, dense_model="another", generation="new"))
    assert index.staged(NAME) is None
    assert index.count(NAME, EVERYTHING) == 5
    index.close()


def test_two_collections_hold_the_same_document(url: str) -> None:
    index = store(url)
    for name in (NAME, "second"):
        index.create(collection(name, hybrid=False))
        index.upsert(name, [embedded("mine", sparse=None)])
    assert [index.count(name, EVERYTHING) for name in (NAME, "second")] == [1, 1]
    index.delete(NAME, EVERYTHING)
    assert index.count("second", EVERYTHING) == 1
    index.close()


def test_a_row_has_source_page_and_chunk_index(url: str) -> None:
    index = store(url)
    index.create(collection(NAME))
    index.upsert(NAME, [rich("a")])
    with connected(url) as connection:
        row = connection.execute(
            "SELECT id, document, vector_dims(embedding), cmetadata ->> 'source', "
            "(cmetadata ->> 'page')::int, (cmetadata ->> 'chunk_index')::int, "
            "cmetadata ->> 'citekey' FROM langchain_pg_embedding"
        ).fetchone()
    assert row == ("a", rich("a").stored.chunk.text, 8, "doc-1.pdf", 10, 7, "baker2007")
    index.close()


@pytest.fixture
def run(url: str) -> Run:
    """Runs the program with LangChain, in this Python or in the one the variable names."""
    python = os.environ.get(PYTHON)
    if python is None and importlib.util.find_spec("langchain_postgres") is None:
        pytest.skip(f"langchain-postgres is not installed, and {PYTHON} names no Python with it")
    address = url.replace("postgresql://", "postgresql+psycopg://")

    def run(task: str) -> str:
        command = [python or sys.executable, str(PROGRAM), address, task, NAME]
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_langchain_reads_what_is_written_here(url: str, run: Run) -> None:
    index = store(url)
    index.create(collection(NAME))
    index.upsert(NAME, [rich("a"), embedded("b", doc_id="doc-2", text="Outro texto.")])
    said = json.loads(run("read"))
    assert {text for text, _, _ in said["found"]} == {rich("a").stored.chunk.text, "Outro texto."}
    by_source = {meta["source"]: meta for _, meta, _ in said["found"]}
    assert by_source["doc-1.pdf"]["page"] == 10
    assert by_source["doc-1.pdf"]["chunk_index"] == 7
    assert said["found"][0][2] == pytest.approx(0.0, abs=1e-6)
    assert said["filtered"] == 1
    index.close()


def test_what_langchain_writes_is_searched_here(url: str, run: Run) -> None:
    run("write")
    index = store(url)
    best = index.search(NAME, nearest(2))[0]
    assert best.stored.chunk.text.endswith("Página 2 sobre marés.")
    assert best.stored.chunk.page_span == (3, 3)
    assert best.stored.chunk.chunk_idx == 2
    index.create(collection(NAME, hybrid=False))
    index.upsert(NAME, [embedded("mine", sparse=None)])
    run("write")
    assert index.count(NAME, EVERYTHING) == 9
    assert len(json.loads(run("read"))["found"]) == 9
    index.close()


def test_hybrid_questions_are_answered_over_both(url: str, run: Run) -> None:
    run("write")
    index = store(url, owned=False)
    index.create(collection(NAME))
    index.upsert(NAME, [embedded("mine")])
    query = replace(nearest(2), mode=Mode.HYBRID, sparse=TWO_TERMS, limit=5)
    found = [hit.stored.chunk.text for hit in index.search(NAME, query)]
    assert len(found) == 5
    assert embedded("mine").stored.chunk.text in found
    run("write")
    index.close()
