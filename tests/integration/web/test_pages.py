"""What pages are made of: texts in paragraphs, parts that are sent, the outline in sight."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.interfaces.web.views import joined, paragraphs
from citeloom.infrastructure.library.library import open_library
from tests.integration.web.conftest import room_of


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("one", (), [[("one", False)]]),
        ("one two", [(4, 7)], [[("one ", False), ("two", True)]]),
        ("one\n\ntwo", [(0, 8)], [[("one", True)], [("two", True)]]),
        ("one\n \n\ntwo", (), [[("one", False)], [("two", False)]]),
        ("a bc d", [(0, 4), (2, 6)], [[("a bc", True), (" d", True)]]),
        ("", (), []),
    ],
)
def test_a_text_is_marked_paragraph_by_paragraph(
    text: str, spans: list[tuple[int, int]], expected: list[list[tuple[str, bool]]]
) -> None:
    assert paragraphs(text, spans) == expected


async def collected(parts: AsyncIterator[str]) -> list[str]:
    return [part async for part in joined(parts)]


def test_what_is_made_without_waiting_is_sent_as_one() -> None:
    async def parts() -> AsyncIterator[str]:
        yield "a"
        yield "b"
        await asyncio.sleep(0.01)
        yield ""
        yield "c"

    assert asyncio.run(collected(parts())) == ["ab", "c"]


def test_a_page_that_fails_fails_for_its_reader() -> None:
    async def parts() -> AsyncIterator[str]:
        yield "a"
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        asyncio.run(collected(parts()))


def test_a_page_that_nobody_reads_any_more_is_made_no_further() -> None:
    ended: list[str] = []

    async def parts() -> AsyncIterator[str]:
        yield "a"
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("ended")
        yield "b"

    async def left() -> None:
        async for _ in joined(parts()):
            break
        await asyncio.sleep(0.01)

    asyncio.run(left())
    assert ended == ["ended"]


def test_of_an_outline_the_open_chapter_is_in_sight(tmp_path: Path, service: ServedLibrary) -> None:
    lines = [
        f"# Chapter {n}\n\n" + "\n\n".join(f"## Section {n}.{m}\n\n{_TEXT}" for m in range(1, 9))
        for n in range(1, 6)
    ]
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/book.md").write_text("\n\n".join(lines))
    (tmp_path / "citeloom.toml").write_text('[project."lab/notes"]\nsources = ["notes"]\n')
    with open_library(tmp_path) as library:
        project = library.project("lab/notes")
        assert not project.ingest().failed
        [document] = project.documents()
        served = type(service)(
            library=library, jobs=service.jobs, projects=("lab/notes",), calls=service.calls
        )
        with room_of(served) as client:
            first, last = (outline_of(client, document.doc_id, part) for part in (1, 4))
    assert "Chapter 5" in first
    assert "Section 1.2" in first
    assert "Section 5.2" not in first
    assert "Section 1.2" not in last
    assert "Section 5.2" in last


_TEXT = "Herons nest in tall alders above the water, and leave them when the ice comes. " * 12


def outline_of(client: TestClient, doc_id: str, part: int) -> str:
    page = client.get(f"/works/{doc_id}?page={part}")
    assert page.status_code == 200
    return page.text.partition('<details class="outline">')[2]
