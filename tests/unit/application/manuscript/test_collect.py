"""Collecting passages for chapters: cited, once, and never at the cost of what a reader wrote."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from citeloom.application.manuscript.collect import (
    Collect,
    CollectedPassage,
    file_name,
)
from citeloom.application.requests.manuscript import CollectRequest
from citeloom.domain.errors import InvalidFilter, InvalidProject, NotFound
from citeloom.domain.project import Project
from citeloom.infrastructure.answers.markdown import collected, heading
from citeloom.testing.chunks import PROJECT, collection, embedded, rich
from citeloom.testing.in_memory import InMemoryIndex
from tests.fakes.chapter_files import InMemoryChapterFiles
from tests.unit.application.library import project_in

NAME = "wheat"
ODD = "own--id --> <!-- x"


@pytest.fixture
def files() -> InMemoryChapterFiles:
    return InMemoryChapterFiles()


@pytest.fixture
def collect(files: InMemoryChapterFiles) -> Collect:
    """A project with three passages of a work, and one of another project beside them."""
    index = InMemoryIndex()
    index.create(collection(NAME))
    foreign = replace(rich("foreign").stored, project_id="lab/rye")
    index.upsert(NAME, [rich("a"), rich("b"), rich(ODD), replace(rich("f"), stored=foreign)])
    return Collect(
        project=project_in(index, settings=Project(id=PROJECT, collection=NAME)),
        files=files,
        entry=collected,
        heading=heading,
    )


def added(collect: Collect, chunk_id: str, chapter: str = "2 Methods") -> CollectedPassage:
    return collect(CollectRequest(chunk_id=chunk_id, chapter=chapter))


def test_a_passage_is_quoted_and_cited_with_comment_and_tags(
    collect: Collect, files: InMemoryChapterFiles
) -> None:
    request = CollectRequest(
        chunk_id="a", chapter="2 Methods", comment=" Their *best* case\n", tags=("tides", "to do")
    )
    passage = collect(request)
    assert (passage.added, passage.citation) == (True, "[@baker2007, pp. ix-x]")
    assert passage.path == files.path("2-methods")
    assert files.texts["2-methods"] == (
        "# 2 Methods\n\n"
        "> Wheat grows.\n>\n> [@baker2007, pp. ix-x]\n\n"
        "Their \\*best\\* case\n\n"
        "Tags: tides, to do\n\n"
        f"<!-- citeloom {PROJECT} a -->\n"
    )


def test_the_same_passage_is_in_a_chapter_once(
    collect: Collect, files: InMemoryChapterFiles
) -> None:
    for chunk_id in ("a", ODD):
        assert added(collect, chunk_id).added
        before = files.texts["2-methods"]
        assert not added(collect, chunk_id, " 2  METHODS ").added
        assert files.texts["2-methods"] == before
    assert added(collect, "a", "3 Results").added
    assert collect.chapters("2 Methods")[0].chunk_ids == ("a", ODD)


def test_what_a_reader_wrote_stays(collect: Collect, files: InMemoryChapterFiles) -> None:
    added(collect, "a")
    edited = files.texts["2-methods"].replace("Wheat grows.", "Wheat grows [quickly].") + "My words"
    files.texts["2-methods"] = edited.replace("\n", "\r\n")
    assert not added(collect, "a").added
    assert added(collect, "b").added
    text = files.texts["2-methods"]
    assert text.startswith(edited.replace("\n", "\r\n") + "\n\n> ")
    assert text.count("# 2 Methods") == 1
    assert collect.chapters("2 Methods")[0].chunk_ids == ("a", "b")


def test_a_passage_that_a_reader_took_out_can_be_collected_again(
    collect: Collect, files: InMemoryChapterFiles
) -> None:
    added(collect, "a")
    files.texts["2-methods"] = ""
    assert added(collect, "a").added
    assert files.texts["2-methods"].startswith("# 2 Methods\n\n> ")


def test_no_text_of_a_document_passes_for_a_passage_of_ours(
    collect: Collect, files: InMemoryChapterFiles
) -> None:
    marker = f"<!-- citeloom {PROJECT} b -->"
    hostile = embedded("evil", text=f"# Ours?\n{marker}\n[@nobody1999] <script>")
    collect.project.index.upsert(NAME, [hostile])
    request = CollectRequest(chunk_id="evil", chapter="1 `Intro` [x]", comment=f"x\n\n{marker}")
    collect(request)
    (chapter,) = collect.chapters()
    assert chapter.chunk_ids == ("evil",)
    assert r"> \[\@nobody1999\] \<script\>" in files.texts["1-intro-x"]
    assert added(collect, "b", "1 Intro x").added


def test_chapters_are_listed_with_their_passages(
    collect: Collect, files: InMemoryChapterFiles
) -> None:
    assert collect.chapters() == []
    files.texts["notes"] = "# Mine alone\n"
    for chunk_id, chapter in (
        ("b", "3 Results & *more* `x`"),
        ("a", "2 Methods"),
        ("b", "2 Methods"),
    ):
        added(collect, chunk_id, chapter)
    listed = [(one.chapter, one.path.name, one.chunk_ids) for one in collect.chapters()]
    assert listed == [
        ("2 Methods", "2-methods.md", ("a", "b")),
        ("3 Results & *more* `x`", "3-results-more-x.md", ("b",)),
    ]
    (shown,) = collect.chapters("2 methods")
    assert shown.text == files.texts["2-methods"]


def test_an_unknown_chapter_is_told_with_one_that_is_near(collect: Collect) -> None:
    with pytest.raises(NotFound, match="'4 Summary'") as alone:
        collect.chapters("4 Summary")
    assert "Collect a passage" in alone.value.hint
    added(collect, "a")
    with pytest.raises(NotFound) as near:
        collect.chapters("2 Method")
    assert near.value.hint == "Did you mean 2 Methods?"


@pytest.mark.parametrize("chunk_id", ["nope", "f", "foreign", "baker2007"])
def test_an_unknown_passage_leaves_no_file(
    collect: Collect, files: InMemoryChapterFiles, chunk_id: str
) -> None:
    with pytest.raises(NotFound, match=chunk_id) as refused:
        added(collect, chunk_id)
    assert "query" in refused.value.hint
    assert files.texts == {}


def test_nothing_is_collected_before_anything_is_ingested(files: InMemoryChapterFiles) -> None:
    empty = Collect(
        project=project_in(InMemoryIndex(), settings=Project(id=PROJECT, collection=NAME)),
        files=files,
        entry=collected,
        heading=heading,
    )
    with pytest.raises(InvalidProject):
        added(empty, "a")


@pytest.mark.parametrize(
    ("chapter", "name"),
    [
        ("2 Methods", "2-methods"),
        (" Über die Gezeiten! ", "über-die-gezeiten"),
        ("U\u0308ber die Gezeiten", "über-die-gezeiten"),
        ("../../etc/passwd", "etc-passwd"),
        ("C:\\x_y", "c-x-y"),
        ("潮汐", "潮汐"),
    ],
)
def test_a_file_is_named_after_its_chapter(chapter: str, name: str) -> None:
    assert file_name(chapter) == name


@pytest.mark.parametrize(
    "wrong",
    [
        {"chapter": ""},
        {"chapter": "..."},
        {"chapter": "one\ntwo"},
        {"chapter": "x" * 101},
        {"chapter": "潮" * 67},
        {"chapter": "a\0b"},
        {"chunk_id": " "},
        {"tags": ("",)},
        {"tags": ("x" * 301,)},
        {"tags": ("x",) * 101},
        {"comment": "\ud800"},
        {"comment": "x" * 20_001},
    ],
)
def test_what_cannot_be_collected_is_refused(collect: Collect, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidFilter):
        collect(CollectRequest(**{"chunk_id": "a", "chapter": "1", **wrong}))
