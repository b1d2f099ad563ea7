"""The views that are drawn: evaluation runs and the map."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from citeloom.application.documents import ListedDocument
from citeloom.application.retrieval.work_map import MappedWork
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.evaluation.measures import EvaluationRun, Question, RelevanceJudgement
from citeloom.domain.policies import Mode
from citeloom.infrastructure.answers.evaluations import run_json
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.interfaces.web.charts import by_collection, by_year
from tests.integration.http.conftest import ONE, TWO

NEST = Question(
    id="nest",
    kind="easy",
    text="How often do swallows nest under bridges?",
    evidence=(RelevanceJudgement(work="moreau2015"),),
)


def saved(folder: Path, name: str, run: EvaluationRun) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(run_json(run), encoding="utf-8")


def all_zero(run: EvaluationRun) -> EvaluationRun:
    """The run a day later, with nothing found."""
    modes = tuple(
        replace(
            mode,
            answers=tuple(
                replace(answer, figures=dict.fromkeys(answer.figures, 0.0))
                for answer in mode.answers
            ),
        )
        for mode in run.modes
    )
    made = run.provenance.created_at + timedelta(days=1)
    return replace(run, modes=modes, provenance=replace(run.provenance, created_at=made))


@pytest.fixture
def runs(service: ServedLibrary) -> Iterator[Path]:
    """The folder with two runs of a project, and a file that is none."""
    questions = [replace(NEST, id=f"nest {number}") for number in range(12)]
    run = service.project(ONE).evaluate(questions, modes=[Mode.HYBRID, Mode.DENSE])
    folder = service.library.info.base_dir / "evaluation"
    saved(folder, "first.json", run)
    saved(folder, "worse.json", all_zero(run))
    (folder / "notes.json").write_text("{}", encoding="utf-8")
    yield folder
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


def test_before_the_first_run_the_page_says_how_to_make_one(room: TestClient) -> None:
    page = room.get("/evaluation").text
    assert f"citeloom eval run --project {ONE} --questions" in page
    assert "<table" not in page


@pytest.mark.usefixtures("runs")
def test_runs_are_drawn_and_in_a_table(room: TestClient) -> None:
    page = room.get("/evaluation").text
    assert '<svg role="img"' in page
    assert re.search(r"<title>nDCG@10: worse.json \d\.\d{3}; first.json 1\.000</title>", page)
    assert page.count('<th scope="row">') == 2
    assert "notes.json" in page
    assert "style=" not in page
    assert 'aria-current="true">hybrid' in page
    assert 'aria-current="true">dense' in room.get("/evaluation?mode=dense").text
    assert "citeloom eval run" in room.get("/evaluation", params={"project": TWO}).text


@pytest.mark.usefixtures("runs")
def test_two_runs_are_compared_as_the_command_does(room: TestClient) -> None:
    page = room.get("/evaluation?before=first.json&after=worse.json").text
    assert "✗</span>worse" in page
    assert "-1.000" in page
    assert "1.000 → 0.000: <a" in page
    back = room.get("/evaluation?before=worse.json&after=first.json").text
    assert "✓</span>better" in back
    same = room.get("/evaluation?before=first.json&after=first.json").text
    assert "?</span>no clear difference" in same
    assert room.get("/evaluation?before=first.json&after=../x.json").status_code == 404


def test_a_map_opens_works_and_lists_them(room: TestClient, service: ServedLibrary) -> None:
    page = room.get("/map").text
    documents = service.project(ONE).documents()
    for document in documents:
        assert page.count(f'href="/works/{document.doc_id}?') == 2
    assert "<title>Swallows Under Road Bridges of the Lower Valley (2015)</title>" in page
    assert f"{len(documents)} works by the likeness" in page
    places = re.findall(r'x="([\d.]+)%" y="([\d.]+)%"', page)
    assert len(places) == len(documents)
    assert all(3 <= float(part) <= 97 for place in places for part in place)
    assert "style=" not in page
    assert room.get("/map?by=colour").status_code == 422


def work(year: int | None = None, *collections: str) -> MappedWork:
    document = ListedDocument(
        path="a.pdf",
        doc_id="a",
        title="",
        citekey=None,
        pages=1,
        chunks=1,
        state=DocumentState.INDEXED,
        year=year,
        collections=collections,
    )
    return MappedWork(document=document, x=0, y=0)


def test_years_are_cut_into_spans_with_about_as_many_works() -> None:
    signs, names = by_year([work(year) for year in range(1990, 2014)] + [work()])
    assert names[1] == "1990\N{EN DASH}1993"
    assert list(names) == [1, 2, 3, 4, 5, 6]
    assert signs == [number for number in range(1, 7) for _ in range(4)] + [8]
    assert by_year([work(2001), work(2001)]) == ([1, 1], {1: "2001"})


def test_a_work_of_several_collections_is_of_the_largest() -> None:
    many = [work(None, "birds") for _ in range(3)] + [work(None, "clay", "birds"), work()]
    signs, names = by_collection([*many, *(work(None, f"c{number}") for number in range(7))])
    assert (names[1], names[2]) == ("birds", "c0")
    assert signs[:5] == [1, 1, 1, 1, 8]
    assert signs.count(7) == 2
