"""What `citeloom zotero doctor` and `citeloom init --zotero` say of a Zotero on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import InvalidProject, SourceUnavailable
from citeloom.infrastructure.answers.zotero import DiagnosisAnswer
from citeloom.infrastructure.interfaces.cli.app import app
from citeloom.infrastructure.settings import load_settings
from citeloom.infrastructure.sqlite_manifest import SqliteManifest
from tests.described import assert_described
from tests.fakes.zotero_contents import many_items
from tests.integration.zotero.commands import make_database, run

PROJECT = "lab/tides"


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three articles, of which the first two have their file; the working folder is another."""
    desk = tmp_path / "desk"
    desk.mkdir()
    monkeypatch.chdir(desk)
    content = many_items(3)
    folder = make_database(tmp_path / "Zotero", content)
    for attachment, number in zip(content.attachments[:2], (0, 1)):
        stored = folder / "storage" / attachment.key / f"article {number}.pdf"
        stored.parent.mkdir(parents=True)
        stored.write_bytes(b"%PDF-1.4")
    return folder


def test_findings_come_with_what_mends_them_and_fail_the_command(data_dir: Path) -> None:
    shown = run("doctor", data_dir=data_dir)
    assert shown.exit_code == 4
    missing = (data_dir / "storage" / "PDF22224" / "article 2.pdf").as_posix()
    assert shown.stdout.splitlines() == [
        "error  file: 1 found; expected that every attached file is where Zotero says",
        f"     ART22224  fenn1982n2: no file at {missing}",
        "    In Zotero, synchronise files, or open the attachment and locate its file; "
        "`citeloom zotero download` fetches those that are on zotero.org.",
        "Zotero: failed; 3 items with 3 documents, 1 error, 0 warnings, 0 infos",
    ]


def test_a_selection_without_faults_passes(data_dir: Path) -> None:
    shown = run("doctor", "--collection", "Shelf 00", "--strict", data_dir=data_dir)
    assert shown.exit_code == 0
    assert shown.stdout == "Zotero: passed; 1 item with 1 document, 0 errors, 0 warnings, 0 infos\n"


def test_more_than_the_limit_is_counted(data_dir: Path) -> None:
    for folder in ("PDF22222", "PDF22223"):
        next((data_dir / "storage" / folder).iterdir()).unlink()
    lines = run("doctor", "--limit", "1", data_dir=data_dir).stdout.splitlines()
    assert lines[0].startswith("error  file: 3 found")
    assert lines[2] == "     and 2 more (--limit 3 shows them)"


def test_a_project_is_compared_with_zotero(data_dir: Path) -> None:
    path = (data_dir / "storage" / "PDF22222" / "article 0.pdf").as_posix()
    failed = ManifestEntry(
        project_id=PROJECT, path=path, status=Status.FAILED, error_code="EMPTY_DOCUMENT", error="-"
    )
    gone = replace(
        failed,
        path="/gone.pdf",
        status=Status.INDEXED,
        zotero_library="library",
        attachment_key="PDFGONE2",
        item_key="ARTGONE2",
        citekey="fenn1977",
    )
    manifest = SqliteManifest(load_settings().data_dir / "manifest.sqlite")
    manifest.put(failed, gone)
    manifest.close()
    shown = run("doctor", "--project", PROJECT, "--json", data_dir=data_dir)
    assert shown.exit_code == 4
    diagnosis = json.loads(shown.stdout)
    assert_described(diagnosis, DiagnosisAnswer)
    findings = diagnosis.pop("findings")
    assert {name: count for name, count in diagnosis.pop("counts").items() if count} == {
        "file": 1,
        "scanned": 1,
        "not-indexed": 1,
        "deleted": 1,
    }
    assert diagnosis == {
        "source": f"local database {data_dir}",
        "project": PROJECT,
        "libraries": ["library"],
        "items": 3,
        "documents": 3,
        "sends_text_to": None,
        "passed": False,
        "strict": False,
    }
    assert findings[-1] == {
        "check": "deleted",
        "message": "was deleted from Zotero, or is in its trash",
        "library": "library",
        "item_key": "ARTGONE2",
        "attachment_key": "PDFGONE2",
        "citekey": "fenn1977",
        "title": "",
        "path": "/gone.pdf",
        "severity": "warning",
        "hint": f"Run `citeloom ingest --zotero --project {PROJECT}`.",
    }


def test_the_configured_selection_of_a_project_is_looked_at(data_dir: Path) -> None:
    Path("citeloom.toml").write_text(
        f'[project."{PROJECT}".zotero]\ncollections = ["Shelf 01"]\n', encoding="utf-8"
    )
    shown = run("doctor", "--project", PROJECT, data_dir=data_dir)
    assert shown.stdout.splitlines() == [
        "warning  not-indexed: 1 found; expected that every document is indexed",
        "     ART22223  fenn1981n1: not indexed yet",
        f"    Run `citeloom sync --project {PROJECT}`.",
        f"{PROJECT}: passed; 1 item with 1 document, 0 errors, 1 warning, 0 infos",
    ]


def test_a_project_there_cannot_be_is_an_error(data_dir: Path) -> None:
    shown = run("doctor", "--project", "lab/tides/more", data_dir=data_dir)
    assert isinstance(shown.exception, InvalidProject)


def test_init_writes_down_where_zotero_is(data_dir: Path) -> None:
    (data_dir / "prefs.js").write_text(
        'user_pref("extensions.zotero.baseAttachmentPath", "/papers");\n', encoding="utf-8"
    )
    runner = CliRunner(env={"CITELOOM_ZOTERO__DATA_DIR": str(data_dir)})
    made = runner.invoke(app, ["init", "--zotero"])
    assert made.exit_code == 0
    assert f"found Zotero in {data_dir}" in made.stderr
    written = load_settings().zotero
    assert (written.data_dir, written.base_dir) == (data_dir, Path("/papers"))


def test_init_writes_nothing_where_there_is_no_zotero(data_dir: Path) -> None:
    runner = CliRunner(env={"CITELOOM_ZOTERO__DATA_DIR": str(data_dir / "elsewhere")})
    refused = runner.invoke(app, ["init", "--zotero"])
    assert isinstance(refused.exception, SourceUnavailable)
    assert not Path("citeloom.toml").exists()
