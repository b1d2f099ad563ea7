"""Numbers and negations, support, thresholds, calibration, the choice of sentences, figures."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.answers.answer import (
    Answer,
    AnswerStatus,
    Citation,
    Fault,
    Sentence,
    all_faults,
)
from citeloom.domain.answers.calibration import (
    UNRELATED_QUESTIONS,
    Measured,
    Samples,
    calibrate,
    quantile,
    question_of_name,
    question_of_words,
    thresholds_of,
)
from citeloom.domain.answers.evaluation import answered_question, evaluation_of
from citeloom.domain.answers.messages import AnswerLanguage
from citeloom.domain.answers.relevance import (
    UNCALIBRATED,
    Relevance,
    Thresholds,
    Verdict,
    judge,
)
from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.evaluation.measures import Question, RelevanceJudgement
from citeloom.domain.evaluation.significance import Interval, Rate
from citeloom.domain.project import Collection
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import Passage, StoredChunk
from citeloom.domain.retrieval.words import WordCoverage
from citeloom.domain.text.near import negations, numbers
from citeloom.domain.text.verbatim import content_share

TEXT = "Rye was sown late. It was cut early. Oats failed."
CHUNK = Chunk(
    id="c1",
    doc_id="d1",
    text=TEXT,
    page_span=(3, 4),
    page_starts=(19,),
    chunk_idx=0,
    token_count=12,
    signal_to_noise=1.0,
)
STORED = StoredChunk(
    project_id="lab/p",
    chunk=CHUNK,
    source_path="a.pdf",
    citation=CitationMeta(citekey="rye2001", title="Winter rye"),
)
LIMITS = Thresholds(related=0.5, answered=0.8, unknown_share=0.3)
KNOWN = WordCoverage(weights={"rye": 2.0})
HALF = WordCoverage(weights={"rye": 2.0, "oats": 2.0}, missing=frozenset({"oats"}))
STRANGE = WordCoverage(
    weights={"rye": 1.0, "Zeppelin": 3.0},
    unknown=frozenset({"Zeppelin"}),
    missing=frozenset({"Zeppelin"}),
)
APART = WordCoverage(weights={"rye": 2.0, "oats": 2.0}, lacking=frozenset({"oats"}))
NONE = WordCoverage(weights={"oats": 2.0}, missing=frozenset({"oats"}))
WHOLE = Collection(
    name="proj-lab", project_id="lab/p", generation="g1", dense_model="m", dimension=3
)


def relevance(verdict: Verdict = Verdict.ANSWERED) -> Relevance:
    return Relevance(
        verdict=verdict, similarity=0.5, thresholds=LIMITS, calibrated=True, wording=KNOWN
    )


def cited(start: int, end: int) -> Citation:
    return Citation(stored=STORED, start=start, end=end)


def answer(*sentences: Sentence, verdict: Verdict = Verdict.ANSWERED) -> Answer:
    return Answer(
        project="lab/p",
        question="When was rye sown?",
        method="extractive",
        relevance=relevance(verdict),
        sentences=sentences,
        claimed_quotes=len(sentences),
        passages=(Passage(stored=STORED, score=1.0, text=TEXT),),
        duration_ms=12.0,
    )


FIRST = Sentence(text="Rye was sown late.", citations=(cited(0, 18),), shown=True)
SECOND = Sentence(text="It was cut early.", citations=(cited(19, 36), cited(0, 18)), shown=True)
FAILED = Sentence(text="Rye flew.", faults=(Fault.NOT_IN_PASSAGE,))


def test_numbers_are_read_with_their_signs_and_powers() -> None:
    assert set(numbers("at 3.5 V, -2 degrees, 10² m, 1,000 and twelve")) == {
        "3.5",
        "-2",
        "10",
        "²",
        "1.000",
        "twelve",
    }


def test_negations_are_known_in_three_languages() -> None:
    assert negations("It can't, cannot, did not")["not"] == 3
    assert negations("Es war nicht kein Fehler") == {"nicht": 1, "kein": 1}
    assert negations("não foi nunca") == {"não": 1, "nunca": 1}
    assert not negations("nothing-like words: noted, knot, annotate".replace("nothing-", ""))


def test_a_sentence_is_supported_by_the_words_of_its_quotes() -> None:
    quote = "The collars doubled the life of summer deployments"
    assert content_share("Collars doubled summer deployment life.", [quote]) == 1.0
    assert content_share("Barnacles settled there.", [quote]) == 0.0
    assert content_share("It was so.", [quote]) == 1.0


@pytest.mark.parametrize(
    ("similarity", "wording", "verdict"),
    [
        (0.3, KNOWN, Verdict.ANSWERED),
        (0.29, KNOWN, Verdict.RELATED),
        (0.55, HALF, Verdict.ANSWERED),
        (0.54, HALF, Verdict.RELATED),
        (0.55, APART, Verdict.ANSWERED),
        (0.54, APART, Verdict.RELATED),
        (0.55, replace(APART, uncounted=("sheep",)), Verdict.RELATED),
        (0.55, replace(APART, figures=("2016",)), Verdict.RELATED),
        (0.0, APART, Verdict.RELATED),
        (0.7, STRANGE, Verdict.RELATED),
        (0.3, STRANGE, Verdict.NOTHING),
        (0.49, NONE, Verdict.NOTHING),
        (0.0, KNOWN, Verdict.RELATED),
        (0.49, WordCoverage(weights={}), Verdict.NOTHING),
        (0.5, WordCoverage(weights={}), Verdict.RELATED),
        (None, KNOWN, Verdict.NOTHING),
    ],
)
def test_a_verdict_rests_on_similarity_and_coverage(
    similarity: float | None, wording: WordCoverage, verdict: Verdict
) -> None:
    judged = judge(similarity, wording, LIMITS, calibrated=True)
    assert judged.verdict is verdict
    assert bool(judged.reasons) == (verdict is not Verdict.ANSWERED)


def test_verdicts_are_read_by_the_names_they_had() -> None:
    assert Verdict("weak_evidence") is Verdict.RELATED
    assert Verdict("not_about_this_library") is Verdict.NOTHING
    with pytest.raises(ValueError, match="perhaps"):
        Verdict("perhaps")


def test_passages_of_the_same_work_speak_for_an_answer_in_a_calibrated_library() -> None:
    limits = replace(LIMITS, answered=0.95, work_weight=0.3)
    for share, verdict in ((0.5, Verdict.ANSWERED), (0.4, Verdict.RELATED)):
        wording = replace(APART, work_share=share)
        judged = judge(0.56, wording, limits, calibrated=True)
        assert judged.verdict is verdict
        assert judged.evidence_in_one == pytest.approx(0.56 + 0.25 + 0.3 * share)
        assert judge(0.56, wording, LIMITS, calibrated=False).evidence_in_one == pytest.approx(0.81)
    (reason,) = judged.reasons
    assert "40% of the passages from its work" in reason


@pytest.mark.parametrize("language", AnswerLanguage)
def test_reasons_are_in_the_projects_language(language: AnswerLanguage) -> None:
    others = [one for one in AnswerLanguage if one is not language]
    uncounted = replace(APART, uncounted=("sheep",))
    for similarity, wording in (
        (0.2, HALF),
        (0.4, APART),
        (0.9, STRANGE),
        (0.9, uncounted),
        (0.9, replace(APART, figures=("2016",))),
        (None, KNOWN),
    ):
        told = judge(similarity, wording, LIMITS, calibrated=True, language=language).reasons
        assert told
        assert "{" not in told[0]
        for other in others:
            assert (
                judge(similarity, wording, LIMITS, calibrated=True, language=other).reasons != told
            )


def test_what_is_absent_is_told_with_names_first() -> None:
    wording = WordCoverage(
        weights={"rye": 1.0, "sown": 5.0, "Ohm": 2.0, "here": 1.0},
        unknown=frozenset({"sown"}),
        missing=frozenset({"Ohm", "rye", "sown"}),
        names=frozenset({"Ohm"}),
    )
    assert wording.absent() == ("Ohm", "sown", "rye")
    assert wording.coverage == pytest.approx(1 / 9)
    assert wording.unknown_share == pytest.approx(5 / 9)
    assert WordCoverage(weights={}).coverage == 1.0


@pytest.mark.parametrize(("related", "answered", "unknown"), [(0.5, 0.4, 0.1), (0, 0.1, 1.1)])
def test_impossible_thresholds_are_refused(related: float, answered: float, unknown: float) -> None:
    with pytest.raises(ValueError, match=r"thresholds|unknown_share"):
        Thresholds(related=related, answered=answered, unknown_share=unknown)


def measured(*values: float, wording: WordCoverage = NONE) -> tuple[Measured, ...]:
    return tuple(Measured(value, wording) for value in values)


SAMPLES = Samples(
    unrelated={
        "opera": measured(0.1, 0.12),
        "cooking": measured(0.8, 0.85),
        "sailing": measured(0.14, 0.2),
    },
    present=measured(0.5, 0.6, 0.7, 0.55, wording=KNOWN),
    short=measured(0.3, 0.4, wording=KNOWN),
    absent=measured(0.5, 0.6, 0.55, 0.4, wording=HALF),
)


def test_limits_pass_little_and_refuse_little() -> None:
    limits = thresholds_of(SAMPLES.kinds())
    assert limits.related == pytest.approx(0.2)
    assert limits.answered == pytest.approx(0.85)
    alone = thresholds_of({**SAMPLES.kinds(), "absent": ()})
    assert alone.answered == pytest.approx(0.5)


def test_a_sentence_that_another_document_repeats_is_not_absent() -> None:
    repeated = replace(SAMPLES, absent=(*SAMPLES.absent, *measured(0.95, 0.9, wording=KNOWN)))
    assert thresholds_of(repeated.kinds()) == thresholds_of(SAMPLES.kinds())
    apart = replace(SAMPLES, absent=(*SAMPLES.absent, *measured(0.7, wording=APART)))
    assert thresholds_of(apart.kinds()).answered == pytest.approx(0.95)


def test_where_there_is_one_work_its_share_is_expected_of_every_answer() -> None:
    nowhere_else = replace(SAMPLES, absent=())
    alone = replace(
        nowhere_else,
        present=measured(0.8, 0.9, wording=replace(KNOWN, work_share=1.0)),
    )
    apart = thresholds_of(nowhere_else.kinds())
    assert apart.answered == pytest.approx(apart.related + 0.3)
    assert thresholds_of(alone.kinds()).answered == pytest.approx(apart.related + 0.6)


def test_a_field_of_the_library_itself_is_left_out() -> None:
    made = calibrate(SAMPLES, WHOLE, 40, datetime(2026, 1, 2, tzinfo=UTC))
    assert made.related_fields == ("cooking",)
    assert made.verdicts["unrelated"].answered == Rate(0, 4)
    assert made.verdicts["present"].nothing == Rate(0, 4)
    assert {kind: each.related.of for kind, each in made.verdicts.items()} == {
        "unrelated": 4,
        "absent": 4,
        "present": 4,
        "short": 2,
    }
    assert made.fits(WHOLE)
    assert not made.fits(replace(WHOLE, generation="g2"))
    assert not made.fits(replace(WHOLE, dense_model="other"))
    assert made.drift(44) == pytest.approx(0.1)
    assert replace(made, chunks=0).drift(3) == 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0, 1))
def test_a_quantile_is_one_of_the_values(values: list[float], share: float) -> None:
    assert min(values) - 1e-4 <= quantile(values, share) <= max(values)


def test_questions_are_made_of_sentences() -> None:
    sentence = "The yield of the rye did not fall below four tonnes in any year of the Zeppelin."
    assert question_of_words(sentence) == "yield rye fall four tonnes year Zeppelin"
    assert question_of_name(sentence) == "What is Zeppelin?"
    assert question_of_name("Rye was sown.") is None
    assert len(question_of_words("alpha beta " * 40).split()) == 7


def test_unrelated_questions_are_of_many_fields_and_three_languages() -> None:
    assert len(UNRELATED_QUESTIONS) >= 12
    asked = [one for questions in UNRELATED_QUESTIONS.values() for one in questions]
    assert len(set(asked)) == len(asked) >= 100
    assert {len(questions) for questions in UNRELATED_QUESTIONS.values()} == {8}


def test_a_citation_names_the_page_of_its_own_words() -> None:
    assert cited(0, 18).citation == "[@rye2001, p. 3]"
    assert cited(19, 36).citation == "[@rye2001, p. 4]"
    assert cited(10, 30).citation == "[@rye2001, pp. 3-4]"
    assert cited(0, 18).quote == "Rye was sown late."


@pytest.mark.parametrize(
    ("made", "status", "share"),
    [
        (answer(FIRST), AnswerStatus.ANSWERED, 1.0),
        (replace(answer(FIRST), unverified=(FAILED,)), AnswerStatus.PARTIAL, 0.5),
        (answer(FIRST, verdict=Verdict.RELATED), AnswerStatus.PARTIAL, 1.0),
        (answer(), AnswerStatus.NOTHING_RELEVANT, None),
        (replace(answer(), unverified=(FAILED,)), AnswerStatus.NOTHING_RELEVANT, 0.0),
        (answer(verdict=Verdict.NOTHING), AnswerStatus.NOTHING_RELEVANT, None),
    ],
)
def test_the_status_says_what_an_answer_is_worth(
    made: Answer, status: AnswerStatus, share: float | None
) -> None:
    assert (made.status, made.share_verified) == (status, share)


def test_citations_are_numbered_once_in_the_order_of_the_sentences() -> None:
    made = answer(FIRST, SECOND)
    assert [one.quote for one in made.citations] == ["Rye was sown late.", "It was cut early."]
    assert made.text == "Rye was sown late. [1] It was cut early. [2][1]"
    assert all_faults([FAILED, FIRST]) == {Fault.NOT_IN_PASSAGE: 1}


def question(*evidence: RelevanceJudgement, quotations: tuple[str, ...] = ()) -> Question:
    return Question(id="q", kind="k", text="When?", evidence=evidence, quotations=quotations)


def test_the_figures_of_an_answer_count_pages_words_and_quotes() -> None:
    asked = question(
        RelevanceJudgement(work="rye2001", page=4),
        RelevanceJudgement(work="rye2001", page=9),
        quotations=("It was cut early. Oats",),
    )
    measured = answered_question(asked, answer(FIRST, SECOND)).figures
    assert measured == {
        "evidence page recall": 0.5,
        "evidence text hit": 0.0,
        "evidence page precision": 0.5,
        "quote-verified citation recall": 1.0,
        "quote-verified citation precision": 1.0,
    }
    twice = replace(FIRST, citations=(*FIRST.citations, cited(18, 36)))
    figures = answered_question(asked, replace(answer(twice), claimed_quotes=2)).figures
    assert figures["quote-verified citation precision"] == 0.5
    other = replace(asked, quotations=("and Rye was sown late. It",))
    assert answered_question(other, answer(FIRST)).figures["evidence text hit"] == 0.0
    longer = Sentence(text=TEXT, citations=(cited(0, 49),), shown=True)
    assert answered_question(asked, answer(longer)).figures["evidence text hit"] == 1.0


def test_a_refusal_counts_as_nothing_found() -> None:
    asked = question(RelevanceJudgement(work="rye2001"))
    refused = answered_question(asked, answer(verdict=Verdict.NOTHING))
    assert refused.figures == {"evidence page recall": 0.0}
    assert answered_question(question(), answer(FIRST)).figures == {}
    assert answered_question(asked, answer(FIRST)).figures["evidence page recall"] == 1.0


def test_an_evaluation_parts_answerable_from_unanswerable_questions() -> None:
    right = answered_question(question(RelevanceJudgement(work="rye2001", page=3)), answer(FIRST))
    near = answered_question(replace(question(), kind="near"), answer(verdict=Verdict.NOTHING))
    weak = replace(near, verdict=Verdict.RELATED, duration_ms=40.0)
    made = evaluation_of("set", [answer(FIRST)], [right, near, weak], seed=1)
    assert made.means["evidence page recall"] == 1.0
    assert made.answerable.answered == Rate(1, 1)
    assert (made.unanswerable.nothing, made.unanswerable.related) == (Rate(1, 2), Rate(1, 2))
    assert set(made.by_kind) == {"k", "near"}
    assert made.latency.median == 12.0
    assert made.calibrated


def test_a_rate_has_wilsons_interval() -> None:
    bounds = Rate(0, 78).interval
    assert bounds.low == 0.0
    assert bounds.high == pytest.approx(0.047, abs=0.001)
    assert Rate(0, 0).share is None
    assert Rate(0, 0).interval == Interval(0.0, 1.0)
    assert Rate(5, 10).interval.low == pytest.approx(0.2366, abs=1e-3)
    with pytest.raises(ValueError, match="no rate"):
        Rate(3, 2)


def test_without_calibration_half_the_words_and_some_similarity_are_related() -> None:
    assert judge(0.3, HALF, UNCALIBRATED, calibrated=False).verdict is Verdict.RELATED
