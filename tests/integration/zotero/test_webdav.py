"""Files of Zotero on a WebDAV server, a real one that runs for the tests."""

from __future__ import annotations

import base64
import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from citeloom.application.events import no_reader
from citeloom.application.zotero.snapshot import Download, DownloadReport
from citeloom.domain.errors import LibraryRefused, SourceUnavailable
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.remote import retries
from citeloom.infrastructure.remote.retries import AnswerTooLarge
from citeloom.infrastructure.zotero.web_api import WebZotero
from citeloom.infrastructure.zotero.webdav import (
    FileProperties,
    WebDavAccount,
    WebDavStorage,
    unpacked,
)
from tests.fakes.no_waiting import NoWaiting
from tests.fakes.zotero_contents import key, many_items
from tests.fakes.zotero_server import KEY, ZoteroServer, serving
from tests.integration.zotero.commands import run

wsgidav_app = pytest.importorskip("wsgidav.wsgidav_app", reason="WsgiDAV is not installed")
USER, PASSWORD = "ada", "correct horse"
PDF = b"%PDF-1.7 tides"


class _Quiet(WSGIRequestHandler):
    def log_message(self, *args: object) -> None: ...


@dataclass
class DavServer:
    """A WebDAV server over a folder, in which Zotero keeps its files in `zotero`."""

    folder: Path
    url: str

    def store(self, name: str, **files: bytes) -> None:
        """Store an attachment as Zotero does: its files in an archive, and what is in it."""
        first = next(iter(files.values()))
        self.put(f"{name}.zip", packed(**files))
        md5 = hashlib.md5(first).hexdigest()
        properties = f"<mtime>1700000000000</mtime><hash>{md5}</hash>"
        self.put(f"{name}.prop", f'<properties version="1">{properties}</properties>'.encode())

    def put(self, name: str, content: bytes) -> None:
        path = self.folder / "zotero" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)

    def storage(self, *, password: str = PASSWORD, most_bytes: int = 1_000_000) -> WebDavStorage:
        account = WebDavAccount(url=self.url, user=USER, password=password)
        return WebDavStorage(account, most_bytes=most_bytes, timing=NoWaiting().timing())


def packed(**files: bytes) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return into.getvalue()


def _serve(folder: Path, *, digest: bool) -> Iterator[DavServer]:
    config: dict[str, Any] = {
        "provider_mapping": {"/": str(folder)},
        "simple_dc": {"user_mapping": {"*": {USER: {"password": PASSWORD}}}},
        "http_authenticator": {
            "accept_basic": not digest,
            "accept_digest": digest,
            "default_to_digest": digest,
        },
        "verbose": 0,
        "logging": {"enable": False},
    }
    app = wsgidav_app.WsgiDAVApp(config)
    with make_server("127.0.0.1", 0, app, handler_class=_Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield DavServer(folder, f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
        thread.join()


@pytest.fixture(params=["basic", "digest"])
def any_server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DavServer]:
    (tmp_path / "dav").mkdir()
    yield from _serve(tmp_path / "dav", digest=request.param == "digest")


@pytest.fixture
def dav(tmp_path: Path) -> Iterator[DavServer]:
    (tmp_path / "dav").mkdir()
    yield from _serve(tmp_path / "dav", digest=False)


@pytest.fixture
def web() -> Iterator[ZoteroServer]:
    """An account whose files are elsewhere: it has no checksums."""
    with serving(ZoteroServer()) as server:
        server.put(many_items(2))
        yield server


def _download(
    web: ZoteroServer, dav: DavServer, folder: Path, most_bytes: int = 1_000_000
) -> DownloadReport:
    zotero = WebZotero(
        KEY,
        folder,
        url=web.url,
        webdav=dav.storage(most_bytes=most_bytes),
        timing=NoWaiting().timing(),
    )
    return Download(zotero=zotero, files=zotero, events=no_reader)(ZoteroSelection())


def _outcomes(report: DownloadReport) -> list[str]:
    return [file.outcome.value for file in report.files]


def test_files_come_from_the_server_whichever_way_it_asks_for_a_password(
    any_server: DavServer,
) -> None:
    any_server.store("PDFAAAA2", **{"tides.pdf": PDF})
    storage = any_server.storage()
    for _ in range(2):
        assert storage.properties("PDFAAAA2") == FileProperties(
            mtime=1_700_000_000_000, md5=hashlib.md5(PDF).hexdigest()
        )
        assert storage.file("PDFAAAA2", "tides.pdf") == PDF
    assert storage.properties("PDFAAAA3") is None
    assert storage.file("PDFAAAA3", "tides.pdf") is None
    for password in ("wrong", ""):
        with pytest.raises(LibraryRefused, match="lets nobody in") as caught:
            any_server.storage(password=password).properties("PDFAAAA2")
        assert "ZOTERO_WEBDAV_PASSWORD" in caught.value.hint


def test_a_download_takes_what_is_there_once(
    tmp_path: Path, web: ZoteroServer, dav: DavServer
) -> None:
    dav.store(key("PDF", 0), **{"article 0.pdf": PDF})
    assert _outcomes(_download(web, dav, tmp_path)) == ["fetched", "absent"]
    assert _outcomes(_download(web, dav, tmp_path)) == ["kept", "absent"]
    path = tmp_path / "files" / "library" / key("PDF", 0) / "article 0.pdf"
    assert path.read_bytes() == PDF
    dav.store(key("PDF", 0), **{"article 0.pdf": PDF + b" and ebb"})
    assert _outcomes(_download(web, dav, tmp_path)) == ["fetched", "absent"]
    assert path.read_bytes() == PDF + b" and ebb"


def test_a_file_that_arrives_damaged_or_is_too_large_is_named(
    tmp_path: Path, web: ZoteroServer, dav: DavServer
) -> None:
    dav.store(key("PDF", 0), **{"article 0.pdf": PDF})
    dav.put(f"{key('PDF', 0)}.zip", packed(**{"article 0.pdf": b"something else"}))
    dav.store(key("PDF", 1), **{"article 1.pdf": bytes(50_000)})
    report = _download(web, dav, tmp_path, most_bytes=20_000)
    assert _outcomes(report) == ["damaged", "too large"]
    assert not list((tmp_path / "files").rglob("*.pdf"))
    dav.put(f"{key('PDF', 0)}.zip", b"no archive")
    assert _outcomes(_download(web, dav, tmp_path)) == ["damaged", "fetched"]


def test_what_was_not_written_by_zotero_is_told(dav: DavServer) -> None:
    dav.put("PDFAAAA2.prop", b"<html>Log in, please</html>")
    with pytest.raises(SourceUnavailable, match="not written by Zotero"):
        dav.storage().properties("PDFAAAA2")
    dav.put("PDFAAAA2.prop", b"1700000000")
    assert dav.storage().properties("PDFAAAA2") == FileProperties(mtime=1_700_000_000_000, md5="")


def test_only_the_file_itself_is_unpacked_wherever_names_lead() -> None:
    evil = {"../../evil.pdf": b"out", "/etc/passwd": b"root", "tides.html": b"<p>", "a.css": b"p"}
    assert unpacked(packed(**evil), "tides.html", 100) == b"<p>"
    assert unpacked(packed(**evil), "other.html", 100) is None
    assert unpacked(packed(**{"../tides.pdf": PDF}), "renamed.pdf", 100) == PDF
    old = base64.b64encode("Ebbe für alle.pdf".encode()).decode() + "%ZB64"
    assert unpacked(packed(**{old: PDF, "b": b""}), "Ebbe für alle.pdf", 100) == PDF
    assert unpacked(packed(**{"!%ZB64": PDF}), "tides.pdf", 100) == PDF


def test_an_archive_that_grows_is_bounded_whatever_it_says_of_its_size() -> None:
    bomb = packed(**{"tides.pdf": bytes(30_000_000)})
    assert len(bomb) < 50_000
    with pytest.raises(AnswerTooLarge):
        unpacked(bomb, "tides.pdf", 1_000_000)
    lying = bomb.replace((30_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lying != bomb
    assert unpacked(lying, "tides.pdf", 1_000_000) is None
    for broken in (bomb[:1000], b"", bomb[:-40]):
        assert unpacked(broken, "tides.pdf", 1_000_000) is None


def test_the_command_takes_address_and_password_from_where_they_belong(
    tmp_path: Path, web: ZoteroServer, dav: DavServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(retries, "Timing", NoWaiting().timing)
    dav.store(key("PDF", 0), **{"article 0.pdf": PDF})
    env = {
        "ZOTERO_API_KEY": KEY,
        "CITELOOM_ZOTERO__WEB_URL": web.url,
        "CITELOOM_ZOTERO__WEBDAV_URL": dav.url,
        "CITELOOM_ZOTERO__WEBDAV_USER": USER,
        "ZOTERO_WEBDAV_PASSWORD": PASSWORD,
    }
    told = run("download", data_dir=tmp_path, env=env)
    assert told.exit_code == 3
    assert told.stdout.splitlines()[0] == "2 files: 1 absent, 1 fetched"
    assert PASSWORD not in told.output
