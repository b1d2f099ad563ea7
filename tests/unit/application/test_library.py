"""The facade: it names the project once, chooses the use case, and hands its report on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from citeloom.application.library import Library
from citeloom.application.library_parts import LibraryInfo, LibraryParts
from citeloom.application.limits import ServerOptions
from citeloom.application.ports.runtime import NoProgress
from citeloom.domain.errors import ConfigError, InvalidFilter, InvalidProject
from citeloom.domain.evaluation.measures import EvaluationCollection, Question
from citeloom.domain.policies import Mode, RetrievalPolicy
from citeloom.domain.project import Project
from citeloom.domain.retrieval.filters import Filters
from citeloom.domain.zotero.selection import ZoteroSelection

ONE = Project(id="lab/one")
SELECTION = ZoteroSelection(collections=("Papers",))
QUESTION = Question(id="q1", kind="exact", text="what cracks?")


class Call:
    """A use case that remembers how it was called, and answers with its name."""

    def __init__(self, name: str, calls: list[tuple[str, tuple[object, ...], dict[str, object]]]):
        self._name = name
        self._calls = calls

    def __call__(self, *args: object, **options: object) -> object:
        self._calls.append((self._name, args, options))
        return self if self._name.startswith("make ") else self._name

    def __getattr__(self, name: str) -> Call:
        return Call(f"{self._name} {name}", self._calls)


class Parts:
    """The parts of a library with some projects, every use case a `Call`."""

    info = LibraryInfo(base_dir=Path(), data_dir=Path(".citeloom"), config_file=None)
    server = ServerOptions(port=1234)

    def __init__(self, *projects: Project) -> None:
        self.calls: list[tuple[str, tuple[object, ...], dict[str, object]]] = []
        self.known = {project.id: project for project in projects}
        self.closed = 0

    def project_ids(self) -> tuple[str, ...]:
        return tuple(self.known)

    def citekeys(self, project_id: str) -> tuple[str, ...]:
        return (f"{self.known[project_id].collection}2001",)

    def project(self, project_id: str) -> ProjectParts:
        return ProjectParts(self, self.known[project_id])

    def questions(self, path: Path) -> tuple[Question, ...]:
        return (QUESTION,)

    def collection(self, folder: Path) -> EvaluationCollection:
        return EvaluationCollection(name=folder.name, texts=(), questions=(QUESTION,))

    def doctor(self, project_id: str | None) -> Call:
        return Call(f"doctor {project_id}", self.calls)

    def close(self) -> None:
        self.closed += 1

    def __getattr__(self, name: str) -> Call:
        return Call(name, self.calls)


class ProjectParts:
    def __init__(self, library: Parts, project: Project) -> None:
        self._library = library
        self.project = project

    def ingest(self, references: Path | None) -> Call:
        return Call(f"ingest {references}", self._library.calls)

    def ingest_zotero(self, references: Path | None) -> Call:
        return Call(f"ingest_zotero {references}", self._library.calls)

    def evaluate(self, query: object, progress: object) -> Call:
        return Call("evaluate", self._library.calls)

    def calibrate(self, progress: object) -> Call:
        self._library.calls.append(("calibrate", (progress,), {}))
        return Call("calibrate", self._library.calls)

    def evaluate_answers(self, progress: object) -> Call:
        return Call("evaluate answers", self._library.calls)

    @contextmanager
    def query_over(self, collection: object, progress: object, reranker: object) -> Iterator[Call]:
        yield Call("query over", self._library.calls)

    def __getattr__(self, name: str) -> Call:
        return Call(name, self._library.calls)


@pytest.fixture
def parts() -> Parts:
    return Parts(ONE)


@pytest.fixture
def library(parts: Parts) -> Library:
    return Library(cast("LibraryParts", parts))


def is_from(answer: object, name: str) -> bool:
    """Whether it is what the use case of that name answered."""
    return answer == name


def last(parts: Parts) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    return parts.calls[-1]


def test_a_project_is_named_once_or_not_at_all(library: Library) -> None:
    assert library.project("lab/one").project is ONE
    assert library.project().project is ONE


@pytest.mark.parametrize(
    ("projects", "hint"),
    [
        ((ONE, Project(id="lab/two")), "--project: lab/one, lab/two"),
        ((), "citeloom init"),
    ],
)
def test_which_project_is_asked_for_where_it_is_not_clear(
    projects: tuple[Project, ...], hint: str
) -> None:
    with pytest.raises(InvalidProject) as refused:
        Library(cast("LibraryParts", Parts(*projects))).project()
    assert hint in refused.value.hint


def test_a_library_is_closed_with_its_context(parts: Parts, library: Library) -> None:
    with library as opened:
        assert opened is library
    assert parts.closed == 1


def test_the_library_hands_on_what_knows_no_project(parts: Parts, library: Library) -> None:
    assert is_from(library.projects(), "summaries")
    assert is_from(library.models(), "models")
    assert is_from(library.ocr_engines(), "ocr_engines")
    assert is_from(library.health(), "health")
    assert is_from(library.last_zotero_selection("lab/one"), "last_selection")
    assert is_from(library.zotero_download(), "download")
    assert isinstance(last(parts)[1][0], NoProgress)
    assert is_from(
        library.diagnose_zotero(SELECTION, project_id="lab/one", strict=True), "doctor lab/one"
    )
    assert last(parts) == ("doctor lab/one", (SELECTION,), {"strict": True})
    assert library.info is Parts.info
    assert isinstance(library.zotero(), Call)
    assert library.project().info is Parts.info


def test_sources_are_made_absolute_and_told_to_the_ingest(parts: Parts, library: Library) -> None:
    report = library.project().ingest("papers", force=True, limit=3)
    name, (request, progress), _ = last(parts)
    assert is_from(report, name)
    assert request.sources == (str(Path("papers").absolute()),)
    assert (request.force, request.limit, request.prune, request.stop()) == (True, 3, False, False)
    assert isinstance(progress, NoProgress)


def test_progress_and_cancellation_belong_to_the_call(parts: Parts, library: Library) -> None:
    mine = NoProgress()
    library.project().ingest(references=Path("refs.json"), progress=mine, stop=lambda: True)
    name, (request, progress), _ = last(parts)
    assert name == "ingest refs.json"
    assert progress is mine
    assert request.stop()


def test_a_selection_is_ingested_from_zotero(parts: Parts, library: Library) -> None:
    library.project().ingest(zotero=SELECTION, dry_run=True)
    name, (request, selection, _), _ = last(parts)
    assert (name, selection, request.dry_run) == ("ingest_zotero None", SELECTION, True)


def test_answers_and_calibrations_are_handed_on(parts: Parts, library: Library) -> None:
    project = library.project()
    assert is_from(project.ask("what cracks?", citekey="rye2001", top_k=3), "ask")
    request, *_ = last(parts)[1]
    assert (request.question, request.filters.citekey, request.top_k) == (
        "what cracks?",
        "rye2001",
        3,
    )
    project.calibrate()
    assert isinstance(parts.calls[-2][1][0], NoProgress)
    assert [name for name, *_ in parts.calls[-2:]] == ["calibrate", "calibrate"]


def test_a_query_is_held_to_the_floor_where_it_is_asked_for_or_configured(
    parts: Parts, library: Library
) -> None:
    assert is_from(library.project().query("what cracks?"), "query")
    assert is_from(library.project().query("what cracks?", floor=True), "query_above_floor")
    floored = Project(id="lab/two", retrieval=RetrievalPolicy(floor=True))
    parts.known[floored.id] = floored
    strict = library.project(floored.id)
    assert is_from(strict.query("what cracks?"), "query_above_floor")
    assert is_from(strict.query("what cracks?", floor=False), "query")


def test_answers_are_evaluated_with_named_questions(parts: Parts, library: Library) -> None:
    project = library.project()
    project.evaluate_answers(Path("q.jsonl"))
    assert last(parts)[1] == ("q.jsonl", (QUESTION,))
    project.evaluate_answers([QUESTION])
    assert last(parts)[1] == ("questions", (QUESTION,))


def test_sync_repeats_the_last_selection(parts: Parts, library: Library) -> None:
    library.project().sync(notes=True, limit=2)
    name, (request, _), options = last(parts)
    assert (name, request.limit) == ("ingest_zotero None sync", 2)
    assert options == {"annotations": None, "notes": True}


def test_one_thing_at_a_time_is_deleted(parts: Parts, library: Library) -> None:
    project = library.project()
    assert is_from(project.delete(doc_id="d1"), "delete document")
    assert is_from(project.delete(citekey="rye2001"), "delete work")
    assert last(parts)[1] == ("rye2001",)
    assert is_from(project.delete(everything=True), "delete everything")
    for options in ({}, {"doc_id": "d1", "citekey": "rye2001"}):
        with pytest.raises(ConfigError, match="not clear"):
            project.delete(**cast("Any", options))


def test_a_question_is_still_read_by_its_former_name(parts: Parts, library: Library) -> None:
    project = library.project()
    for named in ({"text": "rye?"}, {"question": "rye?"}):
        project.ask(**cast("Any", named))
        assert last(parts)[1][0].question == "rye?"
    project.chat(question="rye?", session_id="s1")
    assert (last(parts)[1][0].question, last(parts)[1][0].session_id) == ("rye?", "s1")
    for ask in (project.ask, project.chat):
        with pytest.raises(InvalidFilter, match="no question"):
            ask()


def test_the_library_is_listed_and_repaired(parts: Parts, library: Library) -> None:
    project = library.project()
    assert is_from(project.documents(citekey="rye2001"), "documents")
    assert last(parts)[2] == {
        "state": None,
        "missing_reference": False,
        "filters": Filters(citekey="rye2001"),
    }
    assert is_from(project.repair(dry_run=True), "repair")
    assert last(parts)[2] == {"dry_run": True, "waiting": None}


def test_a_document_is_described_and_a_page_drawn(parts: Parts, library: Library) -> None:
    project = library.project()
    assert is_from(project.document("d1"), "document")
    assert is_from(project.page_image("chunk", page=3, scale=2.0), "page_image")
    assert last(parts)[1:] == (("chunk",), {"page": 3, "scale": 2.0})
    assert library.server == ServerOptions(port=1234)


def test_examining_a_project_changes_nothing_on_the_way(parts: Parts, library: Library) -> None:
    project = library.project()
    assert is_from(project.inspect(sample=2), "inspect")
    assert last(parts)[2] == {"sample": 2}
    assert is_from(project.validate(only=frozenset({"vectors"})), "validate")
    assert is_from(project.evaluate_pages(examples=1), "evaluate_pages")
    assert is_from(project.show("chunk", context=4), "show")
    assert last(parts)[1:] == (("chunk",), {"context": 4})


def test_questions_come_from_a_file_or_as_values(parts: Parts, library: Library) -> None:
    project = library.project()
    project.evaluate(Path("asked.jsonl"), modes=[Mode.SPARSE], k=5)
    (request,) = last(parts)[1]
    assert (request.name, request.questions, request.modes, request.k) == (
        "asked.jsonl",
        (QUESTION,),
        (Mode.SPARSE,),
        5,
    )
    project.evaluate([QUESTION])
    (request,) = last(parts)[1]
    assert (request.name, request.modes, request.by_document) == ("questions", (), False)


def test_a_collection_is_measured_by_work(parts: Parts, library: Library) -> None:
    assert is_from(library.project().evaluate_collection(Path("cranfield")), "evaluate")
    (request,) = last(parts)[1]
    assert (request.name, request.by_document) == ("cranfield", True)


def test_a_sweep_reads_its_collections(parts: Parts, library: Library) -> None:
    project = library.project()
    assert is_from(project.sweep([QUESTION], collections=[Path("med")], fusion_only=True), "sweep")
    name, (questions, collections, _), options = last(parts)
    assert questions == ("questions", (QUESTION,))
    assert (name, [one.name for one in collections], options) == (
        "sweep",
        ["med"],
        {"fusion_only": True},
    )


def test_citekeys_are_those_of_the_only_project_unless_one_is_named(library: Library) -> None:
    assert library.citekeys() == library.citekeys(ONE.id) == (f"{ONE.collection}2001",)
