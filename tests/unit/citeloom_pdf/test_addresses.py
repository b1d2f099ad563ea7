"""Addresses that go on in the next line."""

from __future__ import annotations

import pytest

from citeloom_pdf.elements.addresses import goes_on


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
