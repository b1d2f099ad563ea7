"""A reader's decisions on the checks of a draft: kept, found again, outdated, never lost."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from citeloom.application.manuscript.decisions import (
    LONGEST_NOTE,
    MOST_DECISIONS,
    Decision,
    Decisions,
    decided,
    key_of,
)
from citeloom.domain.errors import ConfigError, InvalidFilter
from citeloom.domain.manuscript.draft import DraftLocation
from citeloom.domain.manuscript.verdicts import CitationCheck, CitationVerdict
from tests.fakes.clock import SetClock
from tests.fakes.decision_files import InMemoryDecisionFiles

DRAFT = Path("thesis.md")
QUOTE = "The reeds of the lake bend with every wind, and break with none"


def check(
    quote: str | None = QUOTE,
    *,
    citekey: str = "doe2020",
    page: str | None = "4",
    verdict: CitationVerdict = CitationVerdict.NEAR,
    line: int = 1,
) -> CitationCheck:
    place = DraftLocation(line * 10, line * 10 + 5, line, 1)
    return CitationCheck(place=place, citekey=citekey, quote=quote, page=page, verdict=verdict)


@pytest.fixture
def files() -> InMemoryDecisionFiles:
    return InMemoryDecisionFiles()


@pytest.fixture
def decisions(files: InMemoryDecisionFiles) -> Decisions:
    return Decisions(files=files, clock=SetClock())


def test_a_decision_is_kept_in_words_that_one_can_read(
    decisions: Decisions, files: InMemoryDecisionFiles
) -> None:
    assert decisions.of(DRAFT) == ()
    made = decisions.decide(DRAFT, check(), Decision.TO_MEND, " ask Ada ü ")
    kept = json.loads(files.texts[Path("thesis.md.citeloom.json")])
    assert kept["version"] == 1
    [entry] = kept["decisions"]
    assert entry.items() >= {
        ("quote", QUOTE),
        ("citekey", "doe2020"),
        ("page", "4"),
        ("verdict", "near"),
        ("decision", "to_mend"),
        ("note", "ask Ada ü"),
    }
    assert "ü" in files.texts[Path("thesis.md.citeloom.json")]
    assert decisions.of(DRAFT) == (made,)


def test_a_later_decision_on_the_same_words_takes_its_place(decisions: Decisions) -> None:
    decisions.decide(DRAFT, check(), Decision.TO_MEND)
    decisions.decide(DRAFT, check(None), Decision.ACCEPTED)
    decisions.decide(DRAFT, check(QUOTE.upper(), line=9), Decision.ACCEPTED, "as it is")
    assert [(one.quote is None, one.decision, one.note) for one in decisions.of(DRAFT)] == [
        (True, Decision.ACCEPTED, ""),
        (False, Decision.ACCEPTED, "as it is"),
    ]


def test_a_decision_is_taken_back(decisions: Decisions) -> None:
    decisions.decide(DRAFT, check(), Decision.ACCEPTED)
    decisions.forget(DRAFT, "0" * 12)
    assert len(decisions.of(DRAFT)) == 1
    decisions.forget(DRAFT, key_of(check()))
    assert decisions.of(DRAFT) == ()


def test_a_decision_survives_edits_elsewhere(decisions: Decisions) -> None:
    made = decisions.decide(DRAFT, check(line=3), Decision.ACCEPTED)
    moved = [check("Something new", line=2), check(line=40), check(line=41)]
    known = decided(moved, decisions.of(DRAFT))
    assert known.by_check == {1: made, 2: made}
    assert known.outdated == ()
    assert known.outdated_on(1) is None


@pytest.mark.parametrize(
    "changed",
    [
        check(QUOTE.replace("bend", "bow")),
        check(QUOTE + ", says the poet"),
        check("In truth " + QUOTE),
        check(page="5"),
        check(verdict=CitationVerdict.ABSENT),
    ],
    ids=["a word", "the end", "the beginning", "the page", "the verdict"],
)
def test_a_decision_on_what_has_changed_is_outdated_and_shown_there(
    decisions: Decisions, changed: CitationCheck
) -> None:
    made = decisions.decide(DRAFT, check(), Decision.ACCEPTED)
    other = check("Nothing of the kind is said of these reeds", line=2)
    known = decided([other, changed], decisions.of(DRAFT))
    assert known.by_check == {}
    assert known.outdated_on(1) == made
    assert known.outdated_on(0) is None


@pytest.mark.parametrize("now", [[], [check(citekey="roe2021")], [check(None)]])
def test_a_decision_on_what_is_gone_is_not_lost(
    decisions: Decisions, now: list[CitationCheck]
) -> None:
    made = decisions.decide(DRAFT, check(), Decision.ACCEPTED)
    known = decided(now, decisions.of(DRAFT))
    assert [(one.decision, one.check) for one in known.outdated] == [(made, None)]


def test_an_outdated_decision_is_not_of_a_check_that_has_its_own(decisions: Decisions) -> None:
    before = decisions.decide(DRAFT, check(), Decision.TO_MEND)
    now = check(QUOTE.replace("bend", "bow"))
    after = decisions.decide(DRAFT, now, Decision.ACCEPTED)
    known = decided([now], decisions.of(DRAFT))
    assert known.by_check == {0: after}
    assert [(one.decision, one.check) for one in known.outdated] == [(before, None)]


def test_a_citation_without_words_is_of_its_page(decisions: Decisions) -> None:
    made = decisions.decide(DRAFT, check(None, page="9"), Decision.ACCEPTED)
    known = decided([check(None, page="9"), check(None, page="10")], decisions.of(DRAFT))
    assert known.by_check == {0: made}


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[]",
        '{"version": 1}',
        '{"version": 2, "decisions": []}',
        '{"version": 1, "decisions": [1]}',
        '{"version": 1, "decisions": [{"citekey": "a", "verdict": "near", "decision": "maybe"}]}',
        '{"version": 1, "decisions": [{"citekey": 7, "verdict": "near", "decision": "accepted"}]}',
        '{"version": 1, "decisions": [{"citekey": "a", "verdict": "near", "decision": "accepted",'
        ' "quote": 1}]}',
    ],
)
def test_a_file_of_anything_else_is_never_overwritten(
    decisions: Decisions, files: InMemoryDecisionFiles, text: str
) -> None:
    files.texts[files.path(DRAFT)] = text
    with pytest.raises(ConfigError, match=r"thesis\.md\.citeloom\.json"):
        decisions.of(DRAFT)
    with pytest.raises(ConfigError):
        decisions.decide(DRAFT, check(), Decision.ACCEPTED)
    assert files.texts[files.path(DRAFT)] == text


def test_an_empty_file_holds_no_decision(
    decisions: Decisions, files: InMemoryDecisionFiles
) -> None:
    files.texts[files.path(DRAFT)] = "\n"
    assert decisions.of(DRAFT) == ()


def test_notes_and_decisions_are_bounded(
    decisions: Decisions, files: InMemoryDecisionFiles
) -> None:
    with pytest.raises(InvalidFilter, match="note"):
        decisions.decide(DRAFT, check(), Decision.ACCEPTED, "a" * (LONGEST_NOTE + 1))
    made = decisions.decide(DRAFT, check(), Decision.ACCEPTED)
    many = [{**asdict(made), "page": str(number)} for number in range(MOST_DECISIONS)]
    files.texts[files.path(DRAFT)] = json.dumps({"version": 1, "decisions": many})
    with pytest.raises(InvalidFilter, match="decisions"):
        decisions.decide(DRAFT, check("another"), Decision.ACCEPTED)
