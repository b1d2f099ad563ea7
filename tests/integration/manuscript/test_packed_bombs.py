"""Word and OpenDocument files of a few kilobytes that would unpack to far more are refused."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from citeloom.application.limits import DraftLimits
from citeloom.domain.errors import CiteloomError, UnreadableDocument
from citeloom.infrastructure.manuscript.draft_reader import draft_of
from citeloom.infrastructure.manuscript.pandoc import Pandoc

SMALL = Pandoc(limits=DraftLimits(timeout_seconds=5, memory_mb=128))
HUNDREDS_OF_MB = 300_000_000
MOST_BYTES = 128 << 20


def packed(name: str, content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def understated(content: bytes, size: int, claimed: int) -> bytes:
    """An archive that claims another size for what is in it."""
    return content.replace(struct.pack("<L", size), struct.pack("<L", claimed))


def entities(where: str) -> bytes:
    """Ten entities, each ten times the one before."""
    names = "abcdefghijk"
    defined = ["<!ENTITY a 'lolololo'>"] + [
        f"<!ENTITY {name} '{f'&{before};' * 10}'>" for name, before in zip(names[1:], names)
    ]
    return f"<!DOCTYPE x [{''.join(defined)}]><x {where}/>".encode()


def blank() -> bytes:
    return b"<x>" + b" " * HUNDREDS_OF_MB + b"</x>"


def liar() -> bytes:
    content = blank()
    return understated(packed("content.xml", content), len(content), 1_000)


def many(element: bytes, number: int) -> bytes:
    return b"<x>" + element * number + b"</x>"


BOMBS: dict[str, Callable[[], bytes]] = {
    "large.odt": lambda: packed("content.xml", blank()),
    "picture.odt": lambda: packed("Pictures/a.png", blank()),
    "liar.odt": liar,
    "elements.odt": lambda: packed("content.xml", many(b"<y/>", 5_000_000)),
    "attributes.odt": lambda: packed("content.xml", many(b"<y a='' b='' c=''/>", 1_000_000)),
    "deep.odt": lambda: packed("content.xml", b"<x>" * 2_000 + b"</x>" * 2_000),
    "entities.odt": lambda: packed("content.xml", entities("y='&k;'")),
    "method.odt": lambda: packed("content.xml", b"<x/>", zipfile.ZIP_LZMA),
    "large.docx": lambda: packed("word/document.xml", blank()),
    "elements.docx": lambda: packed("word/document.xml", many(b"<y/>", 5_000_000)),
    "entities.docx": lambda: packed("word/document.xml", entities("y='&k;'")),
}


@cache
def bomb(name: str) -> bytes:
    return BOMBS[name]()


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_by_name_in_little_memory(name: str) -> None:
    content = bomb(name)
    tracemalloc.start()
    try:
        with pytest.raises(CiteloomError, match=name.replace(".", r"\.")) as raised:
            draft_of(content, Path(name), SMALL)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert raised.value.hint
    assert peak < MOST_BYTES


@pytest.mark.parametrize("name", ["large.odt", "picture.odt", "elements.odt", "attributes.odt"])
def test_the_limit_of_memory_is_named(name: str) -> None:
    with pytest.raises(UnreadableDocument, match=r"takes more than 128 MB of memory") as raised:
        draft_of(bomb(name), Path(name), SMALL)
    assert "memory_mb under [drafts]" in raised.value.hint
