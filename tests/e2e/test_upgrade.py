"""Libraries of every released version open, answer and go on with this one."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

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
DOWNGRADES = {
    "0.1.0": (
        "DROP TABLE tombstones",
        "DROP TABLE write_intents",
        "ALTER TABLE documents DROP COLUMN created_at",
        "PRAGMA user_version = 3",
    ),
    "0.2.0": ("PRAGMA user_version = 5",),
}
"""What turns a manifest of today into that of a version."""


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
