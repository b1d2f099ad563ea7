"""The picture and the Python example in the README show what is printed."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from scripts.make_picture import PASSAGES, PICTURE, QUESTION, SHOWN, drawn

from tests.e2e.command import Desk

SVG = "{http://www.w3.org/2000/svg}"


def words_of(svg: str) -> str:
    """The text of a picture without its title and its spaces."""
    texts = [text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    return "".join("".join(texts[1:]).split())


def shown(printed: str) -> str:
    """What a picture of a command and its results says, as `words_of` has it."""
    return "".join(f"${SHOWN}{printed}".split())


def test_the_picture_shows_what_the_query_prints(sample: Desk) -> None:
    printed = sample.must("query", QUESTION, "-k", PASSAGES).out
    picture = PICTURE.read_text(encoding="utf-8")
    assert words_of(picture) == shown(printed), "`python scripts/make_picture.py` draws it anew"


def test_the_example_in_python_shows_the_citation_of_the_first_passage(sample: Desk) -> None:
    readme = (PICTURE.parents[2] / "README.md").read_text(encoding="utf-8")
    [question, citation] = re.findall(
        r'query\("(.+)"\)\.passages\[0\]\.citation\n\'(.+)\'', readme
    )[0]
    assert sample.must("query", question).out.startswith(f"1. {citation}  ")


def test_the_picture_needs_nothing_from_elsewhere() -> None:
    picture = PICTURE.read_text(encoding="utf-8")
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg\")\S+", picture) == []


@pytest.mark.parametrize("printed", ["1. [@rye2020, p. 4]\n   Rye & <oats>\n   fit strong\n"])
def test_links_and_colours_become_a_picture_of_the_text(printed: str) -> None:
    coloured = printed.replace(
        "[@rye2020, p. 4]",
        "\x1b]8;;file:///tmp/rye\x1b\\\x1b[1m[@rye2020, p. 4]\x1b[0m\x1b]8;;\x1b\\",
    )
    picture = drawn(coloured)
    assert words_of(picture) == shown(printed)
    assert "file://" not in picture
