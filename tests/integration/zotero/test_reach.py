"""Which way to Zotero is taken, and what is said of the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.domain.errors import LibraryLocked, SourceUnavailable
from citeloom.domain.zotero.items import ZoteroContent, ZoteroLibraryRef
from citeloom.infrastructure.zotero.local import LocalZotero
from citeloom.infrastructure.zotero.reach import ZoteroAccess, first_reached, reached
from tests.fakes.zotero_contents import many_items
from tests.fakes.zotero_database import ZoteroDatabase
from tests.fakes.zotero_library import MemoryZotero
from tests.fakes.zotero_server import KEY, ZoteroServer, serving

HERE = MemoryZotero(ZoteroContent(library=ZoteroLibraryRef(name="My Library")))


def _fails(error: Exception) -> Callable[[], ZoteroLibrary]:
    def open_() -> ZoteroLibrary:
        raise error

    return open_


def _access(folder: Path) -> ZoteroAccess:
    return ZoteroAccess(
        data_dir=folder,
        base_dir=None,
        key="",
        timeout=5,
        folder=folder / "citeloom",
        most_bytes=1_000_000,
        local_url="http://127.0.0.1:9/api",
        web_url="http://127.0.0.1:9",
    )


def test_the_first_way_is_taken_without_a_word() -> None:
    ways = {"local database": lambda: HERE, "local API": _fails(AssertionError())}
    assert first_reached(ways) is HERE


def test_a_fallback_is_said_aloud() -> None:
    ways = {
        "local database": _fails(LibraryLocked("it kept changing", "Wait.")),
        "local API": lambda: HERE,
    }
    zotero = first_reached(ways)
    assert zotero.warnings == (
        "Zotero's local database cannot be read: it kept changing.",
        "Its local API is read instead.",
    )
    assert zotero.read(zotero.libraries()[0]) == HERE.contents[0]


def test_no_way_at_all_says_what_is_wrong_with_each() -> None:
    ways = {
        "local database": _fails(SourceUnavailable("none was found", "Set data_dir.")),
        "local API": _fails(SourceUnavailable("nothing answers", "Start Zotero.")),
    }
    with pytest.raises(SourceUnavailable) as caught:
        first_reached(ways)
    assert "local database: none was found; local API: nothing answers" in caught.value.message
    assert caught.value.hint == "Set data_dir. Start Zotero."


def test_a_database_that_is_there_is_what_auto_takes(tmp_path: Path) -> None:
    database = ZoteroDatabase(tmp_path)
    database.write(many_items(1))
    database.close()
    access = _access(tmp_path)
    assert isinstance(reached("auto", access), LocalZotero)
    assert isinstance(reached("local", access), LocalZotero)


def test_auto_asks_the_program_where_there_is_no_database(tmp_path: Path) -> None:
    with serving(ZoteroServer(many_items(2), local=True)) as server:
        zotero = reached("auto", replace(_access(tmp_path), local_url=server.url))
        assert zotero.source == f"local API {server.url}"
        assert "no Zotero library was found" in zotero.warnings[0]


def test_auto_asks_the_account_last_and_only_with_a_key(tmp_path: Path) -> None:
    with serving(ZoteroServer(many_items(2))) as server:
        access = replace(_access(tmp_path), web_url=server.url)
        zotero = reached("auto", replace(access, key=KEY))
        assert zotero.source.startswith("web API")
        assert len(zotero.warnings) == 3
        with pytest.raises(SourceUnavailable):
            reached("auto", access)
    assert len(server.requests) == 2


def test_the_web_needs_a_key(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable) as caught:
        reached("web", _access(tmp_path))
    assert "ZOTERO_API_KEY" in caught.value.hint
