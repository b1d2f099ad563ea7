"""Checks of drafts as text, JSON, JUnit XML and SARIF."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from citeloom.domain.manuscript.draft import DraftLocation
from citeloom.domain.manuscript.verdicts import (
    CitationCheck,
    CitationVerdict,
    DraftReport,
    FoundText,
    Reason,
)
from citeloom.domain.retrieval.locator import Locator
from citeloom.domain.text.near import Remark, WordChange
from citeloom.infrastructure.answers.draft_checks import (
    DraftChecks,
    checks_junit,
    checks_sarif,
    checks_text,
    explained,
    line_of,
)
from citeloom.infrastructure.answers.json import json_text
from tests.described import as_json, assert_described

PLACE = DraftLocation(120, 140, 7, 12)
FOUND = FoundText(
    citekey="roe2001",
    doc_id="d",
    chunk_id="c",
    locator=Locator(page_start=2, page_end=2, page_labels=("102",)),
    text="agree more",
)


def check(verdict: CitationVerdict, **fields: object) -> CitationCheck:
    given: dict[str, object] = {"citekey": "doe2020", "quote": "agree more", "page": "45"}
    return CitationCheck(place=PLACE, verdict=verdict, **(given | fields))  # type: ignore[arg-type]


EXACT = check(CitationVerdict.EXACT, found=FOUND)
NEAR = check(
    CitationVerdict.NEAR,
    found=FOUND,
    on_page=False,
    difference=(
        WordChange(quote="12", work="13", remarks=(Remark.NUMBER,)),
        WordChange(quote="", work="not", remarks=(Remark.NEGATION,)),
        WordChange(quote="very", work=""),
    ),
)
UNKNOWN = check(
    CitationVerdict.UNVERIFIABLE,
    quote=None,
    page=None,
    reason=Reason.UNKNOWN_CITEKEY,
    near_citekeys=("doe2021",),
)
REPORT = DraftReport(
    draft="thesis.md",
    checks=(EXACT, NEAR, UNKNOWN, check(CitationVerdict.UNVERIFIABLE, reason=Reason.TRANSLATION)),
    citations=4,
)


@pytest.mark.parametrize(
    ("one", "sentence"),
    [
        (EXACT, "the quotation stands in the work, on the cited page"),
        (
            NEAR,
            "“12” where the work has “13”, a number; the work has “not” here, too, a negation; "
            "“very” is not in the work (p. 102 (PDF page 2), which is not the cited page)",
        ),
        (check(CitationVerdict.WRONG_PAGE, found=FOUND), "it is on p. 102 (PDF page 2)"),
        (check(CitationVerdict.OTHER_WORK, found=FOUND), "it is in @roe2001, p. 102 (PDF page 2)"),
        (check(CitationVerdict.ABSENT), "the quotation stands in no work of the library"),
        (UNKNOWN, "no reference has this citekey; did you mean doe2021?"),
        (
            check(CitationVerdict.UNVERIFIABLE, retracted="2020-01-01"),
            "the work has been retracted (2020-01-01)",
        ),
    ],
)
def test_each_verdict_is_explained(one: CitationCheck, sentence: str) -> None:
    assert explained(one) == sentence


def test_text_is_a_line_for_what_is_not_right() -> None:
    lines = list(checks_text([REPORT]))
    assert lines[0].startswith("thesis.md:7:12: near: “agree more” [@doe2020, p. 45]: “12”")
    assert lines[1] == "    the work: “agree more”"
    assert lines[2].startswith("thesis.md:7:12: unverifiable: [@doe2020]: no reference")
    assert len(lines) == 4
    assert len(list(checks_text([REPORT], everything=True))) == 5


def test_json_has_each_check_and_the_counts() -> None:
    found = json.loads(json_text(as_json(DraftChecks.of([REPORT, REPORT]))))
    assert_described(found, DraftChecks)
    checks = found["checks"]
    assert checks[1]["difference"][0] == {"quote": "12", "work": "13", "remarks": ["number"]}
    assert checks[0]["found"]["page_span"] == [2, 2]
    assert checks[0]["content"] == "untrusted"
    assert (checks[2]["line"], checks[2]["column"], checks[2]["fails"]) == (7, 12, True)
    assert found["counts"] == {
        "exact": 2,
        "near": 2,
        "wrong_page": 0,
        "other_work": 0,
        "absent": 0,
        "unverifiable": 4,
    }
    assert found["passed"] is False


def test_junit_fails_where_the_gate_does() -> None:
    suites = ElementTree.fromstring(checks_junit([REPORT]))
    [suite] = suites
    assert (suite.get("tests"), suite.get("failures")) == ("5", "2")
    assert [[child.tag for child in case] for case in suite] == [
        [],
        ["failure"],
        ["failure"],
        ["skipped"],
        [],
    ]


def test_sarif_names_line_and_column() -> None:
    run = json.loads(json.dumps(checks_sarif([REPORT])))["runs"][0]
    assert [result["level"] for result in run["results"]] == ["error", "error", "note"]
    [place] = run["results"][0]["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "thesis.md"},
        "region": {"startLine": 7, "startColumn": 12},
    }
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} >= {"near", "absent"}


def test_a_work_that_no_reference_is_is_called_what_the_draft_says_of_it() -> None:
    unknown = check(
        CitationVerdict.UNVERIFIABLE, citekey="Poe 1999, Snow", reason=Reason.UNKNOWN_WORK
    )
    assert unknown.fails
    line = line_of("thesis.docx", unknown)
    assert line.endswith("[Poe 1999, Snow, p. 45]: no reference is this work")
