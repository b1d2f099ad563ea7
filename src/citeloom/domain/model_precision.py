"""The precision a dense model computes in, which is a part of its name.

`NAME` is the model as published, in 32-bit floats; `NAME:int8` is its quantised form, whose vectors
are near those of the first but not the same.
"""

from __future__ import annotations

from citeloom.domain.policies import DEFAULT_DENSE_MODEL

INT8 = "int8"
_SUFFIX = f":{INT8}"


def quantised_name(model: str) -> str:
    """The name of a model's quantised form. Raises `ValueError` for a model that has none."""
    if published_name(model).lower() != DEFAULT_DENSE_MODEL.lower():
        raise ValueError(f"precision: only {DEFAULT_DENSE_MODEL} can be had in {INT8}, not {model}")
    return f"{published_name(model)}{_SUFFIX}"


def published_name(model: str) -> str:
    """The name of the model as published, whatever its precision."""
    return model.removesuffix(_SUFFIX)
