"""The pictures in the docs and the Python example in the README show what is printed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from xml.etree import ElementTree

import pytest
from scripts.make_picture import CHECK, DRAFT, QUERY, ROOT, Session, drawn, prepare

from tests.e2e.command import Desk

SVG = "{http://www.w3.org/2000/svg}"


def words_of(svg: str) -> str:
    """The text of a picture without its title and its spaces."""
    texts = [text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    return "".join("".join(texts[1:]).split())


def shown(printed: Mapping[str, str]) -> str:
    """What a picture of commands and their results says, as `words_of` has it."""
    return "".join("".join(f"${command}{output}" for command, output in printed.items()).split())


def printed_by(desk: Desk, command: str) -> str:
    """What a command of a session prints."""
    program, *arguments = shlex.split(command)
    if program == "citeloom":
        return desk.run(*arguments).out
    return (desk.folder / DRAFT).read_text(encoding="utf-8")


@pytest.mark.parametrize("session", [QUERY, CHECK], ids=lambda session: session.name)
def test_the_picture_shows_what_the_commands_print(sample: Desk, session: Session) -> None:
    prepare(session, sample.folder)
    printed = {command: printed_by(sample, command) for command in session.commands}
    picture = session.picture.read_text(encoding="utf-8")
    assert words_of(picture) == shown(printed), "`python scripts/make_picture.py` draws it anew"


def test_the_example_in_python_shows_the_citation_of_the_first_passage(sample: Desk) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [question, citation] = re.findall(
        r'query\("(.+)"\)\.passages\[0\]\.citation\n\'(.+)\'', readme
    )[0]
    assert sample.must("query", question).out.startswith(f"1. {citation}  ")


@pytest.mark.parametrize("session", [QUERY, CHECK], ids=lambda session: session.name)
def test_the_picture_needs_nothing_from_elsewhere(session: Session) -> None:
    picture = session.picture.read_text(encoding="utf-8")
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg\")\S+", picture) == []


@pytest.mark.parametrize("printed", ["1. [@rye2020, p. 4]\n   Rye & <oats>\n   fit strong\n"])
def test_links_and_colours_become_a_picture_of_the_text(printed: str) -> None:
    coloured = printed.replace(
        "[@rye2020, p. 4]",
        "\x1b]8;;file:///tmp/rye\x1b\\\x1b[1m[@rye2020, p. 4]\x1b[0m\x1b]8;;\x1b\\",
    )
    picture = drawn({"citeloom query rye": coloured})
    assert words_of(picture) == shown({"citeloom query rye": printed})
    assert "file://" not in picture
