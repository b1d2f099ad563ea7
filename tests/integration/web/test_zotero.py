"""The views of Zotero and of the settings."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from citeloom.application.zotero.coverage import ZoteroCoverage
from citeloom.domain.errors import SourceUnavailable
from citeloom.infrastructure.library.project import ProjectLibrary
from tests.integration.http.conftest import TWO


def test_collections_are_shown_with_what_is_indexed(room: TestClient) -> None:
    page = room.get("/zotero").text
    rows = re.findall(r'<td class="depth-(\d)" dir="auto">([^<]*)', page)
    assert rows == [("0", "My Library"), ("1", "moreau2015"), ("1", "tanaka2017")]
    assert page.count('<td class="figure">0</td>') == 3
    assert 'name="zotero" value="true"' in page
    assert "<code>@moreau2015</code> Swallows Under Road Bridges" in page
    assert "citeloom ingest --zotero" in page
    german = room.get("/zotero", headers={"accept-language": "de"}).text
    assert '<p class="place">lokale Datenbank ' in german


def test_a_library_that_is_unknown_is_said(room: TestClient) -> None:
    page = room.get("/zotero?library=groups/99")
    assert (page.status_code, "Zotero has no library" in page.text) == (200, True)
    assert "ZOTERO_API_KEY" not in page.text


def test_without_zotero_the_ways_to_it_are_said(
    room: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(self: ProjectLibrary, *libraries: str) -> ZoteroCoverage:
        raise SourceUnavailable("there is no Zotero here", "")

    monkeypatch.setattr(ProjectLibrary, "zotero_coverage", away)
    page = room.get("/zotero").text
    assert "there is no Zotero here" in page
    assert "ZOTERO_API_KEY" in page
    assert "<table" not in page


def test_each_setting_says_where_its_value_comes_from(room: TestClient) -> None:
    page = room.get(f"/settings?project={TWO}").text
    for key, value, source in (
        ("sources", "[&#34;others&#34;]", "citeloom.toml"),
        ("workers", "1", "citeloom.toml"),
        ("cache_dir", "models", "the command line"),
    ):
        row = re.search(rf"<code>{key}</code></td>(.*?)</tr>", page, re.DOTALL)
        assert row is not None
        assert value in row[1]
        assert source in row[1]
    assert "all by default" in page
    assert "/tmp/" not in page
    assert "lab/one" not in page.partition("<main")[2]
