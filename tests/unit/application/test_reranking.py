"""A reranker puts the best passages in order, and a query does without it when it fails."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from citeloom.application.answering.relevance import JudgeRelevance
from citeloom.application.evaluate.ranking import Evaluate, EvaluationRequest
from citeloom.application.events import shown_by
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.embedders import Reranker
from citeloom.application.requests.passages import AskRequest, QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.application.retrieval.reranking import Reranking
from citeloom.application.retrieval.result import QueryResult
from citeloom.domain.errors import ConfigError, ModelUnavailable
from citeloom.domain.evaluation.comparison import gain
from citeloom.domain.evaluation.measures import EvaluationRun, Question, RelevanceJudgement
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.candidates import StageName
from tests.fakes.calibration_store import InMemoryCalibrations
from tests.fakes.progress import RecordedProgress
from tests.fakes.ranking_measures import FormulaMeasures
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.fakes.reranker import SharedWords
from tests.unit.application.answering.project import ask_of, project
from tests.unit.application.library import RYE, Library, open_project, paper

QUESTION = "measured winter rye yield of wheat plots"
PLAIN = QueryRequest(text=QUESTION, top_k=5)
SECONDS = 30.0


@pytest.fixture(scope="module")
def library() -> Library:
    library = Library({"papers/a.txt": paper("wheat", sections=8)})
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    library.ingest()
    return library


@pytest.fixture(scope="module")
def opened(library: Library) -> OpenProject:
    return open_project(library)


def reranked(
    opened: OpenProject, reranker: Reranker, candidates: int = 20, seconds: float = SECONDS
) -> OpenProject:
    reranking = Reranking(reranker=reranker, candidates=candidates, seconds=seconds)
    return replace(opened, open_reranking=lambda: reranking)


def ids(result: QueryResult) -> list[str]:
    return [passage.stored.chunk.id for passage in result.passages]


class Backwards(SharedWords):
    """The later a text, the better."""

    def score(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        return [float(place) for place, _ in enumerate(super().score(question, texts, seconds))]


@pytest.mark.parametrize("mode", Mode)
def test_the_first_passages_stand_in_its_order(opened: OpenProject, mode: Mode) -> None:
    request = replace(PLAIN, mode=mode, without=frozenset({StageName.DIVERSIFY}))
    before = query(opened, request)
    after = query(reranked(opened, Backwards(), candidates=3), request)
    assert ids(after) == [*ids(before)[:3][::-1], *ids(before)[3:]]
    assert [p.reranked.rank if p.reranked else None for p in after.passages] == [
        1,
        2,
        3,
        None,
        None,
    ]
    scores = {p.stored.chunk.id: p.score for p in before.passages}
    assert [p.score for p in after.passages] == [scores[name] for name in ids(after)]
    assert ids(
        query(
            reranked(opened, Backwards()),
            replace(request, without=frozenset({StageName.RERANK, StageName.DIVERSIFY})),
        )
    ) == ids(before)


def test_an_answer_says_what_was_done_and_sent(opened: OpenProject) -> None:
    reranker = SharedWords(destination="ranks.example:8080")
    result = query(reranked(opened, reranker, candidates=4), replace(PLAIN, explain=True))
    done = result.reranked
    assert done is not None
    assert (done.model, done.passages, done.sent_to, done.done) == (
        "fake/shared-words",
        4,
        "ranks.example:8080",
        True,
    )
    assert result.destinations == ("ranks.example:8080",)
    ((question, texts),) = reranker.asked
    assert question == QUESTION
    assert len(texts) == 4
    (trace,) = [stage for stage in result.stages if stage.name is StageName.RERANK]
    assert trace.detail.startswith("the first 4 by fake/shared-words, in ")
    turned = query(reranked(opened, Backwards(), candidates=4), replace(PLAIN, explain=True))
    assert "1st of 4 by fake/shared-words (3.000), 4th before" in turned.passages[0].why
    assert query(opened, PLAIN).destinations == ()


@pytest.mark.parametrize(
    ("reranker", "seconds", "said"),
    [
        (SharedWords(error=ModelUnavailable("it is away", "Start it.")), SECONDS, "it is away"),
        (SharedWords(delay=20.0), 0.05, "not done within 0.05 s"),
    ],
)
def test_a_failure_leaves_the_order_and_says_so(
    opened: OpenProject, reranker: Reranker, seconds: float, said: str
) -> None:
    started = time.monotonic()
    result = query(reranked(opened, reranker, seconds=seconds), PLAIN)
    assert time.monotonic() - started < 15
    assert ids(result) == ids(query(opened, PLAIN))
    assert [passage.reranked for passage in result.passages] == [None] * 5
    (note,) = result.notes
    assert "the order is that of the search" in note
    assert said in note
    assert result.reranked is not None
    assert not result.reranked.done


def test_a_wrong_configuration_is_an_error(opened: OpenProject) -> None:
    with pytest.raises(ConfigError, match="no such model"):
        query(reranked(opened, SharedWords(error=ConfigError("no such model"))), PLAIN)


class Broken(SharedWords):
    """Has a fault of its own."""

    def score(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        raise ZeroDivisionError


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_is_not_taken_for_a_failure(opened: OpenProject) -> None:
    with pytest.raises(RuntimeError, match="ended without scores"):
        query(reranked(opened, Broken()), PLAIN)


def test_a_quotation_that_is_found_stays_first_and_sends_nothing(opened: OpenProject) -> None:
    reranker = SharedWords()
    request = QueryRequest(text="Plot 2 of wheat was measured for winter rye.")
    result = query(reranked(opened, reranker), request)
    assert result.passages[0].verbatim
    assert (reranker.asked, result.reranked) == ([], None)


def test_one_passage_is_in_order_already(opened: OpenProject) -> None:
    reranker = SharedWords()
    query(reranked(opened, reranker, candidates=1), PLAIN)
    assert reranker.asked == []


def test_an_answer_names_the_service_and_similarity_is_not_reranked() -> None:
    asked = project()
    reranker = SharedWords(destination="ranks.example")
    plain = ask_of(asked)
    opened = reranked(open_project(asked), reranker)
    judge = JudgeRelevance(project=opened, calibrations=InMemoryCalibrations())
    answer = replace(plain, project=opened, judge=judge)(
        AskRequest(text="When was winter rye sown?")
    )
    assert answer.destinations == ("ranks.example",)
    assert len(reranker.asked) == 1


def evaluated(opened: OpenProject, modes: tuple[Mode, ...] = (Mode.HYBRID,)) -> EvaluationRun:
    evidence = (RelevanceJudgement(work="rye2001", page=3),)
    questions = (
        Question(id="rye", kind="easy", text=QUESTION, evidence=evidence),
        Question(id="king", kind="unanswerable", text="Who was the king of spades?"),
    )
    evaluate = Evaluate(
        project=opened, measures=FormulaMeasures(), events=shown_by(RecordedProgress()), versions={}
    )
    return evaluate(EvaluationRequest(name="q", questions=questions, modes=modes, k=3))


def test_an_evaluation_says_what_a_reranker_gains_and_costs(opened: OpenProject) -> None:
    plain = evaluated(opened)
    run = evaluated(reranked(opened, Backwards(destination="ranks.example")))
    assert run.reranked is not None
    assert run.reranked.without == plain.modes
    assert (run.reranked.model, run.reranked.sent_to) == ("fake/shared-words", "ranks.example")
    (cost,) = run.reranked.costs
    assert (cost.questions, cost.unchanged, cost.passages) == (2, 0, 10)
    (mode,) = gain(run)
    assert {found.measure: found.after for found in mode.differences} == dict(
        run.modes[0].overall.means
    )
    assert run.provenance.models["reranker"] == "fake/shared-words"
    assert (plain.reranked, gain(plain)) == (None, ())


def test_an_evaluation_ends_where_there_is_no_reranker(opened: OpenProject) -> None:
    with pytest.raises(ModelUnavailable, match="it is away"):
        evaluated(reranked(opened, SharedWords(error=ModelUnavailable("it is away"))))
    late = evaluated(reranked(opened, SharedWords(delay=0.05), seconds=0.01))
    assert late.reranked is not None
    assert [cost.unchanged for cost in late.reranked.costs] == [2]
    assert late.modes == late.reranked.without
