"""Vectors of unit length, from what a service sent."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

from citeloom.domain.passage import DenseVector
from citeloom.infrastructure.remote.exchange import InvalidAnswer


def unit(vector: Sequence[float]) -> DenseVector:
    """The vector at unit length, in the index's precision.

    Raises `InvalidAnswer` for one that is empty or zero, or holds a value that is no number.
    """
    length = math.hypot(*vector)
    if not math.isfinite(length):
        raise InvalidAnswer("a vector holds a value that is no number")
    if length == 0.0:
        raise InvalidAnswer("a vector is empty, or all zeros")
    return array("f", [value / length for value in vector]).tolist()
