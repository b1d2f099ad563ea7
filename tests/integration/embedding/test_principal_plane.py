"""Vectors on the plane of their principal components."""

from __future__ import annotations

import random
from math import dist

import pytest

from citeloom.infrastructure.embedding.principal_plane import principal_plane


def test_what_differs_in_two_directions_keeps_its_distances() -> None:
    corners = [[0.0, 0.0, 5.0, 0.0], [3.0, 0.0, 5.0, 0.0], [0.0, 1.0, 5.0, 0.0]]
    places = principal_plane(corners)
    for one in range(3):
        for other in range(one):
            wanted = dist(corners[one], corners[other])
            assert dist(places[one], places[other]) == pytest.approx(wanted, abs=1e-5)
    assert max(x for x, _ in places) - min(x for x, _ in places) == pytest.approx(3, abs=0.2)


@pytest.mark.parametrize("count", [5, 60])
def test_the_first_direction_is_that_of_most_difference(count: int) -> None:
    draw = random.Random(3)
    vectors = [[draw.gauss(0, s) for s in (0.1, 4, 0.1, 1, 0.1, 0.1, 0.1)] for _ in range(count)]
    places = principal_plane(vectors)
    assert abs(sum(x for x, _ in places)) < 1e-4
    spread = [sum(place[axis] ** 2 for place in places) for axis in (0, 1)]
    assert spread[0] > spread[1] > 0
    middle = sum(vector[1] for vector in vectors) / count
    assert all(
        x == pytest.approx(vector[1] - middle, abs=1.5) for (x, _), vector in zip(places, vectors)
    )
    assert principal_plane(vectors) == places


@pytest.mark.parametrize("vectors", [[[1.0, 2.0]], [[1.0, 2.0]] * 3, [[4.0]]])
def test_what_does_not_differ_is_in_the_middle(vectors: list[list[float]]) -> None:
    assert principal_plane(vectors) == [(0.0, 0.0)] * len(vectors)


@pytest.mark.parametrize("count", [2, 40])
def test_what_differs_in_one_direction_is_on_a_line(count: int) -> None:
    draw = random.Random(7)
    direction = [draw.gauss(0, 0.1) for _ in range(30)]
    vectors = [[0.3 + step * value for value in direction] for step in range(count)]
    assert {y for _, y in principal_plane(vectors)} == {0.0}
