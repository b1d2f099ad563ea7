"""A library in Milvus Lite, with its documents repeated there."""

from __future__ import annotations

from importlib.metadata import distributions

import pytest
from scripts.run_recipe import RECIPES

pytest.importorskip("milvus_lite", reason="needs milvus-lite: citeloom[milvus]")

from citeloom_milvus_documents import MilvusDocuments

from citeloom_milvus.index import MilvusIndex
from tests.e2e.command import SMALL, Desk, MakeDesk, project_table
from tests.e2e.conftest import Install

STORE = '[store]\nurl = "milvus-lite:"\n\n[milvus]\ndocuments = "document_metadata"\n'
NOTE = "---\ntitle: {title}\ntags: [grain]\n---\n# {title}\n\nRye grows on sandy soil, {title}.\n"


def rows(desk: Desk) -> dict[str, dict[str, object]]:
    index = MilvusIndex.embedded(desk.data / "milvus.db")
    try:
        found = MilvusDocuments.in_index(index, "document_metadata").rows('document_id != ""')
    finally:
        index.close()
    return {str(row["file_path"]): row for row in found}


def test_without_its_extension_nothing_is_repeated_and_nothing_done(make_desk: MakeDesk) -> None:
    if "citeloom-milvus-documents" in {one.name for one in distributions()}:
        pytest.skip("citeloom-milvus-documents is installed: a recipe was run here")
    desk = make_desk("bare")
    desk.configure(project_table(SMALL), tables=STORE)
    refused = desk.run("list")
    assert refused.code == 14
    assert "'milvus-documents' needs citeloom-milvus-documents" in refused.err
    assert "pip install ./recipes/markdown-notes/extension" in refused.err


def test_documents_are_repeated_as_they_are_after_a_rebuild_too(
    make_desk: MakeDesk, installed: Install
) -> None:
    installed(RECIPES / "markdown-notes")
    desk = make_desk("notes")
    desk.library.mkdir(parents=True)
    for name in ("a", "b"):
        (desk.library / f"{name}.md").write_text(NOTE.format(title=name), encoding="utf-8")
    desk.configure(project_table(SMALL), tables=STORE)
    desk.must("ingest")
    (desk.library / "a.md").write_text(NOTE.format(title="another"), encoding="utf-8")
    desk.must("ingest", "--rebuild")
    mirrored = rows(desk)
    assert [mirrored[f"library/{name}.md"]["title"] for name in ("a", "b")] == ["another", "b"]
    assert all(row["tags"] == ["grain"] for row in mirrored.values())
    documents = {one.source_path: one.chunk.doc_id for one in desk.chunks()}
    assert {path: row["document_id"] for path, row in mirrored.items()} == documents
    (desk.library / "b.md").unlink()
    desk.must("ingest", "--prune")
    assert set(rows(desk)) == {"library/a.md"}
    assert "chunk_text" in desk.must("inspect").out
