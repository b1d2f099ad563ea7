"""Libraries of every released version open, answer and go on with this one."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import qdrant_edge as edge

from tests.e2e import in_process
from tests.e2e.command import Desk
from tests.e2e.papers import CLAY, write_papers, write_references

ROOT = Path(__file__).parents[2]
FIRST = """\
[project."citeloom/library"]
collection = "proj-citeloom-library"
embedding_model = "sentence-transformers/all-MiniLM-L6-v2"
sparse_model = "Qdrant/bm25"
hybrid_enabled = true
[chunking]
overlap_tokens = 60
heading_context = 2
min_chunk_tokens = 50
min_signal_to_noise = 0.3
[retrieval]
top_k = 6
fusion = "rrf"
rrf_k = 60
candidates = 50
feedback = 3
diversify_by_page = true
max_chars_per_chunk = 1800
[conversion]
document_timeout_seconds = 120
page_timeout_seconds = 10
ocr = true
ocr_engine = "auto"
ocr_timeout_seconds = 120
ocr_min_confidence = 0.8
page_window = 25
[validate]
min_body_share = 0.9
max_window_overflow = 0
min_chunks_per_document = 1
min_headed_share = 0.5
max_garbled_share = 0.01
max_documents_per_text = 2
max_norm_deviation = 0.01
require_citekey = false
strict = false
[qdrant]
timeout = 10
on_disk_vectors = false
on_disk_hnsw = false
prefix_index = false
[zotero]
access = "auto"
timeout = 20
local_url = "http://localhost:23119/api"
web_url = "https://api.zotero.org"
[models]
[paths]
data_dir = ".citeloom"
[logging]
level = "warning"
"""
"""What `init` of 0.1.0 wrote, without its comments."""
SECOND = (
    FIRST.replace("prefix_index = false\n", "")
    .replace("diversify_by_page = true\n", "diversify_by_page = true\nfold_duplicates = true\n")
    .replace("page_window = 25\n", "page_window = 25\nmax_text_mb = 16\nfollow_links = false\n")
    .replace("[zotero]\n", "[zotero]\nmax_download_mb = 500\n")
)
"""What `init` of 0.2.0 wrote, without its comments."""
CONFIGURATIONS = {"0.1.0": FIRST, "0.2.0": SECOND}
LATER_COLUMNS = tuple(
    f"ALTER TABLE documents DROP COLUMN {column}"
    for column in ("lost_words", "copy_of", "metadata", "left_out")
)
DOWNGRADES = {
    "0.1.0": (
        "DROP TABLE tombstones",
        "DROP TABLE write_intents",
        "ALTER TABLE documents DROP COLUMN created_at",
        *LATER_COLUMNS,
        "PRAGMA user_version = 3",
    ),
    "0.2.0": (*LATER_COLUMNS, "PRAGMA user_version = 5"),
}
"""What turns a manifest of today into that of a version."""


PROJECT = "citeloom/library"
COLLECTION = "proj-citeloom-library"
DENSE, SPARSE = "sentence-transformers/all-MiniLM-L6-v2", "Qdrant/bm25"
INDEXED = (
    "project_id doc_id citekey tags item_key attachment_key kind section_keys source_path".split()
)
NAMESPACE = uuid.UUID("5b1f0f52-6d0e-5d8a-9c3e-0a7c1d5e4b21")
GENERATION = "0" * 32
TEXT = "Clay soils hold more water than sand, and give it back to roots in a dry spring."
MANIFEST = """
CREATE TABLE documents (
    project_id TEXT NOT NULL, path TEXT NOT NULL, status TEXT NOT NULL,
    content_hash TEXT NOT NULL, doc_id TEXT NOT NULL, size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL, fingerprint TEXT NOT NULL, generation TEXT NOT NULL,
    "references" TEXT NOT NULL, citekey TEXT, citation TEXT NOT NULL, chunks INTEGER NOT NULL,
    pages INTEGER NOT NULL, body_share REAL NOT NULL, error_code TEXT, error TEXT, updated_at TEXT,
    citation_pages TEXT, zotero_library TEXT, attachment_key TEXT, item_key TEXT,
    ocr TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (project_id, path)
) WITHOUT ROWID;
CREATE TABLE selections (project_id TEXT PRIMARY KEY, selection TEXT NOT NULL);
PRAGMA user_version = 3;
"""
"""The manifest of 0.1.0."""


def of_first_version(desk: Desk) -> None:
    """A library with one document as 0.1.0 left it: its configuration, manifest, binding and
    payload are written here, key by key. Vectors are the model's, and have not changed.
    """
    source = desk.library / "clay.txt"
    desk.library.mkdir()
    source.write_text(TEXT, encoding="utf-8")
    write_references(desk.folder / "refs.json", CLAY)
    table = '[project."citeloom/library"]\n'
    named = table + 'references = "refs.json"\nsources = ["library/"]\n'
    mapping = f'[project."citeloom/library".files]\n"clay.txt" = "{CLAY.citekey}"\n'
    desk.config.write_text(FIRST.replace(table, named) + mapping, encoding="utf-8")
    content_hash = hashlib.sha256(source.read_bytes()).hexdigest()
    doc_id, chunk_id = content_hash[:32], "00112233aabbccdd"
    project = desk.open(PROJECT)
    models = project.parts.embedders(project.project)
    dense, sparse = [*models.dense.embed_passages([TEXT])[0]], models.sparse
    assert sparse is not None
    (terms,) = sparse.embed_passages([TEXT], "en")
    project.parts.close()
    folder = desk.data / "projects" / COLLECTION
    shard_folder = folder / "shard-1"
    shard_folder.mkdir(parents=True)
    binding = {
        "name": COLLECTION,
        "project_id": PROJECT,
        "generation": GENERATION,
        "dense_model": DENSE,
        "dimension": len(dense),
        "sparse_model": SPARSE,
        "on_disk_vectors": False,
        "on_disk_hnsw": False,
        "schema_version": "1",
        "created_at": "2026-01-05T10:00:00+00:00",
    }
    collection = {"collection": binding, "shard": shard_folder.name}
    (folder / "collection.json").write_text(json.dumps(collection), encoding="utf-8")
    payload = {
        "version": "1",
        "project_id": PROJECT,
        "doc_id": doc_id,
        "chunk_id": chunk_id,
        "chunk_idx": 0,
        "source_path": "library/clay.txt",
        "section_start": 0,
        "paragraph_start": 1,
        "section_end": 0,
        "paragraph_end": 1,
        "page_labels": [],
        "section_path": [],
        "section_keys": [],
        "heading_chain": [],
        "boxes": [],
        "chunk_text": TEXT,
        "token_count": 20,
        "signal_to_noise": 0.9,
        "kind": "text",
        "embed_model": DENSE,
        "sparse_model": SPARSE,
        "citekey": CLAY.citekey,
        "title": CLAY.title,
        "authors": ["Ada Clay"],
        "year": CLAY.year,
        "tags": list(CLAY.tags),
        "collections": [],
    }
    shard = edge.EdgeShard.create(
        str(shard_folder),
        edge.EdgeConfig(
            vectors={
                "dense": edge.EdgeVectorParams(size=len(dense), distance=edge.Distance.Cosine)
            },
            sparse_vectors={"sparse": edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
        ),
    )
    keyword, whole = (
        edge.KeywordIndexParams(enable_hnsw=False),
        edge.IntegerIndexParams(enable_hnsw=False),
    )
    for name in INDEXED:
        shard.update(edge.UpdateOperation.create_field_index(name, keyword))
    shard.update(edge.UpdateOperation.create_field_index("year", whole))
    vectors: dict[str, edge.NamedVector] = {
        "dense": dense,
        "sparse": edge.SparseVector(list(terms.indices), list(terms.values)),
    }
    point = edge.Point(id=str(uuid.uuid5(NAMESPACE, chunk_id)), vector=vectors, payload=payload)
    shard.update(edge.UpdateOperation.upsert_points([point]))
    shard.flush()
    with closing(sqlite3.connect(desk.data / "manifest.sqlite")) as manifest:
        manifest.executescript(MANIFEST)
        facts = source.stat()
        row = {
            "project_id": PROJECT,
            "path": "library/clay.txt",
            "status": "indexed",
            "content_hash": content_hash,
            "doc_id": doc_id,
            "size": facts.st_size,
            "modified_ns": facts.st_mtime_ns,
            "fingerprint": "of-0.1.0",
            "generation": GENERATION,
            "references": "of-0.1.0",
            "citekey": CLAY.citekey,
            "citation": "of-0.1.0",
            "chunks": 1,
            "pages": 0,
            "body_share": 1.0,
            "updated_at": "2026-01-05T10:00:00+00:00",
        }
        names = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" * len(row))
        manifest.execute(f"INSERT INTO documents ({names}) VALUES ({marks})", [*row.values()])
        manifest.commit()


def warnings_of(outcome: in_process.Outcome) -> Iterator[str]:
    return (line for line in outcome.err.splitlines() if line.startswith("warning: "))


def test_what_the_first_version_stored_is_read_repaired_and_asked(desk: Desk) -> None:
    of_first_version(desk)

    def answered() -> in_process.Outcome:
        outcome = in_process.run(
            "query", "Which soils hold water?", folder=desk.folder, env=desk.environment
        )
        assert outcome.code == 0, outcome.err
        assert f"@{CLAY.citekey}" in outcome.out
        assert "Clay soils hold more water" in outcome.out
        return outcome

    (warning,) = warnings_of(answered())
    assert "qdrant.prefix_index was removed in 0.2.0" in warning
    (entry,) = json.loads(desk.must("list", "--json").out)
    assert (entry["state"], entry["citekey"]) == ("indexed", CLAY.citekey)
    assert entry["created_at"] == "2026-01-05T10:00:00+00:00"
    assert json.loads(desk.must("repair", "--json").out)["findings"] == []
    (desk.data / "manifest.sqlite").unlink()
    repaired = json.loads(desk.must("repair", "--json").out)
    assert (repaired["documents"], repaired["relisted"]) == (1, ["library/clay.txt"])
    answered()
    assert "1 found, 1 indexed, 0 unchanged, 0 failed" in desk.must("ingest").out
    assert "1 found, 0 indexed, 1 unchanged, 0 failed" in desk.must("ingest").out
    answered()


@pytest.mark.parametrize("version", CONFIGURATIONS)
def test_a_library_of_a_released_version_goes_on(desk: Desk, version: str) -> None:
    write_papers(desk.library, CLAY)
    write_references(desk.folder / "refs.json", CLAY)
    table = '[project."citeloom/library"]\n'
    named = table + 'references = "refs.json"\nsources = ["library/"]\n'
    desk.config.write_text(CONFIGURATIONS[version].replace(table, named), encoding="utf-8")
    first = desk.must("ingest")
    assert "1 found, 1 indexed, 0 unchanged, 0 failed" in first.out
    _downgrade(desk.data, DOWNGRADES[version])
    answered = in_process.run("query", "clay", folder=desk.folder, env=desk.environment)
    assert answered.code == 0
    assert f"@{CLAY.citekey}" in answered.out
    warnings = [line for line in answered.err.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == CONFIGURATIONS[version].count("prefix_index")
    assert all("qdrant.prefix_index was removed in 0.2.0" in line for line in warnings)
    again = desk.must("ingest")
    assert "1 found, 0 indexed, 1 unchanged, 0 failed" in again.out


def test_every_released_version_is_upgraded() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = set(re.findall(r"^## (\d+\.\d+\.\d+)", changes, re.MULTILINE))
    assert released <= CONFIGURATIONS.keys()


def _downgrade(data: Path, statements: tuple[str, ...]) -> None:
    with closing(sqlite3.connect(data / "manifest.sqlite")) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
