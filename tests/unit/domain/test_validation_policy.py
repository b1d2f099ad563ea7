"""The severities of checks, as a file of settings writes them."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from citeloom.domain.validation import Severity, ValidationPolicy

POLICY = TypeAdapter(ValidationPolicy)


def test_severities_are_read_from_a_list_or_a_text() -> None:
    several = POLICY.validate_python({"severity": ["headings=error", "sparse=off"]})
    assert several.severity == {"headings": Severity.ERROR, "sparse": Severity.OFF}
    alone = POLICY.validate_python({"severity": "headings=error"})
    assert alone.severity == {"headings": Severity.ERROR}


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (["headings"], "must be a check and its severity, such as headings=error, not headings"),
        ([3], "must be a check and its severity"),
        (["colour=error"], "must name one of the checks, not colour"),
    ],
)
def test_what_is_no_check_with_a_severity_is_refused(written: object, reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        POLICY.validate_python({"severity": written})
