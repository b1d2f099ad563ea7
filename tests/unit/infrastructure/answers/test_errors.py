from __future__ import annotations

import pytest

from citeloom.domain.errors import PathNotAllowed
from citeloom.infrastructure.answers.ingests import ErrorEntry, hint_for_clients
from tests.described import as_json


def test_an_error_has_code_message_hint_and_correlation_id() -> None:
    assert as_json(ErrorEntry.of(PathNotAllowed("no", "another"), "abc")) == {
        "code": "PATH_NOT_ALLOWED",
        "message": "no",
        "hint": "another",
        "correlation_id": "abc",
    }


def test_of_a_fault_nothing_is_told_but_that_it_happened() -> None:
    fields = as_json(ErrorEntry.of(KeyError("/home/me/secret"), "abc"))
    assert fields["code"] == "FAILURE"
    assert "secret" not in str(fields)


@pytest.mark.parametrize(
    ("hint", "for_clients"),
    [
        ("Name one with --project: a, b", "Name one with project: a, b"),
        ("Use --mode dense.", "Use mode dense."),
        ("Fewer passages (--top-k), or another.", "Fewer passages (top_k), or another."),
        (
            "Use --mode dense, or rebuild: citeloom ingest --project a --rebuild",
            "Use mode dense, or rebuild: citeloom ingest --project a --rebuild. "
            "The command is for whoever runs the server.",
        ),
        (
            "Run `citeloom ingest --force`.",
            "Run `citeloom ingest --force`. The command is for whoever runs the server.",
        ),
        (
            "Try again, or wait with --wait.",
            "Try again, or wait with --wait. The command is for whoever runs the server.",
        ),
        ("Try again in a moment.", "Try again in a moment."),
        ("", ""),
    ],
)
def test_a_hint_for_clients_names_parameters_and_says_whose_the_commands_are(
    hint: str, for_clients: str
) -> None:
    assert hint_for_clients(hint) == for_clients
