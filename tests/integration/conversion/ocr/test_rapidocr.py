"""What RapidOCR reads is given with the spaces that its models miss between sentences."""

from __future__ import annotations

import pytest

from citeloom.infrastructure.conversion.ocr.rapidocr import spaced


@pytest.mark.parametrize(
    ("read", "printed"),
    [
        ("They closed the mill.This is", "They closed the mill. This is"),
        ("(see the mill.There are", "(see the mill. There are"),
        ("Mit dem Regen.Die Ernte", "Mit dem Regen. Die Ernte"),
    ],
)
def test_a_space_is_put_between_two_sentences(read: str, printed: str) -> None:
    assert spaced(read, ("en", "de")) == printed


@pytest.mark.parametrize(
    "read",
    ["barley.Oatmeal is", "oats.js", "e.g.This", "http://mill.The/x", "Oats.The()", "oats:This:"],
)
def test_a_name_with_a_stop_is_one_word(read: str) -> None:
    assert spaced(read, ("en",)) == read
    assert spaced("mill.This is", ("xx",)) == "mill.This is"
