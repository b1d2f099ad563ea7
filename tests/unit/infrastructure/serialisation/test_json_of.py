"""The JSON of a value has the keys of its description, and nothing else."""

from __future__ import annotations

import pytest

from citeloom.domain.retrieval.words import QueryCoverage, Strength
from citeloom.infrastructure.serialisation.json import json_of
from citeloom.infrastructure.serialisation.schemas.passages import Fit, Rank

COVERAGE = QueryCoverage(value=0.1, strength=Strength.WEAK, reasons=("rye occurs nowhere",))


def test_keys_are_those_of_the_description_and_tuples_are_lists() -> None:
    made = json_of(Fit, COVERAGE)
    assert made == {"strength": "weak", "value": 0.1, "reasons": ["rye occurs nowhere"]}
    assert [*made] == [*Fit.__annotations__]


def test_others_go_before_what_the_value_has() -> None:
    assert json_of(Fit, COVERAGE, value=None)["value"] is None


def test_a_key_that_the_value_lacks_is_a_fault() -> None:
    with pytest.raises(AttributeError, match="rank"):
        json_of(Rank, COVERAGE)
