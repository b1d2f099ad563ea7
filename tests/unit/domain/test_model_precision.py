from __future__ import annotations

import pytest

from citeloom.domain.policies import DEFAULT_DENSE_MODEL as MODEL
from citeloom.domain.project import published_name, quantised_name


@pytest.mark.parametrize("name", [MODEL, f"{MODEL}:int8"])
def test_both_precisions_are_of_one_published_model(name: str) -> None:
    assert quantised_name(name) == f"{MODEL}:int8"
    assert published_name(name) == MODEL


def test_only_the_default_model_has_a_quantised_form() -> None:
    with pytest.raises(ValueError, match="not BAAI/bge-small"):
        quantised_name("BAAI/bge-small-en-v1.5")
