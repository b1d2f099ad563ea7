from __future__ import annotations

import pytest

from citeloom.domain.errors import nearest

KNOWN = ("okaforSoilMoisture2020", "okaforRain1999", "lindqvistTimber2003", "Zhou2001", "")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("okaforSoilMoistur2020", "okaforSoilMoisture2020"),
        ("OKAFORRAIN1999", "okaforRain1999"),
        ("@zhou2002", "Zhou2001"),
        ("okafor2020", "okaforRain1999"),
        ("oka", "okaforRain1999"),
        ("okafr2011", "okaforRain1999"),
        ("lindquist2003", "lindqvistTimber2003"),
    ],
)
def test_a_mistyped_name_finds_the_one_that_was_meant(name: str, found: str) -> None:
    assert found in nearest(name, KNOWN)


@pytest.mark.parametrize("name", ["", "x", "99", "martinez2010", "@"])
def test_what_is_like_nothing_finds_nothing(name: str) -> None:
    assert nearest(name, KNOWN) == ()


def test_no_more_than_three_are_named_and_the_closest_first() -> None:
    many = [f"okafor{year}" for year in range(1990, 2020)]
    assert len(nearest("okafor", many)) == 3
    assert nearest("okafor19955", many)[0] == "okafor1995"
