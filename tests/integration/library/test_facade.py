"""What a library and its projects do with the options that they are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from citeloom.application.events import DocumentDone, RunEnded, RunEvent
from citeloom.domain.answers.answer import Answer
from citeloom.domain.answers.session import Turn
from citeloom.domain.errors import (
    ConfigError,
    InvalidFilter,
    InvalidProject,
    InvalidQrels,
    NotFound,
)
from citeloom.domain.evaluation.measures import Question
from citeloom.domain.policies import Mode
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.library.library import Library, open_library
from tests.fakes.progress import RecordedProgress
from tests.fakes.two_projects import LEFT, RIGHT, two_projects
from tests.fakes.zotero_library import MemoryZotero
from tests.unit.application.test_zotero_browse import NESTED

QUESTION = Question(id="q1", kind="exact", text="When is barley sown?")
NONSENSE = "Zeppelins of Friedrichshafen?"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Two projects with three papers each; nothing here changes them."""
    folder = tmp_path_factory.mktemp("library")
    with pytest.MonkeyPatch.context() as patch, two_projects(folder, patch) as library:
        yield library


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    """Two projects that a test may change."""
    with two_projects(tmp_path, monkeypatch) as library:
        yield library


def test_a_project_is_the_same_each_time_and_knows_its_library(library: Library) -> None:
    project = library.project(LEFT)
    assert project is library.project(LEFT)
    assert project.project.id == LEFT
    assert project.info == library.info
    assert project.check_store().collections[0].name == "proj-lab-left"


@pytest.mark.parametrize(
    ("toml", "hint"),
    [
        ('[project."lab/one"]\n[project."lab/two"]\n', "--project: lab/one, lab/two"),
        ("[store]\n", "citeloom.toml: a table"),
    ],
)
def test_which_project_is_asked_for_where_it_is_not_clear(
    tmp_path: Path, toml: str, hint: str
) -> None:
    (tmp_path / "citeloom.toml").write_text(toml, encoding="utf-8")
    library = open_library(tmp_path)
    for call in (library.project, library.citekeys):
        with pytest.raises(InvalidProject) as refused:
            call()
        assert hint in refused.value.hint


def test_a_closed_library_opens_its_stores_again(own: Library) -> None:
    with own as opened:
        assert opened is own
        before = own.project(LEFT)
    assert own.project(LEFT) is not before
    assert own.project(LEFT).query("barley").passages


def test_the_citekeys_are_those_of_one_project(library: Library) -> None:
    assert library.citekeys(LEFT) == ("left2001",)
    with pytest.raises(InvalidProject):
        library.citekeys("lab/none")


def test_a_question_takes_its_options(library: Library) -> None:
    project = library.project(LEFT)
    assert len(project.query("barley wheat", top_k=2).passages) == 2
    passages = project.query("x", citekey="left2001").passages
    assert {passage.stored.source_path for passage in passages} == {"left/paper0.txt"}
    assert project.query("barley", mode="sparse").mode is Mode.SPARSE
    with pytest.raises(InvalidFilter):
        project.query("barley", mode="wrong")


def test_a_question_is_held_to_the_floor_where_it_is_asked_for_or_configured(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = library.project(LEFT)
    assert project.query(NONSENSE).passages
    assert not project.query(NONSENSE, floor=True).passages
    assert project.query("barley", floor=True).passages
    tables = f'[project."{LEFT}".retrieval]\nfloor = true\n'
    with two_projects(tmp_path, monkeypatch, tables=tables) as configured:
        assert not configured.project(LEFT).query(NONSENSE).passages
        assert configured.project(LEFT).query(NONSENSE, floor=False).passages


def test_a_question_without_words_is_refused(library: Library) -> None:
    project = library.project(LEFT)
    ask: Callable[..., Answer] = project.ask  # whose signature demands a text
    chat: Callable[..., Turn] = project.chat
    assert ask("barley?", top_k=1).question == "barley?"
    assert project.answer_model is None
    with pytest.raises(InvalidFilter, match="no question"):
        ask()
    with pytest.raises(InvalidFilter, match="no question"):
        chat()


def test_a_session_goes_on_where_it_is_named(own: Library) -> None:
    project = own.project(LEFT)
    first = project.chat("When is barley sown?")
    second = project.chat("And wheat?", session_id=first.session_id)
    assert second.session_id == first.session_id
    (session,) = project.sessions.listed()
    assert session.id == first.session_id
    with pytest.raises(NotFound):
        project.chat("And wheat?", session_id="none")


def test_documents_are_listed_and_described(library: Library) -> None:
    project = library.project(LEFT)
    (cited,) = project.documents(citekey="left2001")
    assert cited.path == "left/paper0.txt"
    assert len(project.documents(missing_reference=True)) == 2
    assert len(project.documents(state="indexed")) == 3
    with pytest.raises(InvalidFilter):
        project.documents(state="wrong")
    detail = project.document(cited.doc_id)
    assert detail.document.path == cited.path
    assert len(project.inspect(sample=2).sample) == 2
    assert project.inspect().sample == ()


def test_a_chunk_is_shown_with_its_neighbours(library: Library) -> None:
    project = library.project(LEFT)
    (cited,) = project.documents(citekey="left2001")
    second = project.document(cited.doc_id).chunks[1].chunk.id
    assert len(project.show(second).before) == 1
    assert project.show(second, context=0).before == ()
    with pytest.raises(NotFound):
        project.page_image("none")


def test_passages_are_collected_once(own: Library) -> None:
    project = own.project(LEFT)
    chunk = project.query("barley", top_k=1).passages[0].stored.chunk.id
    assert project.collect(chunk, chapter="methods", tags="soil").added
    assert not project.collect(chunk, chapter="methods").added
    assert [chapter.chapter for chapter in project.chapters()] == ["methods"]
    with pytest.raises(NotFound):
        project.chapters("results")


def test_relative_sources_are_of_the_current_folder(
    own: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "new.md").write_text("# New\n\nBarley.\n", encoding="utf-8")
    monkeypatch.chdir(elsewhere)
    report = own.project(LEFT).ingest("new.md", dry_run=True)
    assert report.dry_run
    assert report.pending == ["elsewhere/new.md"]


def test_a_selection_is_ingested_from_zotero(own: Library) -> None:
    own.parts.resources.get("Zotero", lambda: MemoryZotero(NESTED))
    selection = ZoteroSelection(collections=("Papers",))
    report = own.project(LEFT).ingest(zotero=selection, dry_run=True)
    assert report.dry_run
    assert own.last_zotero_selection(LEFT) is None
    with pytest.raises(ConfigError):
        own.project(LEFT).sync()
    assert own.zotero().tags(selection)
    assert own.diagnose_zotero(selection, project_id=LEFT).items
    assert own.diagnose_zotero(selection).items


def test_there_is_nothing_to_watch_without_a_source(tmp_path: Path) -> None:
    (tmp_path / "citeloom.toml").write_text('[project."lab/one"]\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="nothing to watch"):
        open_library(tmp_path).project().watch(events=cast("Any", None), stop=lambda: True)


def test_one_thing_at_a_time_is_deleted(own: Library) -> None:
    project = own.project(LEFT)
    for options in ({}, {"doc_id": "d1", "citekey": "left2001"}):
        with pytest.raises(ConfigError, match="not clear"):
            project.delete(**cast("Any", options))
    project.check_deletion(citekey="left2001")
    assert len(project.delete(citekey="left2001").documents) == 1
    with pytest.raises(NotFound):
        project.check_deletion(citekey="left2001")
    first, _ = project.documents(state="indexed")
    assert len(project.delete(doc_id=first.doc_id).documents) == 1
    assert len(project.delete(everything=True).documents) == 1
    assert project.documents(state="indexed") == []
    assert len(own.project(RIGHT).documents(state="indexed")) == 3


def test_repair_and_validation_look_without_changing(library: Library) -> None:
    project = library.project(LEFT)
    assert project.repair(dry_run=True).dry_run
    report = project.validate(only=frozenset({"vectors"}))
    assert {finding.check for finding in report.findings} <= {"vectors"}


def test_questions_come_from_a_file_or_as_values(library: Library, tmp_path: Path) -> None:
    project = library.project(LEFT)
    run = project.evaluate([QUESTION], modes=["sparse"], k=5)
    assert (run.name, [one.mode for one in run.modes]) == ("questions", [Mode.SPARSE])
    with pytest.raises(InvalidQrels):
        project.evaluate(tmp_path / "none.jsonl")


def test_answers_are_evaluated(library: Library) -> None:
    evaluation = library.project(LEFT).evaluate_answers([QUESTION])
    assert evaluation.name == "questions"


def test_pages_are_checked(library: Library) -> None:
    report = library.project(LEFT).evaluate_pages(examples=1)
    assert report.documents == ()
    assert len(report.skipped) == 3


def test_only_an_index_in_a_folder_is_served_by_its_owner(own: Library) -> None:
    project = own.project(LEFT)
    project.load_models()
    assert project.serve().idle_seconds >= 0


def test_a_library_lists_what_belongs_to_no_project(library: Library) -> None:
    assert [summary.documents for summary in library.projects()] == [3, 3]
    assert all(part.ok for part in library.health())
    assert library.store_error() == ""
    assert len(library.check_store().collections) == 2
    assert library.models()
    assert library.ocr_engines()


def test_progress_and_events_of_an_ingest_are_one_stream(own: Library, tmp_path: Path) -> None:
    absent = tmp_path / "absent.md"
    progress = RecordedProgress()
    events: list[RunEvent] = []
    own.project(LEFT).ingest(absent, progress=progress, events=events.append)
    done = [(e.document, e.outcome) for e in events if isinstance(e, DocumentDone)]
    assert (progress.outcomes, progress.total) == (done, 0)
    assert done == [(str(absent), "failed: SOURCE_UNAVAILABLE")]
    assert events[-1] == RunEnded()
    assert progress.finished
