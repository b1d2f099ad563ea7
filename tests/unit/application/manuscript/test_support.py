"""What a project has in support of a draft's sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest
from typer import BadParameter

from citeloom.application.answering.relevance import JudgeRelevance
from citeloom.application.events import no_reader
from citeloom.application.manuscript.support import check_lines, support_draft
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.manuscript import SupportRequest
from citeloom.domain.answers.relevance import Thresholds
from citeloom.domain.errors import DeadlineExceeded, InvalidFilter
from citeloom.domain.manuscript.draft import Draft
from citeloom.domain.manuscript.sentence_support import Support, SupportReport
from citeloom.domain.text.near import Remark
from citeloom.infrastructure.interfaces.cli.support_commands import lines_of
from tests.fakes.calibration_store import InMemoryCalibrations
from tests.fakes.drafts import draft_of
from tests.unit.application.answering.project import ALWAYS, NEVER, calibrated, project
from tests.unit.application.library import open_project

CLOSE = "A copper collar kept the logger's window clean for a summer."
FALSE = "A copper collar never kept the window of the logger clean."
OTHERWISE = "Fouling on a logger was held off through the season by a ring of metal."
FAR = "Sopranos sang late operas in marble theatres."


def support_of(*sentences: str, thresholds: Thresholds = NEVER, **asked: object) -> SupportReport:
    library = project()
    calibrations = InMemoryCalibrations()
    calibrations.put(calibrated(library, thresholds))
    opened = open_project(library)
    request = SupportRequest(**asked)  # type: ignore[arg-type]
    judge = JudgeRelevance(project=opened, calibrations=calibrations)
    return support_draft(opened, draft_of(*sentences), request, judge=judge, events=no_reader)


def test_a_sentence_that_a_work_says_is_supported_with_its_words() -> None:
    [found] = support_of(CLOSE).sentences
    assert found.support is Support.SUPPORTED
    assert found.passages[0].supports
    assert found.passages[0].quote == (
        "A copper collar kept the window of the logger clean for a whole summer."
    )


def test_one_in_other_words_is_likely_where_passages_are_near() -> None:
    [found] = support_of(OTHERWISE, thresholds=ALWAYS).sentences
    assert found.support is Support.LIKELY
    assert not any(one.supports for one in found.passages)
    [none] = support_of(OTHERWISE).sentences
    assert none.support is Support.NOTHING


def test_a_sentence_longer_than_any_question_is_looked_for_by_its_beginning_and_named() -> None:
    endless = f"{CLOSE[:-1]} {'and so on ' * 500}."
    report = support_of(CLOSE, endless, thresholds=ALWAYS)
    assert report.sentences[-1].support is not Support.NOTHING
    [warning] = report.warnings
    assert warning.startswith("draft.md:2: a sentence of 5,")
    assert warning.endswith("characters, of which the first 4,000 are searched for")


@pytest.mark.parametrize(
    "altered",
    [
        FALSE,
        "A copper collar kept the window of the logger dirty for a whole summer.",
        "A silver Malvern collar kept the window of the logger clean for a whole summer.",
        "A copper collar kept the window of the logger clean for three whole summers.",
    ],
)
def test_a_copy_with_a_word_that_says_otherwise_is_only_related(altered: str) -> None:
    [found] = support_of(altered, thresholds=ALWAYS).sentences
    assert found.support is Support.RELATED


def test_the_words_are_named_that_the_passage_lacks() -> None:
    [found] = support_of(FALSE, thresholds=ALWAYS).sentences
    [change] = found.passages[0].difference
    assert (change.quote, change.remarks) == ("never", (Remark.NEGATION,))
    [said] = support_of(CLOSE, thresholds=ALWAYS, top_k=1).sentences
    assert said.passages[0].difference == ()


def test_passages_that_are_about_it_are_shown_as_such() -> None:
    between = replace(NEVER, related=-1.0)
    [found] = support_of(FALSE, thresholds=between).sentences
    assert found.support is Support.RELATED
    assert found.passages


def test_nothing_is_shown_where_nothing_is_near() -> None:
    [found] = support_of(FAR).sentences
    assert (found.support, found.passages) == (Support.NOTHING, ())


def test_a_work_with_a_reference_is_cited_by_the_page_of_the_sentence() -> None:
    [found] = support_of("Winter rye was sown in the last week of September.").sentences
    citation = found.passages[0].citation
    assert citation is not None
    assert citation.startswith("[@rye2001")


def test_claims_come_first_and_the_rest_only_when_asked_for() -> None:
    asked = ("How long does it last?", CLOSE)
    assert [one.sentence.text for one in support_of(*asked).sentences] == [CLOSE]
    both = support_of(*asked, every=True)
    assert [one.sentence.is_claim for one in both.sentences] == [True, False]
    assert both.counts == {"supported": 1, "likely": 0, "related": 0, "nothing": 1}


def test_chosen_lines_and_filters_are_kept_to() -> None:
    chosen = support_of(CLOSE, FAR, lines=(2,))
    assert [one.sentence.text for one in chosen.sentences] == [FAR]
    [filtered] = support_of(CLOSE, citekey="rye2001").sentences
    assert filtered.support is Support.NOTHING


def test_as_many_passages_as_asked_for() -> None:
    [found] = support_of(CLOSE, thresholds=ALWAYS, top_k=1).sentences
    assert len(found.passages) == 1


def test_it_can_be_ended() -> None:
    ended = Cancellation()
    ended.request()
    library = project()
    opened = open_project(library)
    judge = JudgeRelevance(project=opened, calibrations=InMemoryCalibrations())
    request = SupportRequest(cancellation=ended)
    with pytest.raises(DeadlineExceeded):
        support_draft(opened, draft_of(CLOSE), request, judge=judge, events=no_reader)


def test_lines_that_no_draft_has_are_an_error() -> None:
    drafts = [Draft(name="a.md", text="One.\nTwo.\n", paragraphs=())]
    check_lines(drafts, [2, 99])
    check_lines(drafts, [])
    with pytest.raises(InvalidFilter, match="no line 99: the longest draft has 2"):
        check_lines(drafts, [99])


@pytest.mark.parametrize("given", ["5-2", "0", "0-3", "a"])
def test_lines_that_are_none_are_an_error(given: str) -> None:
    with pytest.raises(BadParameter):
        lines_of([given])
    assert lines_of(["2-4", "7"]) == [2, 3, 4, 7]
