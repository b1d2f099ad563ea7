"""What the report of an ingest says, and how the process ends after it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import typer

from citeloom.application.reports import (
    CalibrationOutcome,
    ChunkCounts,
    ChunkingInForce,
    DocumentFailure,
    DocumentOutcome,
    OutcomeState,
)
from citeloom.domain.answers.relevance import Thresholds
from citeloom.domain.chunks.place_chunks import NoisyPart
from citeloom.domain.policies import StrategyName
from citeloom.domain.references.evidence import MatchConflict
from citeloom.domain.references.reference_matcher import ReferenceCandidate, ReferenceMatch
from citeloom.infrastructure.answers.ingests import IngestAnswer
from citeloom.infrastructure.interfaces.cli.ingest_commands import print_report, summary
from citeloom.infrastructure.interfaces.error_codes import SOME_FAILED
from tests.described import as_json
from tests.fakes.ingest_reports import failed, indexed, reported


def failures(code: str, number: int) -> list[DocumentFailure]:
    return [
        DocumentFailure(path=f"{code.lower()}{n}.pdf", code=code, message="no", hint="do")
        for n in range(number)
    ]


def test_failures_are_grouped_by_code_and_the_first_few_named() -> None:
    run_report = reported(failed([*failures("EMPTY_DOCUMENT", 5), *failures("TIMEOUT", 1)]))
    lines = summary(run_report).splitlines()
    assert "failed: 6" in lines
    assert "  EMPTY_DOCUMENT: 5" in lines
    assert sum("empty_document" in line for line in lines) == 3
    assert "  … and 2 more; --json has all" in lines
    assert "  timeout0.pdf  TIMEOUT: no" in lines
    assert "  TIMEOUT: 1" not in lines


def test_how_documents_were_divided_is_told_where_it_is_a_choice() -> None:
    in_force = ChunkingInForce(
        strategy=StrategyName.HEADINGS,
        max_tokens=256,
        target_tokens=None,
        token_count_estimated=False,
    )
    assert "strategy" not in summary(reported(indexed("a.md", chunking=in_force)))
    sections = replace(
        in_force,
        strategy=StrategyName.SECTIONS,
        target_tokens=(153, 256),
        token_count_estimated=True,
    )
    split = ChunkCounts(split_count=2)
    lines = summary(reported(indexed("a.md", chunking=sections, chunks=split))).splitlines()
    assert (
        "strategy sections: chunks of at most 256 tokens, targeting 153 to 256; "
        "2 divided because they were longer"
    ) in lines
    assert "token counts are estimates: the model's tokenizer is not available" in lines
    lessons = ChunkCounts(chunks_by_type={"structural": 2, "code_heavy": 1}, enriched_count=1)
    by_lesson = replace(in_force, strategy=StrategyName.LESSONS)
    run_report = reported(indexed("a.md", chunking=by_lesson, chunks=lessons))
    assert "types: 2 structural, 1 code heavy; 1 enriched with context" in summary(run_report)
    assert as_json(IngestAnswer.of(run_report))["chunking"] == {
        "strategy": "lessons",
        "max_tokens": 256,
        "target_tokens": None,
        "token_count_estimated": False,
    }


def test_languages_that_the_model_does_not_read_are_named() -> None:
    outcomes = indexed("a.md", "b.md", unread_language="ru") | indexed("c.md", unread_language="de")
    run_report = reported(outcomes | indexed("d.md"), models={"dense": "m"})
    told = "2 documents in Cyrillic script, 1 in German: m was trained on English. "
    assert told in summary(run_report)
    assert as_json(IngestAnswer.of(run_report))["unread_languages"] == {"ru": 2, "de": 1}
    assert "trained on" not in summary(reported(indexed("d.md")))


def test_counts_agree_in_number() -> None:
    copy = DocumentOutcome(state=OutcomeState.DUPLICATE, same_as="a.md")
    run_report = reported({"b.md": copy}, found=1, ignored=1)
    assert summary(run_report).splitlines()[0].endswith("0 failed, 1 duplicate, 1 of other kinds")


def test_what_failed_before_is_one_line() -> None:
    before = [*failures("EMPTY_DOCUMENT", 30), *failures("TIMEOUT", 2)]
    run_report = reported(failed(before, OutcomeState.FAILED_BEFORE), found=32)
    first, second = summary(run_report).splitlines()
    assert first.endswith("0 failed, 32 failed before")
    assert second == (
        "32 failed before, unchanged (30 EMPTY_DOCUMENT, 2 TIMEOUT); "
        "--retry-failed tries them again"
    )


def test_what_failed_before_ends_well_unless_strict() -> None:
    run_report = reported(failed(failures("TIMEOUT", 1), OutcomeState.FAILED_BEFORE))
    print_report(run_report, as_json=False)
    with pytest.raises(typer.Exit) as ended:
        print_report(run_report, as_json=False, strict=True)
    assert ended.value.exit_code == SOME_FAILED


def near(citekey: str, score: float, objection: MatchConflict) -> ReferenceCandidate:
    return ReferenceCandidate(citekey=citekey, title="Rye", score=score, objection=objection)


def test_each_candidate_that_was_not_taken_is_explained() -> None:
    candidates = (
        near("both2019", 1.0, MatchConflict.EQUAL),
        near("both2020", 1.0, MatchConflict.EQUAL),
        near("far1999", 0.61, MatchConflict.DISTANT),
    )
    run_report = reported(
        {
            "a.pdf": DocumentOutcome(match=ReferenceMatch(candidates=candidates)),
            "b.pdf": DocumentOutcome(match=ReferenceMatch()),
        }
    )
    lines = summary(run_report).splitlines()
    assert lines[lines.index("  a.pdf  no reference") :] == [
        "  a.pdf  no reference",
        "    not both2019 (1.00), both2020 (1.00): another reference fits as well",
        "    not far1999 (0.61): the titles differ",
        "  1 document without a similar reference: b.pdf",
        "  `citeloom match` offers the nearest references for each",
    ]


@pytest.mark.parametrize("objection", MatchConflict)
def test_every_objection_has_words(objection: MatchConflict) -> None:
    match = ReferenceMatch(candidates=(near("x", 0.5, objection),))
    run_report = reported({"a.pdf": DocumentOutcome(match=match)})
    assert "    not x (0.50): " in summary(run_report)


def test_documents_that_lost_their_reference_are_named_and_not_called_unchanged() -> None:
    updated = DocumentOutcome(state=OutcomeState.UPDATED, cites_anew=True)
    lost = replace(updated, lost_citekey="rye2001")
    run_report = reported({"a.pdf": lost, "b.pdf": updated})
    lines = summary(run_report).splitlines()
    assert lines[0].endswith("1 with a new reference, 1 without the reference they had")
    assert "  a.pdf  was @rye2001" in lines


def test_remarks_on_references_are_shown() -> None:
    run_report = reported(
        reference_diagnostics=("Reference 'x' has no year.",), other_reference_diagnostics=14
    )
    assert summary(run_report).splitlines()[-3:] == [
        "remarks on references: 1",
        "  Reference 'x' has no year.",
        "remarks on references of no document of this run: 14; see citeloom validate",
    ]


def test_an_index_that_is_not_optimised_is_told_with_the_reason() -> None:
    run_report = reported(not_optimized="the disk has no room for a copy")
    assert summary(run_report).splitlines()[-1] == (
        "everything is stored, but the index is not optimised, so it opens and answers more slowly "
        "until the next documents are ingested: the disk has no room for a copy"
    )


def test_documents_of_a_project_without_references_are_one_line() -> None:
    without = DocumentOutcome(match=ReferenceMatch())
    run_report = reported({f"{n}.md": without for n in range(40)}, without_references=True)
    about = [line for line in summary(run_report).splitlines() if "reference" in line]
    assert about == ["no references are configured: 40 documents cited by path"]


def test_doubtful_tables_are_counted_and_their_pages_left_to_json() -> None:
    note = "a table on pages 3, 5 is doubtful: its words do not fit its columns"
    noted = DocumentOutcome(notes=(note, "page 2 was turned"))
    run_report = reported({f"{n}.pdf": noted for n in range(5)})
    lines = summary(run_report).splitlines()
    assert sum("page 2 was turned" in line for line in lines) == 5
    (tables,) = (line for line in lines if "doubtful" in line)
    assert "in 5 documents: 0.pdf, 1.pdf, 2.pdf, …; compare before you cite" in tables
    assert as_json(IngestAnswer.of(run_report))["notes"]["4.pdf"][0] == note


def test_sections_left_out_as_noise_are_named_ten_of_them() -> None:
    part = NoisyPart(section_path=("A", "B"), page=None, characters=9, signal_to_noise=0.1)
    first = replace(part, section_path=(), page=7)
    counts = ChunkCounts(filtered={"low_signal_to_noise": 1})
    outcomes = indexed("a.pdf", chunks=counts, noisy=(first,))
    names = (f"{n}.md" for n in range(11))
    run_report = reported(outcomes | indexed(*names, chunks=counts, noisy=(part,)))
    lines = summary(run_report).splitlines()
    start = lines.index("left out as noise: 12 parts of sections")
    assert lines[start + 1] == "  a.pdf  p. 7  before the first heading"
    assert lines[start + 2] == "  0.md  A > B"
    assert lines[start + 11] == "  … and 2 more; --json has all"


def test_the_json_has_the_keys_that_are_described_in_that_order() -> None:
    assert [*as_json(IngestAnswer.of(reported()))] == [*IngestAnswer.FIELDS]


def test_a_calibration_is_told_and_why_there_is_none() -> None:
    limits = Thresholds(related=0.5, answered=0.84)
    done = CalibrationOutcome(chunks=2_762, seconds=7.26, thresholds=limits)
    told = summary(replace(reported(indexed("a.md")), calibration=done))
    assert "calibrated on 2762 chunks in 7.3 s: a question is related from 0.50" in told
    small = CalibrationOutcome(chunks=3, reason="only 3 sentences")
    assert "not calibrated" in summary(replace(reported(indexed("a.md")), calibration=small))
    assert "calibrated" not in summary(replace(reported(), calibration=small))
