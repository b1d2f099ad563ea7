"""Word and OpenDocument files of a few kilobytes that would unpack to far more are refused."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
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


BLANK = b"<x>" + b" " * HUNDREDS_OF_MB + b"</x>"
BOMBS = {
    "large.odt": packed("content.xml", BLANK),
    "picture.odt": packed("Pictures/a.png", BLANK),
    "liar.odt": understated(packed("content.xml", BLANK), len(BLANK), 1_000),
    "elements.odt": packed("content.xml", b"<x>" + b"<y/>" * 5_000_000 + b"</x>"),
    "attributes.odt": packed("content.xml", b"<x>" + b"<y a='' b='' c=''/>" * 1_000_000 + b"</x>"),
    "deep.odt": packed("content.xml", b"<x>" * 2_000 + b"</x>" * 2_000),
    "entities.odt": packed("content.xml", entities("y='&k;'")),
    "method.odt": packed("content.xml", b"<x/>", zipfile.ZIP_LZMA),
    "large.docx": packed("word/document.xml", BLANK),
    "elements.docx": packed("word/document.xml", b"<x>" + b"<y/>" * 5_000_000 + b"</x>"),
    "entities.docx": packed("word/document.xml", entities("y='&k;'")),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_by_name_in_little_memory(name: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(CiteloomError, match=name.replace(".", r"\.")) as raised:
            draft_of(BOMBS[name], Path(name), SMALL)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert raised.value.hint
    assert peak < MOST_BYTES


@pytest.mark.parametrize("name", ["large.odt", "picture.odt", "elements.odt", "attributes.odt"])
def test_the_limit_of_memory_is_named(name: str) -> None:
    with pytest.raises(UnreadableDocument, match=r"takes more than 128 MB of memory") as raised:
        draft_of(BOMBS[name], Path(name), SMALL)
    assert "memory_mb under [drafts]" in raised.value.hint
