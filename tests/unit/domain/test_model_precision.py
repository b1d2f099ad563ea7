from __future__ import annotations

import pytest

from citeloom.domain.model_precision import exact_model, published
from citeloom.domain.policies import DEFAULT_DENSE_MODEL as MODEL

INT8 = f"{MODEL}:int8"
OTHER = "BAAI/bge-small-en-v1.5"


@pytest.mark.parametrize(
    ("configured", "bound", "exact"),
    [
        (MODEL, None, INT8),
        (MODEL, MODEL, MODEL),
        (MODEL, INT8, INT8),
        (MODEL, OTHER, INT8),
        (f"{MODEL}:fp32", None, MODEL),
        (f"{MODEL}:fp32", INT8, MODEL),
        (INT8, MODEL, INT8),
        (OTHER, None, OTHER),
    ],
)
def test_a_collection_keeps_its_precision_unless_the_configuration_names_one(
    configured: str, bound: str | None, exact: str
) -> None:
    assert exact_model(configured, bound, has_int8=lambda: True) == exact


def test_where_the_quantised_form_cannot_be_made_the_published_model_is_taken() -> None:
    assert exact_model(MODEL, None, has_int8=lambda: False) == MODEL
    assert exact_model(MODEL, INT8, has_int8=lambda: False) == INT8


@pytest.mark.parametrize("name", [MODEL, INT8, f"{MODEL}:fp32"])
def test_every_precision_is_of_one_published_model(name: str) -> None:
    assert published(name) == MODEL
