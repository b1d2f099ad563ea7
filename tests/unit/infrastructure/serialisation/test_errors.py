from __future__ import annotations

from citeloom.domain.errors import PathNotAllowed
from citeloom.infrastructure.serialisation.errors import error_json


def test_an_error_has_code_message_hint_and_correlation_id() -> None:
    assert error_json(PathNotAllowed("no", "another"), "abc") == {
        "code": "PATH_NOT_ALLOWED",
        "message": "no",
        "hint": "another",
        "correlation_id": "abc",
    }


def test_of_a_fault_nothing_is_told_but_that_it_happened() -> None:
    told = error_json(KeyError("/home/me/secret"), "abc")
    assert told["code"] == "FAILURE"
    assert "secret" not in str(told)
