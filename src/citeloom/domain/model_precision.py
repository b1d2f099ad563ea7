"""The precision a dense model computes in, which is a part of its name as a collection has it.

`NAME` alone is the model as published, in 32-bit floats; `NAME:int8` is its quantised form, whose
vectors are near those of the first but not the same.
"""

from __future__ import annotations

from collections.abc import Callable

from citeloom.domain.policies import DEFAULT_DENSE_MODEL

INT8 = "int8"
PUBLISHED = "fp32"


def leaves_precision_open(model: str) -> bool:
    """Whether a configured name is that of the model with both precisions, and says neither."""
    return model.lower() == DEFAULT_DENSE_MODEL.lower()


def exact_model(configured: str, bound: str | None, *, has_int8: Callable[[], bool]) -> str:
    """The name of the model with its precision: the one that is configured, else the one that the
    collection is `bound` to, else int8 where the machine has it.
    """
    if not leaves_precision_open(configured):
        return configured.removesuffix(f":{PUBLISHED}")
    quantised = f"{configured}:{INT8}"
    if bound in (configured, quantised):
        return bound
    return quantised if has_int8() else configured


def published(model: str) -> str:
    """The name of the model as published, whichever precision is given."""
    return model.removesuffix(f":{PUBLISHED}").removesuffix(f":{INT8}")
