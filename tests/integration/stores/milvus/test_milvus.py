"""Milvus beyond the contract: names, indexes, documents, other processes and kills."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("milvus_lite", reason="needs milvus-lite: citeloom[milvus]")

from citeloom_milvus_documents import MilvusDocuments, MirroredManifest, documents_schema

from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import IndexQuery
from citeloom.infrastructure.stores.records.queries import Filter, MatchAny
from citeloom.testing.chunks import (
    EVERYTHING,
    PROJECT,
    collection,
    dense_vector,
    library,
)
from citeloom_milvus.collections import alias_of, belongs_to, physical_name
from citeloom_milvus.fields import expression, schema_of
from citeloom_milvus.index import MilvusIndex
from citeloom_milvus.settings import MilvusTable
from tests.fakes.manifest_store import InMemoryManifest

NAME = "proj-lab-wheat"
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
WRITER = """
import sys
from pathlib import Path
from citeloom_milvus.index import MilvusIndex
from citeloom.testing.chunks import collection, library
index = MilvusIndex.embedded(Path(sys.argv[1]))
index.create(collection(sys.argv[2]))
for chunk in library(400, seed=3):
    index.upsert(sys.argv[2], [chunk])
    print(chunk.stored.chunk.id, flush=True)
"""


@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20))
def test_no_two_names_share_an_alias(one: str, other: str) -> None:
    assert (alias_of(one) == alias_of(other)) == (one == other)
    assert alias_of(one).replace("_", "a").isalnum()
    assert alias_of(one).isascii()
    assert belongs_to(physical_name(alias_of(one)), alias_of(one))


def test_a_collection_may_have_a_name_of_milvus() -> None:
    assert alias_of("document_vectors") == "document_vectors"


@pytest.mark.parametrize("text", ['"', "\\", 'a" or section_id != "', "\n", "é\x1f'"])
def test_a_value_never_ends_its_literal(tmp_path: Path, text: str) -> None:
    index = MilvusIndex.embedded(tmp_path / "milvus.db")
    index.create(collection(NAME))
    index.upsert(NAME, library(5, seed=1))
    assert index.points(NAME).count(Filter((MatchAny("doc_id", (text,)),))) == 0
    assert expression(Filter((MatchAny("doc_id", (text,)),))).count("doc_id") == 1
    index.close()


def unit(vector: Sequence[float]) -> list[float]:
    length = math.hypot(*vector)
    return [x / length for x in vector]


@pytest.mark.parametrize("index_type", ["FLAT", "IVF_FLAT", "HNSW"])
@pytest.mark.parametrize("metric", ["COSINE", "IP"])
def test_every_index_finds_the_nearest(tmp_path: Path, index_type: str, metric: str) -> None:
    options = MilvusTable(index=index_type, metric=metric, nlist=4, nprobe=4)  # type: ignore[arg-type]
    index = MilvusIndex.embedded(tmp_path / "milvus.db", options=options)
    index.create(collection(NAME))
    chunks = [replace(one, dense=unit(one.dense)) for one in library(60, seed=2)]
    index.upsert(NAME, chunks)
    index.flush(NAME)
    wanted = chunks[7]
    query = IndexQuery(selection=EVERYTHING, mode=Mode.DENSE, limit=1, dense=wanted.dense)
    [hit] = index.search(NAME, query)
    assert hit.stored.chunk.id == wanted.stored.chunk.id
    assert hit.score == pytest.approx(1.0, abs=1e-5)
    index.close()


def test_a_second_process_is_told_that_the_folder_is_in_use(tmp_path: Path) -> None:
    index = MilvusIndex.embedded(tmp_path / "milvus.db")
    index.create(collection(NAME))
    script = (
        "import sys; from pathlib import Path\n"
        "from citeloom.domain.errors import IndexLocked\n"
        "from citeloom_milvus.index import MilvusIndex\n"
        "try:\n    MilvusIndex.embedded(Path(sys.argv[1]))\n"
        "except IndexLocked:\n    sys.exit(11)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "milvus.db")], check=False, timeout=120
    )
    assert done.returncode == 11
    other = MilvusIndex.embedded(tmp_path / "milvus.db")
    index.close()
    index.close()
    assert other.binding(NAME) is not None
    other.close()
    command = [sys.executable, "-c", script, str(tmp_path / "milvus.db")]
    assert subprocess.run(command, check=False, timeout=120).returncode == 0


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(IndexUnavailable, match=r"127\.0\.0\.1:9"):
        MilvusIndex.connect("http://127.0.0.1:9", timeout=1)


def test_what_a_killed_writer_was_told_is_stored_is_stored(tmp_path: Path) -> None:
    folder = tmp_path / "milvus.db"
    random = Random(5)
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), NAME], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout
            told = [writer.stdout.readline().strip() for _ in range(random.randint(20, 60))]
            writer.send_signal(signal.SIGKILL)
            told += writer.stdout.read().split()[:-1]
        index = MilvusIndex.embedded(folder)
        stored = [one.chunk.id for one in index.scroll(NAME, EVERYTHING)]
        assert len(stored) == len(set(stored))
        assert set(filter(None, told)) <= set(stored)
        index.close()


def test_documents_are_repeated_with_their_front_matter(tmp_path: Path) -> None:
    index = MilvusIndex.embedded(tmp_path / "milvus.db")
    documents = MilvusDocuments.in_index(index, "document_metadata")
    said = {
        "title": "Rye",
        "tags": ("grain", "winter"),
        "summary": "On rye.",
        "language": "en",
        "word_count": 12,
        "has_frontmatter": True,
    }
    manifest = MirroredManifest(InMemoryManifest(), documents, lambda _: said)
    entry = ManifestEntry(
        project_id=PROJECT,
        path="notes/rye.md",
        status=Status.INDEXED,
        content_hash="ab",
        size=70,
        chunks=3,
        created_at=NOON,
        updated_at=NOON,
    )
    manifest.put(entry)
    [row] = documents.rows('JSON_CONTAINS_ANY(tags, ["grain", "oats"])'.lower())
    assert row["file_path"] == "notes/rye.md"
    assert row["processing_status"] == "indexed"
    assert (row["file_hash"], row["file_size"], row["section_count"]) == ("ab", 70, 3)
    assert (row["title"], row["tags"], row["word_count"]) == ("Rye", ["grain", "winter"], 12)
    assert row["indexed_at"] == row["created_at"] == int(NOON.timestamp())
    manifest.put(replace(entry, status=Status.FAILED, error="damaged"))
    [row] = documents.rows('file_hash != "cd"')
    assert (row["processing_status"], row["error_message"]) == ("failed", "damaged")
    manifest.remove(PROJECT, "notes/rye.md", "never/there.md")
    assert documents.rows('file_hash != "cd"') == []
    index.close()


def test_a_document_has_the_id_of_its_chunks(tmp_path: Path) -> None:
    index = MilvusIndex.embedded(tmp_path / "milvus.db")
    index.create(collection(NAME))
    index.upsert(NAME, library(1, seed=1))
    [stored] = index.scroll(NAME, EVERYTHING)
    documents = MilvusDocuments.in_index(index, "document_metadata")
    manifest = MirroredManifest(InMemoryManifest(), documents, lambda _: {})
    path = 'no"tes/rye.md'
    entry = ManifestEntry(project_id=PROJECT, path=path, status=Status.PENDING)
    manifest.put(entry)
    [waiting] = documents.rows('document_id != ""')
    indexed = replace(entry, status=Status.INDEXED, doc_id=stored.chunk.doc_id)
    manifest.put(indexed, indexed)
    [row] = documents.rows('document_id != ""')
    assert row["document_id"] == stored.chunk.doc_id != waiting["document_id"]
    manifest.put(replace(indexed, project_id="lab/other"), replace(indexed, path="copy.md"))
    rows = documents.rows('document_id != ""')
    places = {(one["project_id"], one["file_path"]): one["document_id"] for one in rows}
    assert set(places) == {(PROJECT, path), ("lab/other", path), (PROJECT, "copy.md")}
    assert len(set(places.values())) == 3
    assert places[PROJECT, path] == stored.chunk.doc_id
    manifest.remove(PROJECT, path)
    assert {one["project_id"] for one in documents.rows('document_id != ""')} == {
        "lab/other",
        PROJECT,
    }
    manifest.put(replace(indexed, path="copy.md"))
    [row] = documents.rows(f'project_id == "{PROJECT}"')
    assert row["document_id"] == stored.chunk.doc_id
    index.close()


def test_collections_are_described() -> None:  # Milvus Lite does not store what it is told
    sections = schema_of(collection(NAME))
    assert sections.description == "Document section embeddings for semantic search"
    assert documents_schema().description == "Document metadata and processing status"


def test_what_a_kill_leaves_half_repeated_is_not_taken_for_done(tmp_path: Path) -> None:
    index = MilvusIndex.embedded(tmp_path / "milvus.db")
    inner = InMemoryManifest()
    entry = ManifestEntry(project_id=PROJECT, path="notes/rye.md", status=Status.INDEXED)

    def killed(_: ManifestEntry) -> dict[str, object]:
        raise KeyboardInterrupt

    manifest = MirroredManifest(inner, MilvusDocuments.in_index(index, "document_metadata"), killed)
    with pytest.raises(KeyboardInterrupt):
        manifest.put(entry)
    assert inner.entries(PROJECT) == []
    index.close()


def test_vectors_come_back_as_they_were_written(tmp_path: Path) -> None:
    index = MilvusIndex.embedded(tmp_path / "milvus.db")
    index.create(collection(NAME))
    dense = dense_vector(Random(1))
    chunk = replace(library(1, seed=1)[0], dense=dense)
    index.upsert(NAME, [chunk])
    [examined] = index.examine(NAME, EVERYTHING)
    assert examined.dense == pytest.approx(dense)
    assert examined.faults == ()
    index.close()
