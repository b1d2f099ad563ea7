"""Questions asked of a project and of a test collection, and measured."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from citeloom.application.evaluate.ranking import Evaluate, EvaluationRequest, index_collection
from citeloom.application.events import shown_by
from citeloom.application.open_project import OpenProject
from citeloom.domain.evaluation.measures import (
    EvaluationCollection,
    EvaluationRun,
    ModeResult,
    Question,
    RelevanceJudgement,
    Text,
)
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import Selection
from tests.fakes.progress import RecordedProgress
from tests.fakes.ranking_measures import FormulaMeasures
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import PROJECT, RYE, Library, open_project, paper

ON_RYE = Question(
    id="rye",
    kind="easy",
    text="winter rye of wheat",
    evidence=(RelevanceJudgement(work="rye2001", page=3),),
    quotations=("Plot 2 of wheat was measured for winter rye.",),
)
WRONG_PAGE = replace(
    ON_RYE, id="wrong", kind="hard", evidence=(RelevanceJudgement(work="rye2001", page=5),)
)
UNANSWERABLE = Question(id="none", kind="unanswerable", text="Who was the king of spades?")
QUESTIONS = (ON_RYE, WRONG_PAGE, UNANSWERABLE)


@pytest.fixture
def library() -> Library:
    library = Library({"papers/a.txt": paper("wheat", sections=5)})
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    library.ingest()
    return library


def evaluated(opened: OpenProject, request: EvaluationRequest) -> EvaluationRun:
    progress = RecordedProgress()
    evaluate = Evaluate(
        project=opened,
        measures=FormulaMeasures(),
        events=shown_by(progress),
        versions={"citeloom": "1"},
    )
    return evaluate(request)


REQUEST = EvaluationRequest(name="q.jsonl", questions=QUESTIONS, modes=(Mode.DENSE,), k=1)


def only(run: EvaluationRun) -> ModeResult:
    (mode,) = run.modes
    return mode


def test_a_question_is_measured_by_page_work_and_words(library: Library) -> None:
    answers = {
        answer.id: answer for answer in only(evaluated(open_project(library), REQUEST)).answers
    }
    assert answers["rye"].figures == {
        "nDCG@10": 1.0,
        "recall@1": 1.0,
        "MRR@1": 1.0,
        "hit@1": 1.0,
        "hit@5": 1.0,
        "page hit@1": 1.0,
        "page hit@5": 1.0,
        "text hit@1": 1.0,
        "text hit@5": 1.0,
    }
    wrong = answers["wrong"].figures
    assert (wrong["hit@1"], wrong["page hit@1"], wrong["page hit@5"]) == (1.0, 0.0, 1.0)
    assert 0.0 < wrong["nDCG@10"] < 1.0
    assert answers["none"].figures == {}
    (place,) = answers["rye"].places
    assert (place.work, place.locator, place.evidence) == ("rye2001", "p. 3", True)


def test_kinds_are_told_apart_and_the_unanswerable_are_no_zeros(library: Library) -> None:
    result = only(evaluated(open_project(library), REQUEST))
    assert result.overall.questions == 2
    assert set(result.by_kind) == {"easy", "hard"}
    assert result.overall.means["page hit@1"] == 0.5
    assert result.answerability is not None
    assert result.answerability.unanswerable == 1


def test_every_mode_is_asked_as_a_query_is(library: Library) -> None:
    run = evaluated(open_project(library), replace(REQUEST, modes=()))
    assert [mode.mode for mode in run.modes] == list(Mode)
    assert {mode.mode: mode.fusion for mode in run.modes}[Mode.DENSE] is None


def test_a_run_says_under_what_conditions_it_was_made(library: Library) -> None:
    first = evaluated(open_project(library), REQUEST).provenance
    assert first.models == {"dense": PROJECT.embedding_model, "sparse": PROJECT.sparse_model}
    assert (first.chunks, first.collection) == (5, PROJECT.collection)
    assert (first.chunking, first.versions) == (PROJECT.chunking, {"citeloom": "1"})
    again = evaluated(open_project(library), REQUEST).provenance
    assert replace(again, created_at=first.created_at) == first
    other = evaluated(open_project(library), replace(REQUEST, questions=QUESTIONS[1:])).provenance
    assert other.questions_sha256 != first.questions_sha256


def test_the_digest_of_questions_is_of_their_words_and_evidence_alone(library: Library) -> None:
    class RenamedQuestion(Question):
        """The same values under another name of a class."""

    renamed = tuple(
        RenamedQuestion(**{field.name: getattr(question, field.name) for field in fields(Question)})
        for question in QUESTIONS
    )
    digests = [
        evaluated(open_project(library), replace(REQUEST, questions=questions))
        for questions in (QUESTIONS, renamed)
    ]
    assert len({run.provenance.questions_sha256 for run in digests}) == 1


COLLECTION = EvaluationCollection(
    name="grain tests!",
    texts=(
        Text(id="1", title="Winter rye", text="Rye is sown late in autumn."),
        Text(id="2", title="", text="Oats."),
        Text(id="3", title="Barley alone", text=" "),
        Text(id="4", title="", text=""),
        Text(id="5", title="", text=f"{'Of maize and its weight. ' * 40}\n\nThen more of maize."),
    ),
    questions=(
        Question(
            id="7",
            kind="query",
            text="when is rye sown",
            evidence=(RelevanceJudgement(work="1", grade=2), RelevanceJudgement(work="5")),
        ),
    ),
)


def indexed(library: Library) -> OpenProject:
    return index_collection(
        open_project(library),
        COLLECTION,
        counter=library.counter,
        events=shown_by(RecordedProgress()),
    )


def test_a_collection_is_cut_and_stored_as_documents_are(library: Library) -> None:
    opened = indexed(library)
    assert opened.settings.id == "eval/grain-tests"
    selection = Selection(project_id=opened.settings.id)
    stored = list(library.index.scroll(opened.settings.collection, selection))
    by_text = {name: [s for s in stored if s.source_path == name] for name in "12345"}
    assert [len(by_text[name]) for name in "1234"] == [1, 1, 1, 0]
    assert by_text["1"][0].chunk.embedding_text == "Winter rye\nRye is sown late in autumn."
    assert by_text["3"][0].chunk.text == "Barley alone"
    assert len(by_text["5"]) > 1
    assert len(library.stored()) == 5


def test_a_text_of_a_collection_counts_once_at_its_best_chunk(library: Library) -> None:
    request = replace(REQUEST, questions=COLLECTION.questions, by_document=True, k=10)
    (answer,) = only(evaluated(indexed(library), request)).answers
    assert len([place for place in answer.places if place.work == "5"]) == 1
    assert answer.places[0].work == "1"
    assert answer.figures["recall@10"] == 1.0
    assert "page hit@1" not in answer.figures
