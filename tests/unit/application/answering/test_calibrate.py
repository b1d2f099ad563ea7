# ruff: noqa: RUF001 - other scripts are among what is tested here
"""Thresholds of a collection: found, stored, used, out of date."""

from __future__ import annotations

from dataclasses import replace
from errno import ENOSPC
from functools import partial

import pytest

from citeloom.application.answering.calibrate import Calibrate
from citeloom.application.answering.relevance import JudgeRelevance, query_above_floor
from citeloom.application.evaluate.answers import evaluate_answers
from citeloom.application.events import shown_by
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.reports import CalibrationOutcome
from citeloom.application.requests.ingest import IngestRequest
from citeloom.application.requests.passages import AskRequest, QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.domain.answers.answer import AnswerStatus
from citeloom.domain.answers.calibration import LEAST_CHUNKS, Calibration
from citeloom.domain.answers.relevance import UNCALIBRATED, Relevance, Thresholds, Verdict
from citeloom.domain.errors import InvalidProject, InvalidQrels
from citeloom.domain.evaluation.measures import Question, RelevanceJudgement
from citeloom.domain.policies import DEFAULT_DENSE_MODEL
from citeloom.domain.references.citation import CitationMeta
from tests.fakes.calibration_store import InMemoryCalibrations
from tests.fakes.embedders import HashingDense
from tests.fakes.progress import RecordedProgress
from tests.unit.application.answering.project import ALWAYS, NEVER, ask_of, calibrated, project
from tests.unit.application.library import TOPICS, Library, PowerCut, open_project

UNRELATED = {
    "opera": ("Who sang Tosca?", "Which aria is in act two?"),
    "taxes": ("Wann ist die Steuer fällig?", "Posso deduzir a escola?"),
}
SECTIONS = "\n\n".join(
    f"# {topic.title()} {n}\n\nOn plot {n} the {topic} of winter wheat and rye was measured by the "
    f"crew in week {n} of the trial. Another note on {topic} of plot {n} was kept for later years."
    for topic in TOPICS
    for n in range(1, 7)
)


@pytest.fixture
def library() -> Library:
    return project({"papers/a.txt": SECTIONS})


def calibrate_of(library: Library, store: InMemoryCalibrations) -> Calibrate:
    return Calibrate(
        project=open_project(library),
        judge=JudgeRelevance(project=open_project(library), calibrations=store),
        calibrations=store,
        events=shown_by(RecordedProgress()),
        questions=UNRELATED,
    )


def test_a_calibration_parts_the_library_from_the_rest_and_is_kept(library: Library) -> None:
    store = InMemoryCalibrations()
    found = calibrate_of(library, store)()
    assert store.get(library.project.collection) == found
    assert found.chunks == len(library.stored())
    asked = {kind: each.answered.of for kind, each in found.verdicts.items()}
    assert asked["unrelated"] == 4
    assert asked["present"] >= 20
    assert asked["absent"] == 0
    assert found.verdicts["unrelated"].answered.count == 0
    assert found.verdicts["present"].nothing.count <= 0.15 * asked["present"]
    again = calibrate_of(library, store)()
    assert again.thresholds == found.thresholds
    judge = JudgeRelevance(project=open_project(library), calibrations=store)
    relevance, notes = judge("How was rainfall of winter rye measured?", ())
    assert relevance.calibrated
    assert relevance.thresholds == found.thresholds
    assert notes == ()


def test_a_sentence_without_a_word_to_ask_about_is_not_asked() -> None:
    signs = f"\n\n# Signs\n\n{'Rows of rye end here. ' * 6}\n\n{'( + ) ' * 4}"
    found = calibrate_of(project({"papers/a.txt": SECTIONS + signs}), InMemoryCalibrations())()
    assert found.verdicts["present"].answered.of >= 20


def test_too_few_sentences_are_refused() -> None:
    with pytest.raises(InvalidProject, match="sentences to calibrate"):
        calibrate_of(project(), InMemoryCalibrations())()


def test_without_calibration_defaults_hold_and_it_is_said(library: Library) -> None:
    answer = ask_of(library, thresholds=None)(AskRequest(text="How was rainfall measured?"))
    assert not answer.relevance.calibrated
    assert answer.relevance.thresholds == UNCALIBRATED
    assert any("not calibrated" in note for note in answer.notes)


def test_a_rebuilt_collection_has_no_calibration(library: Library) -> None:
    ask = ask_of(library)
    library.ingest(IngestRequest(rebuild=True))
    answer = ask(AskRequest(text="How was rainfall measured?"))
    assert not answer.relevance.calibrated
    assert any("rebuilt since" in note for note in answer.notes)


def test_a_collection_that_changed_much_is_to_be_calibrated_again(library: Library) -> None:
    store = InMemoryCalibrations()
    judge = JudgeRelevance(project=open_project(library), calibrations=store)
    count = len(library.stored())
    for chunks, drifted in ((count, False), (round(count * 0.9), False), (count * 2, True)):
        store.put(calibrated(library, ALWAYS, chunks=chunks))
        relevance, notes = judge("How was rainfall measured?", ())
        assert relevance.calibrated
        assert [("calibrate it again" in note) for note in notes] == [True] * drifted


def test_a_query_above_the_floor_returns_all_or_nothing(library: Library) -> None:
    store = InMemoryCalibrations()
    opened = open_project(library)
    judge = JudgeRelevance(project=opened, calibrations=store)
    above = partial(query_above_floor, opened, judge)
    request = QueryRequest(text="Who sang Tosca?")
    store.put(calibrated(library, ALWAYS))
    assert above(request).passages == query(opened, request).passages
    store.put(calibrated(library, NEVER))
    refused = above(request)
    assert refused.passages == ()
    assert any("says nothing about this" in note for note in refused.notes)
    quoted = QueryRequest(text="the rainfall of winter wheat and rye was measured by the crew")
    assert above(quoted).passages


def test_the_floor_is_the_same_however_many_passages_are_asked_for(library: Library) -> None:
    opened = open_project(library)
    store = InMemoryCalibrations()
    judge = JudgeRelevance(project=opened, calibrations=store)
    text = "Was rainfall or nitrogen measured by the crew?"
    nearest = query(opened, QueryRequest(text=text, top_k=6)).passages
    one, six = (judge(text, nearest[:count])[0].wording.coverage for count in (1, 6))
    assert one < six
    found = judge(text, nearest)[0].evidence
    assert found is not None
    store.put(calibrated(library, Thresholds(related=found - 0.01, answered=found + 0.5)))
    above = partial(query_above_floor, opened, judge)
    assert len(above(QueryRequest(text=text, top_k=1)).passages) == 1


def test_answers_are_evaluated_as_a_user_gets_them(library: Library) -> None:
    asked = [
        Question(
            id="a",
            kind="exact",
            text="How was the rainfall of winter rye measured?",
            evidence=(RelevanceJudgement(work="rye2001", page=1),),
        ),
        Question(id="b", kind="foreign", text="Who sang Tosca?"),
    ]
    progress = RecordedProgress()
    made = evaluate_answers("set", asked, ask=ask_of(library), events=shown_by(progress))
    assert [one.id for one in made.answers] == ["a", "b"]
    assert made.means["evidence page recall"] == 1.0
    assert made.answers[0].status is AnswerStatus.ANSWERED
    assert made.answerable.answered.of == made.unanswerable.answered.of == 1
    assert made.method == "extractive"
    with pytest.raises(InvalidQrels):
        evaluate_answers("none", [], ask=ask_of(library), events=shown_by(progress))


# At the end of an ingest.


@pytest.fixture
def store(library: Library) -> InMemoryCalibrations:
    """Where the library's ingests keep their calibrations."""
    store = InMemoryCalibrations()
    library.calibrate = replace(calibrate_of(library, store), least_chunks=1).if_changed
    return store


@pytest.mark.no_cover
def test_an_ingest_calibrates_once_the_library_has_changed_by_more_than_a_tenth(
    library: Library, store: InMemoryCalibrations
) -> None:
    done = library.ingest().calibration
    assert done is not None
    assert done.chunks == len(library.stored())
    found = store.get(library.project.collection)
    assert found is not None
    assert done.thresholds == found.thresholds
    assert library.ingest().calibration is None
    library.files.write("papers/b.txt", SECTIONS[:300].replace("plot", "field"))
    assert 0 < library.ingest().chunks.added < 0.1 * done.chunks
    assert store.get(library.project.collection) == found
    library.files.write("papers/c.txt", SECTIONS.replace("plot", "meadow"))
    more = library.ingest(IngestRequest(calibrate=False))
    assert (len(more.indexed), more.calibration) == (1, None)
    grown = library.ingest().calibration
    assert grown is not None
    assert grown.chunks == len(library.stored()) > 1.1 * done.chunks
    rebuilt = library.ingest(IngestRequest(rebuild=True)).calibration
    assert rebuilt is not None


def test_the_project_may_leave_calibrations_to_the_command(
    library: Library, store: InMemoryCalibrations
) -> None:
    policy = replace(library.project.retrieval, calibrate=False)
    library.project = replace(library.project, retrieval=policy)
    assert library.ingest().calibration is None
    assert library.ingest(IngestRequest(calibrate=True)).calibration is not None


@pytest.mark.no_cover
def test_a_small_library_is_calibrated_only_where_that_is_asked_for(library: Library) -> None:
    store = InMemoryCalibrations()
    library.calibrate = calibrate_of(library, store).if_changed
    assert library.ingest().calibration is None
    assert store.get(library.project.collection) is None
    asked = library.ingest(IngestRequest(calibrate=True)).calibration
    assert asked is not None
    assert asked.chunks < LEAST_CHUNKS
    assert asked.thresholds is not None
    many = replace(calibrate_of(library, InMemoryCalibrations()), least_chunks=asked.chunks)
    library.calibrate = many.if_changed
    assert library.ingest().calibration is not None


def test_words_count_together_in_a_script_that_the_model_does_not_read() -> None:
    library = Library(
        {
            "papers/a.txt": "# Мост\n\nКаменный мост через реку построили весной.",
            "papers/b.txt": "# Лампа\n\nМедная лампа висела зимой возле школы.",
        }
    )
    library.dense = HashingDense(DEFAULT_DENSE_MODEL)
    library.project = replace(library.project, embedding_model=DEFAULT_DENSE_MODEL)
    library.ingest()
    opened, store = open_project(library), InMemoryCalibrations()
    store.put(calibrated(library, NEVER))
    judge = JudgeRelevance(project=opened, calibrations=store)

    def judged(question: str) -> Relevance:
        passages = query(opened, QueryRequest(text=question)).passages
        return judge(question, passages)[0]

    together, apart = judged("каменный мост построили весной"), judged("каменный мост возле школы")
    assert (together.wording.coverage, apart.wording.coverage) == (1.0, 1.0)
    assert (together.similarity, together.verdict) == (0.5, Verdict.ANSWERED)
    assert apart.similarity is not None
    assert apart.similarity < 0.3
    assert apart.verdict is Verdict.RELATED
    assert apart.evidence_in_one == pytest.approx(2 * apart.similarity)
    assert together.evidence_in_one == together.evidence == 1.0


@pytest.mark.parametrize("sparse", [True, False])
def test_passages_are_counted_by_the_work_of_the_one_with_most_words(
    library: Library, sparse: bool
) -> None:
    opened = open_project(library)
    if not sparse:
        opened = replace(opened, open_embedders=lambda: (library.dense, None))
    judge = JudgeRelevance(project=opened, calibrations=InMemoryCalibrations())
    work = CitationMeta(citekey="rye2001", title="Rye")
    stored = replace(next(iter(opened.chunks(opened.everything))), citation=None)
    other = replace(stored, citation=replace(work, citekey="oats2002"))
    empty = replace(other, chunk=replace(stored.chunk, text="Nothing of it."))
    of_work = replace(stored, citation=work)
    question = "winter wheat crew"
    assert judge.wording(question, [empty, of_work, other, of_work]).work_share == 0.5
    assert judge.wording(question, [stored, of_work, stored]).work_share == 0.0
    assert judge.wording(question, []).work_share == 0.0


def test_a_library_too_small_says_so_and_is_ingested() -> None:
    small, store = project(), InMemoryCalibrations()
    small.calibrate = calibrate_of(small, store).if_changed
    report = small.ingest(IngestRequest(force=True, calibrate=True))
    assert report.indexed
    assert report.calibration is not None
    assert report.calibration.thresholds is None
    assert "fewer than 20" in report.calibration.reason
    assert store.get(small.project.collection) is None


def test_a_calibration_that_cannot_be_stored_fails_no_ingest(library: Library) -> None:
    library.calibrate = calibrate_of(library, FullCalibrations()).if_changed
    done = library.ingest(IngestRequest(calibrate=True)).calibration
    assert done is not None
    assert done.thresholds is None
    assert done.reason == "it could not be stored: No space left on device"


def test_a_run_killed_while_it_calibrates_has_stored_all_and_the_next_one_calibrates(
    library: Library, store: InMemoryCalibrations
) -> None:
    calibrate = library.calibrate
    library.calibrate = cut_off
    with pytest.raises(PowerCut):
        library.ingest(IngestRequest(force=True))
    library.calibrate = calibrate
    after = library.ingest()
    assert not after.indexed
    assert after.calibration is not None
    assert after.calibration.thresholds is not None


def test_a_cancelled_run_leaves_the_calibration_to_the_next(
    library: Library, store: InMemoryCalibrations
) -> None:
    asked = iter(range(1_000))
    stopped = Cancellation(lambda: next(asked) > 30)
    assert calibrate_of(library, store).if_changed(stopped, True) is None
    assert store.get(library.project.collection) is None
    assert library.ingest(IngestRequest(stop=lambda: True)).calibration is None
    assert library.ingest().calibration is not None


class FullCalibrations(InMemoryCalibrations):
    def put(self, calibration: Calibration) -> None:
        raise OSError(ENOSPC, "No space left on device")


def cut_off(_cancellation: Cancellation, _asked: bool) -> CalibrationOutcome | None:
    raise PowerCut("calibrate")
