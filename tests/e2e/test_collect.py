"""`collect`: from a passage to a chapter, from the shell and from Python."""

from __future__ import annotations

import citeloom
from tests.e2e.command import SMALL, Desk


def test_passages_are_collected_for_a_chapter(small: Desk) -> None:
    first, second = [
        stored for stored in small.chunks() if stored.citation is not None and stored.cited
    ][:2]
    path = small.folder / "collected" / "2-methods.md"
    result = small.must(
        "collect", first.chunk.id, "-c", "2 Methods", "-m", "Good.", "--tag", "tiles"
    )
    assert result.out == f"{first.cited} added to {path}\n"
    again = small.must("collect", first.chunk.id, "--chapter", "2 methods", "--json").json
    assert again == {
        "project": SMALL,
        "chunk_id": first.chunk.id,
        "citation": first.cited,
        "chapter": "2 methods",
        "path": str(path),
        "added": False,
    }
    with citeloom.open_library(small.folder) as library:
        kept = library.project(SMALL).collect(second.chunk.id, chapter="2 Methods", tags="x")
        assert (kept.added, kept.path) == (True, path)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# 2 Methods\n\n> ")
    assert f"\n> {first.cited}\n\nGood.\n\nTags: tiles\n" in text
    assert small.must("collect", "-c", "2 Methods").out == text
    (chapter,) = small.must("collect", "--json").json
    assert chapter["chunk_ids"] == [first.chunk.id, second.chunk.id]
    unknown = small.run("collect", "nope", "--chapter", "2 Methods")
    assert (unknown.code, unknown.out) == (1, "")
    assert "has no passage 'nope'" in unknown.err
    assert small.run("collect", first.chunk.id).code == 2
    assert small.run("collect", "--tag", "x").code == 2
    assert path.read_text(encoding="utf-8") == text
