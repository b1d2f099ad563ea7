"""Highlights with comments as questions: which they are, and what is found for each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.evaluate.highlights import highlight_request
from citeloom.application.evaluate.ranking import Evaluate, EvaluationRequest
from citeloom.application.events import no_reader
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.errors import NotFound
from citeloom.domain.evaluation.measures import EvaluationRun, RelevanceJudgement
from citeloom.domain.policies import Mode
from citeloom.domain.zotero.items import ZoteroAnnotation, ZoteroNote, ZoteroTag
from tests.fakes.annotation_notes import quoted
from tests.fakes.ranking_measures import FormulaMeasures
from tests.fakes.zotero_contents import OWN
from tests.unit.application.library import open_project
from tests.unit.application.test_zotero_marks import BOTH, annotated
from tests.unit.application.zotero_project import ZoteroProject


def marked(*highlights: ZoteroAnnotation, note: ZoteroNote | None = None) -> ZoteroProject:
    project = annotated()
    notes = (note,) if note else ()
    project.content = replace(project.content, annotations=highlights, notes=notes)
    project.ingest(BOTH)
    return project


def highlight(key: str, number: int, comment: str, **fields: object) -> ZoteroAnnotation:
    """A highlight on the first page of the first work."""
    mark = replace(
        annotated().content.annotations[0],
        key=key,
        text=f"Plot {number} of wheat was measured for rainfall.",
        comment=comment,
        page_index=0,
        page_label="",
        tags=(),
    )
    return replace(mark, **fields)  # type: ignore[arg-type]


def asked(project: ZoteroProject) -> EvaluationRequest:
    return highlight_request(open_project(project.library), modes=(Mode.HYBRID,), k=5)


def evaluated(project: ZoteroProject, request: EvaluationRequest) -> EvaluationRun:
    evaluate = Evaluate(
        project=open_project(project.library),
        measures=FormulaMeasures(),
        events=no_reader,
        versions={},
    )
    return evaluate(request)


def test_a_comment_is_a_question_and_the_highlight_its_evidence() -> None:
    project = marked(
        highlight("HHHHAAA2", 1, "How was rain measured?", tags=(ZoteroTag(name="claim"),)),
        highlight("HHHHAAA3", 2, ""),
        highlight("HHHHAAA4", 3, "!?", color="#ff6666"),
    )
    request = asked(project)
    (question,) = request.questions
    assert (question.id, question.kind) == ("HHHHAAA2", "yellow")
    assert question.text == "How was rain measured?"
    assert question.quotations == ("Plot 1 of wheat was measured for rainfall.",)
    assert question.evidence == (RelevanceJudgement(work=project.item(0).citekey, page=1),)
    assert request.groups == {"HHHHAAA2": ("tag claim",)}
    assert request.name == "highlights with a comment, 1 of 3"


def test_the_highlight_itself_is_not_found_for_its_question() -> None:
    comment = "Plot 1 of wheat was measured for rainfall."
    project = marked(highlight("HHHHAAA2", 1, comment), highlight("HHHHAAA3", 2, ""))
    request = asked(project)
    (own,) = request.left_out.values()
    whole = evaluated(project, replace(request, left_out={}))
    without = evaluated(project, request)
    before, after = (
        {place.chunk_id for place in run.modes[0].answers[0].places} for run in (whole, without)
    )
    assert own <= before
    assert not own & after
    assert before - own <= after
    assert without.modes[0].overall.means["text hit@5"] == 1.0


def test_a_note_that_repeats_an_annotation_is_left_out_with_it() -> None:
    note = ZoteroNote(
        library=OWN,
        key="NNNNAAA2",
        parent=annotated().item(0).key,
        html=quoted(
            "Plot 1 of wheat was measured for rainfall.",
            attachment="PDFAAAA2",
            work=annotated().item(0).key,
            label="1",
            annotation="HHHHAAA2",
            remark="Which gauge was read?",
        )
        + quoted(
            "Plot 3 of wheat was measured for rainfall.",
            attachment="PDFAAAA2",
            work=annotated().item(0).key,
            label="1",
            remark="And the third plot?",
        ),
    )
    project = marked(highlight("HHHHAAA2", 1, "How was rain measured?"), note=note)
    request = asked(project)
    assert {question.text for question in request.questions} == {
        "How was rain measured?",
        "And the third plot?",
    }
    assert {question.kind for question in request.questions} == {"yellow"}
    remark = next(
        stored.chunk.id
        for stored in project.library.stored().values()
        if stored.chunk.text == "Which gauge was read?"
    )
    assert remark in request.left_out["HHHHAAA2"]
    by_kind = evaluated(project, request).modes[0].by_kind
    assert by_kind == {}  # one kind alone says what all say


def test_figures_are_by_colour_and_by_tag() -> None:
    claim = (ZoteroTag(name="claim"), ZoteroTag(name="method"))
    project = marked(
        highlight("HHHHAAA2", 1, "How was rain measured?", tags=claim),
        highlight("HHHHAAA3", 2, "What of the second plot?", color="#ff6666", tags=claim[:1]),
        highlight("HHHHAAA4", 3, "And of the third?", color="#123456"),
    )
    by_kind = evaluated(project, asked(project)).modes[0].by_kind
    assert {kind: summary.questions for kind, summary in by_kind.items()} == {
        "#123456": 1,
        "red": 1,
        "tag claim": 2,
        "tag method": 1,
        "yellow": 1,
    }


def test_a_long_comment_is_one_question_though_it_has_passages_of_its_own() -> None:
    comment = " ".join(f"Was plot {n} measured as it should be?" for n in range(40))
    project = marked(highlight("HHHHAAA2", 1, comment))
    (question,) = asked(project).questions
    assert question.text.split() == comment.split()
    assert len(asked(project).left_out["HHHHAAA2"]) > 1


def test_without_a_comment_there_is_nothing_to_ask() -> None:
    project = marked(highlight("HHHHAAA2", 1, ""))
    with pytest.raises(NotFound, match="no highlight with a comment"):
        asked(project)
    assert project.sync(IngestRequest()).unchanged
