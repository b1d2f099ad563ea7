"""Two projects that hold the same documents neither see nor touch one another's chunks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import pytest

from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import StoredChunk
from citeloom.infrastructure.library.project import ProjectLibrary
from tests.copies import copy_folder
from tests.e2e.command import Desk, MakeDesk, project_table
from tests.e2e.papers import BRIDGES, CLAY, FERRIES, LICHENS, Paper, write_papers

LEFT, RIGHT = "lab/left", "lab/right"
HELD: Mapping[str, tuple[Paper, ...]] = {
    LEFT: (BRIDGES, CLAY, FERRIES),
    RIGHT: (CLAY, FERRIES, LICHENS),
}
SIDES = (LEFT, RIGHT)
QUESTION = "What cracks clay tiles, and what do passengers of a ferry wait for?"
Condition = Callable[[StoredChunk], bool]


def side(project: str) -> str:
    return project.removeprefix("lab/")


def key(project: str, paper: Paper) -> str:
    """The citekey a paper has in a project."""
    return f"{side(project)}-{paper.citekey}"


@pytest.fixture(scope="module")
def both(make_desk: MakeDesk, ingested: Desk) -> Desk:
    """Both projects in one configuration and one data folder; not to be changed."""
    desk = make_desk("both")
    copy_folder(ingested.conversions, desk.conversions)
    for project, papers in HELD.items():
        write_papers(desk.folder / side(project), *papers)
        records = [{**paper.reference(), "citation-key": key(project, paper)} for paper in papers]
        references = desk.folder / f"{side(project)}.json"
        references.write_text(json.dumps(records), encoding="utf-8")
    desk.configure(*map(table, SIDES))
    for project in SIDES:
        desk.must("ingest", "--project", project)
    return desk


def table(project: str, **keys: object) -> str:
    name = side(project)
    return project_table(project, sources=[f"{name}/"], references=f"{name}.json", **keys)


@pytest.fixture
def changing(both: Desk, make_desk: MakeDesk) -> Desk:
    """A copy of both that a test may change."""
    desk = make_desk("changing")
    copy_folder(both.folder, desk.folder)
    return desk


@pytest.fixture(scope="module")
def apps(both: Desk, make_desk: MakeDesk) -> Iterator[Mapping[str, ProjectLibrary]]:
    """Both projects open at once, in a copy of their folder."""
    desk = make_desk("apps")
    copy_folder(both.folder, desk.folder)
    opened = {project: desk.open(project) for project in SIDES}
    yield opened
    for app in opened.values():
        app.parts.close()


@pytest.fixture(scope="module")
def stored(both: Desk) -> Mapping[str, list[StoredChunk]]:
    """All chunks of each project."""
    return {project: both.chunks(project) for project in SIDES}


SELECTIONS: Mapping[str, tuple[dict[str, Any], Condition]] = {
    "everything": ({}, lambda _: True),
    "tags": (
        {"tags": ("transport", "infrastructure")},
        lambda s: bool(s.citation and {"transport", "infrastructure"} <= set(s.citation.tags)),
    ),
    "years": (
        {"years": (2016, 2019)},
        lambda s: bool(s.citation and s.citation.year and 2016 <= s.citation.year <= 2019),
    ),
    "kind": (
        {"kinds": (ChunkKind.TEXT,)},
        lambda s: s.chunk.kind is ChunkKind.TEXT,
    ),
    "section": (
        {"section": ("Cracks and their causes",)},
        lambda s: s.chunk.section_path == ("Cracks and their causes",),
    ),
    "citekey of the left": (
        {"citekey": key(LEFT, CLAY)},
        lambda s: bool(s.citation and s.citation.citekey == key(LEFT, CLAY)),
    ),
    "source of the right": (
        {"source_path": f"right/{CLAY.file_name}"},
        lambda s: s.source_path == f"right/{CLAY.file_name}",
    ),
}


@pytest.mark.parametrize(("project", "mode", "name"), list(product(SIDES, Mode, SELECTIONS)))
def test_a_query_finds_its_own_project_whatever_the_filter(
    apps: Mapping[str, ProjectLibrary],
    stored: Mapping[str, list[StoredChunk]],
    project: str,
    mode: Mode,
    name: str,
) -> None:
    filters, holds = SELECTIONS[name]
    result = query(
        apps[project].opened,
        QueryRequest(
            text=QUESTION,
            mode=mode,
            top_k=100,
            context=1,
            **filters,
        ),
    )
    allowed = [chunk for chunk in stored[project] if holds(chunk)]
    found = [passage.stored for passage in result.passages]
    if mode is not Mode.SPARSE:
        assert sorted(found, key=lambda s: s.chunk.id) == allowed
    assert all(chunk in allowed for chunk in found)
    assert bool(found) == bool(allowed)
    around = [n for passage in result.passages for n in (*passage.before, *passage.after)]
    assert all(chunk in stored[project] for chunk in around)


def test_shared_documents_have_the_same_ids_and_their_own_references(
    stored: Mapping[str, list[StoredChunk]],
) -> None:
    ids = {project: {s.chunk.id for s in stored[project]} for project in SIDES}
    assert len(ids[LEFT] & ids[RIGHT]) == 4
    for project in SIDES:
        citekeys = {s.citation.citekey for s in stored[project] if s.citation}
        assert citekeys == {key(project, paper) for paper in HELD[project]}
        assert {s.project_id for s in stored[project]} == {project}


def test_the_other_projects_works_cannot_be_shown(
    both: Desk, stored: Mapping[str, list[StoredChunk]]
) -> None:
    own = {s.chunk.id for s in stored[LEFT]}
    [alien, *_] = [s.chunk.id for s in stored[RIGHT] if s.chunk.id not in own]
    for name in (key(RIGHT, CLAY), alien):
        assert both.run("show", name, "--project", LEFT).code == 1


def test_a_shared_chunk_is_shown_as_ones_own(
    both: Desk, stored: Mapping[str, list[StoredChunk]]
) -> None:
    ids = {s.chunk.id for s in stored[LEFT]}
    [shared, *_] = [s.chunk.id for s in stored[RIGHT] if s.chunk.id in ids]
    for project in SIDES:
        [shown] = both.must("show", shared, "-p", project, "--context", "0", "--json").json
        assert shown["source_path"].startswith(f"{side(project)}/")
        assert shown["citekey"].startswith(f"{side(project)}-")


def test_inspection_counts_one_project(both: Desk, stored: Mapping[str, list[StoredChunk]]) -> None:
    described = both.must("inspect", "-p", LEFT, "--json", "--sample", "100").json
    assert described["description"]["points"] == len(stored[LEFT])
    assert {entry["path"] for entry in described["documents"]} == {
        f"left/{paper.file_name}" for paper in HELD[LEFT]
    }
    assert {s["project_id"] for s in described["sample"]} == {LEFT}


@pytest.mark.parametrize("options", [("--citekey", key(LEFT, CLAY)), ("--all",)])
def test_deleting_from_one_project_leaves_the_other_alone(
    changing: Desk, stored: Mapping[str, list[StoredChunk]], options: tuple[str, ...]
) -> None:
    changing.must("delete", "-p", LEFT, *options, "--yes")
    assert changing.chunks(RIGHT) == stored[RIGHT]
    listed = {p["id"]: p["documents"] for p in changing.must("projects", "--json").json}
    assert listed == {LEFT: 2 if "--citekey" in options else 0, RIGHT: 3}


def test_the_other_projects_citekey_deletes_nothing(
    changing: Desk, stored: Mapping[str, list[StoredChunk]]
) -> None:
    outcome = changing.run("delete", "-p", LEFT, "--citekey", key(RIGHT, CLAY), "--yes")
    assert outcome.code == 1
    assert "nothing was deleted" in outcome.err
    assert {p: changing.chunks(p) for p in SIDES} == stored


def test_pruning_one_project_leaves_the_other_alone(
    changing: Desk, stored: Mapping[str, list[StoredChunk]]
) -> None:
    (changing.folder / "left" / CLAY.file_name).unlink()
    (changing.folder / "right" / CLAY.file_name).unlink()
    pruned = changing.must("ingest", "-p", LEFT, "--prune", "--json").json
    assert pruned["pruned"] == [f"left/{CLAY.file_name}"]
    assert changing.chunks(RIGHT) == stored[RIGHT]
    assert {s.source_path for s in changing.chunks(LEFT)} == {
        f"left/{paper.file_name}" for paper in (BRIDGES, FERRIES)
    }


def test_two_projects_in_one_collection_are_refused(changing: Desk) -> None:
    changing.configure(table(LEFT, collection="shared"), table(RIGHT, collection="shared"))
    refused = changing.run("query", QUESTION, "--project", LEFT)
    assert refused.code == 10
    assert "have the same collection 'shared'" in refused.err
