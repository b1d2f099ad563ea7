"""Addresses that go on in the next line."""

from __future__ import annotations

import pytest

from citeloom_pdf.elements.addresses import address_at_end, goes_on


@pytest.mark.parametrize(
    ("address", "following", "expected"),
    [
        ("https://example.org/gravel/.", "/rivers also", False),
        ("https://example.org/gravel/bed.", "/rivers also", False),
        ("https://example.org/gravel", "/rivers also", True),
        ("https://example.org", "/rivers also", True),
    ],
)
def test_an_address_that_ends_a_sentence_goes_on_with_no_slash(
    address: str, following: str, expected: bool
) -> None:
    assert goes_on(address, following, lambda _: False) is expected


@pytest.mark.parametrize(
    ("line", "following", "expected"),
    [
        ("written down at https:", "//example.org/gravel", True),
        ("written down at http:/", "/example.org/gravel", True),
        ("most begin with http:", "others do not", False),
        ("it is bottom:", "//example.org/gravel", False),
    ],
)
def test_an_address_goes_on_behind_its_scheme(line: str, following: str, expected: bool) -> None:
    address = address_at_end(line)
    assert (bool(address) and goes_on(address, following, lambda _: False)) is expected
