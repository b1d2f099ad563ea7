"""`citeloom zotero download`, run against a server on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeloom.domain.errors import SourceUnavailable
from citeloom.infrastructure.answers.zotero import DownloadAnswer
from citeloom.infrastructure.remote import retries
from tests.described import assert_described
from tests.fakes.no_waiting import NoWaiting
from tests.fakes.zotero_contents import key, many_items
from tests.fakes.zotero_server import KEY, ZoteroServer, serving
from tests.integration.zotero.commands import run


@pytest.fixture(autouse=True)
def _at_once_in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(retries, "Timing", NoWaiting().timing)


def test_what_came_and_what_did_not_is_told(tmp_path: Path) -> None:
    server = ZoteroServer()
    server.files[key("PDF", 0)] = b"%PDF-1.7 tides"
    server.put(many_items(2))
    with serving(server):
        env = {"ZOTERO_API_KEY": KEY, "CITELOOM_ZOTERO__WEB_URL": server.url}
        told = run("download", data_dir=tmp_path, env=env)
        listed = run("download", "--tag", "batch 0", "--json", data_dir=tmp_path, env=env)
    assert told.exit_code == 3
    assert told.stdout.splitlines()[0] == "2 files: 1 absent, 1 fetched"
    assert f"absent: article 1.pdf  ({key('PDF', 1)})" in told.stdout
    assert "reading Zotero: web API" in told.stderr
    assert_described(json.loads(listed.stdout), DownloadAnswer)
    (file,) = json.loads(listed.stdout)["files"]
    assert file["outcome"] == "kept"
    assert Path(file["path"]).read_bytes() == b"%PDF-1.7 tides"
    assert KEY not in told.output + listed.output


def test_without_a_key_it_says_where_to_get_one(tmp_path: Path) -> None:
    failed = run("download", data_dir=tmp_path, env={"ZOTERO_API_KEY": ""})
    assert isinstance(failed.exception, SourceUnavailable)
    assert "settings/keys" in failed.exception.hint
