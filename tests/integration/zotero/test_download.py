"""Files that come from Zotero over a real connection."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from citeloom.application.events import shown_by
from citeloom.application.ports.sources import FileOutcome
from citeloom.application.zotero.snapshot import Download, DownloadReport
from citeloom.domain.errors import SourceUnavailable
from citeloom.domain.zotero.items import LinkMode, ZoteroContent, ZoteroLibraryRef
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.zotero.web_api import FileStore, WebZotero
from tests.fakes.no_waiting import NoWaiting
from tests.fakes.progress import RecordedProgress
from tests.fakes.zotero_contents import key, many_items
from tests.fakes.zotero_server import KEY, Trouble, ZoteroServer, serving

OWN = ZoteroLibraryRef(name="My Library")
PDF = [key("PDF", n) for n in range(3)]


@pytest.fixture
def server() -> Iterator[ZoteroServer]:
    with serving(ZoteroServer()) as server:
        server.files |= {name: f"%PDF-1.7 {name}".encode() for name in PDF}
        server.put(many_items(3))
        yield server


def _zotero(server: ZoteroServer, folder: Path, *, most_bytes: int = 1_000_000) -> WebZotero:
    timing = NoWaiting().timing()
    return WebZotero(KEY, folder, url=server.url, most_bytes=most_bytes, timing=timing)


def _download(
    server: ZoteroServer,
    folder: Path,
    selection: ZoteroSelection | None = None,
    *,
    most_bytes: int = 1_000_000,
) -> DownloadReport:
    zotero = _zotero(server, folder, most_bytes=most_bytes)
    run = Download(zotero=zotero, files=zotero, events=shown_by(RecordedProgress()))
    return run(selection or ZoteroSelection())


def _outcomes(report: DownloadReport) -> list[str]:
    return [file.outcome.value for file in report.files]


def _fetched(server: ZoteroServer) -> list[str]:
    return [one.split("/")[-2] for one in server.requests if one.endswith("/file")]


def test_files_come_to_where_the_library_says_they_are(
    tmp_path: Path, server: ZoteroServer
) -> None:
    assert _outcomes(_download(server, tmp_path)) == ["fetched"] * 3
    attachments = _zotero(server, tmp_path).read(OWN).attachments
    assert [one.exists for one in attachments] == [True] * 3
    path = tmp_path / "files" / "library" / PDF[0] / "article 0.pdf"
    assert attachments[0].path == path
    assert path.read_bytes() == server.files[PDF[0]]
    record = json.loads((tmp_path / "files" / "library" / f"{PDF[0]}.json").read_text())
    assert record["filename"] == "article 0.pdf"
    assert record["mtime"] == 1_700_000_000_000
    assert not list(tmp_path.rglob("*.part"))


def test_the_key_stays_with_zotero_when_the_file_lies_elsewhere(
    tmp_path: Path, server: ZoteroServer
) -> None:
    _download(server, tmp_path)
    elsewhere = [sent for sent in server.keys_sent if sent.startswith("localhost")]
    assert len(elsewhere) == 3
    assert not any(KEY in sent for sent in elsewhere)


def test_what_is_here_and_unchanged_is_not_fetched_again(
    tmp_path: Path, server: ZoteroServer
) -> None:
    _download(server, tmp_path)
    server.files[PDF[1]] = b"%PDF-1.7 second edition"
    server.put(replace(many_items(3), items=()))
    server.libraries[0].change(PDF[1], filename="second edition.pdf")
    (tmp_path / "files" / "library" / PDF[2] / "article 2.pdf").unlink()
    server.requests.clear()
    assert _outcomes(_download(server, tmp_path)) == ["kept", "fetched", "fetched"]
    assert _fetched(server) == PDF[1:]
    (file,) = (tmp_path / "files" / "library" / PDF[1]).iterdir()
    assert (file.name, file.read_bytes()) == ("second edition.pdf", b"%PDF-1.7 second edition")


def test_an_interrupted_download_goes_on_where_it_was(tmp_path: Path, server: ZoteroServer) -> None:
    server.troubles.extend([Trouble(status=403, path=f"{PDF[1]}/file")])
    with pytest.raises(SourceUnavailable, match="refuses"):
        _download(server, tmp_path)
    assert _outcomes(_download(server, tmp_path)) == ["kept", "fetched", "fetched"]


def test_a_file_that_is_cut_or_fails_is_fetched_again(tmp_path: Path, server: ZoteroServer) -> None:
    server.troubles.append(Trouble(cut=True, path=f"storage/{PDF[0]}"))
    server.troubles.append(Trouble(status=500, path=f"storage/{PDF[1]}"))
    assert _outcomes(_download(server, tmp_path)) == ["fetched"] * 3


def test_files_that_are_not_there_or_damaged_are_told(tmp_path: Path, server: ZoteroServer) -> None:
    library = server.libraries[0]
    library.change(PDF[0], md5=None)
    del server.files[PDF[1]]
    server.files[PDF[2]] = b"something else"
    report = _download(server, tmp_path)
    assert _outcomes(report) == ["absent", "absent", "damaged"]
    assert report.unfetched == report.files
    assert not list((tmp_path / "files").rglob("*.pdf"))


def test_a_packed_web_page_is_unpacked(tmp_path: Path, server: ZoteroServer) -> None:
    page, packed = b"<html>tides</html>", io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("style.css", "p {}")
        archive.writestr("tides.html", page)
    server.files[PDF[0]] = page
    server.put(replace(many_items(1), items=()))
    server.libraries[0].change(PDF[0], filename="tides.html", contentType="text/html")
    server.files[PDF[0]] = packed.getvalue()
    server.packed.add(PDF[0])
    assert _outcomes(_download(server, tmp_path))[0] == "fetched"
    assert (tmp_path / "files" / "library" / PDF[0] / "tides.html").read_bytes() == page


def test_only_what_is_selected_and_stored_is_fetched(tmp_path: Path, server: ZoteroServer) -> None:
    content = many_items(3)
    linked = replace(
        content.attachments[0],
        key="LINKED22",
        link_mode=LinkMode.LINKED_FILE,
        stored_path="/papers/linked.pdf",
    )
    server.put(ZoteroContent(library=OWN, attachments=(linked,)))
    selection = ZoteroSelection(tags=("batch 0",))
    report = _download(server, tmp_path, selection)
    assert [file.attachment.key for file in report.files] == [PDF[0]]
    assert report.files[0].outcome is FileOutcome.FETCHED


@pytest.mark.parametrize(
    "name",
    [
        "../../../escaped.pdf",
        r"..\..\escaped.pdf",
        "/tmp/escaped.pdf",
        r"C:\escaped.pdf",
        "C:escaped.pdf",
        r"\\server\share\escaped.pdf",
    ],
)
def test_a_name_cannot_lead_out_of_the_store(
    tmp_path: Path, server: ZoteroServer, name: str
) -> None:
    server.libraries[0].change(PDF[0], filename=name)
    _download(server, tmp_path / "a" / "b")
    (path,) = tmp_path.rglob("*escaped.pdf")
    assert (path.name, path.parent.name) == ("escaped.pdf", PDF[0])


@pytest.mark.parametrize("name", ["..", ".", "a/..", "a\0.pdf", "\ud800.pdf", "a" * 300 + ".pdf"])
def test_what_no_file_can_be_called_is_absent(
    tmp_path: Path, server: ZoteroServer, name: str
) -> None:
    server.libraries[0].change(PDF[0], filename=name)
    assert _outcomes(_download(server, tmp_path)) == ["absent", "fetched", "fetched"]


def test_a_key_or_library_cannot_lead_out_of_the_store(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    attachment = many_items(1).attachments[0]
    assert store.path_of(attachment) is not None
    assert store.path_of(replace(attachment, key="../../x")) is None


@pytest.mark.parametrize("announced", [True, False])
def test_a_file_that_is_too_large_is_told_and_not_kept(
    tmp_path: Path, server: ZoteroServer, announced: bool
) -> None:
    server.files[PDF[0]] = b"x" * 200_000
    server.announces_length = announced
    report = _download(server, tmp_path, most_bytes=100_000)
    assert _outcomes(report) == ["too large", "fetched", "fetched"]
    assert [file.attachment.key for file in report.unfetched] == [PDF[0]]
    assert not [path for path in tmp_path.rglob("*") if PDF[0] in path.name]


def test_an_archive_that_unpacks_to_too_much_is_not_unpacked(
    tmp_path: Path, server: ZoteroServer
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("article 0.pdf", b"x" * 1_000_000)
    server.files[PDF[0]] = packed.getvalue()
    server.packed.add(PDF[0])
    report = _download(server, tmp_path, most_bytes=100_000)
    assert _outcomes(report) == ["too large", "fetched", "fetched"]
