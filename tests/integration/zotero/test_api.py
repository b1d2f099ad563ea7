"""Zotero's API, spoken to over a real connection."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.application.zotero.browse import read_selected
from citeloom.domain.errors import LibraryRefused, SourceUnavailable
from citeloom.domain.zotero.items import (
    AnnotationType,
    CitekeySource,
    Creator,
    LinkMode,
    ZoteroAnnotation,
    ZoteroAttachment,
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    ZoteroNote,
    ZoteroTag,
)
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.remote.retries import Timing
from citeloom.infrastructure.zotero.local import LocalZotero
from citeloom.infrastructure.zotero.local_api import LocalApiZotero
from citeloom.infrastructure.zotero.web_api import WebZotero
from tests.fakes.zotero_contents import many_items
from tests.fakes.zotero_database import ZoteroDatabase
from tests.fakes.zotero_server import KEY, USER, Trouble, ZoteroServer, serving

OWN = ZoteroLibraryRef(name="My Library")
GROUP = ZoteroLibraryRef(group_id=4711, name="Tide readers")
LATER = datetime(2026, 6, 1, 8, 15, tzinfo=UTC)


@dataclass
class SteppedTime:
    """Time that passes only while somebody sleeps."""

    at: float = 100.0
    sleeps: list[float] = field(default_factory=list)

    def sleep(self, stop: threading.Event, seconds: float) -> None:
        assert not stop.is_set()
        self.sleeps.append(round(seconds, 3))
        self.at += seconds

    @property
    def timing(self) -> Timing:
        return Timing(now=lambda: self.at, sleep=self.sleep, chance=lambda: 1.0)


def _content(folder: Path) -> ZoteroContent:
    pdf = folder / "storage" / "PDFAAAA2" / "tidal mixing.pdf"
    pdf.parent.mkdir(parents=True)
    pdf.write_bytes(b"%PDF-1.7 tidal")
    collections = (
        ZoteroCollection(library=OWN, key="PAPERS23", path=("Papers",)),
        ZoteroCollection(library=OWN, key="PAPERS22", path=("Papers", "Tides"), parent="PAPERS23"),
    )
    item = ZoteroItem(
        library=OWN,
        key="TIDEAAA2",
        item_type="journalArticle",
        fields={
            "title": "Tidal mixing",
            "date": "May 2019",
            "accessDate": "2024-05-01 10:00:00",
            "extra": "Citation Key: moorTidal2019",
        },
        creators=(
            Creator(role="author", family="van der Moor", given="Ada"),
            Creator(role="editor", family="Tide Survey", single=True),
        ),
        tags=(ZoteroTag(name="coast"), ZoteroTag(name="imported", automatic=True)),
        collections=("PAPERS22", "PAPERS23"),
        relations=("TIDEBBB2",),
        citekey="moorTidal2019",
        citekey_source=CitekeySource.EXTRA,
        added=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        modified=LATER,
    )
    native = replace(
        item,
        key="TIDEBBB2",
        item_type="book",
        fields={"title": "Estuaries", "citationKey": "fenn"},
        citekey="fenn",
        citekey_source=CitekeySource.FIELD,
        collections=(),
        relations=(),
    )
    stored = ZoteroAttachment(
        library=OWN,
        key="PDFAAAA2",
        parent="TIDEAAA2",
        link_mode=LinkMode.IMPORTED_FILE,
        title="Full text",
        content_type="application/pdf",
        stored_path="storage:tidal mixing.pdf",
        path=pdf,
        exists=True,
        added=LATER,
        modified=LATER,
    )
    missing = folder / "storage" / "PDFBBBB2" / "gone.pdf"
    linked = folder / "linked.pdf"
    others = (
        replace(
            stored,
            key="PDFBBBB2",
            stored_path="storage:gone.pdf",
            path=missing,
            exists=False,
        ),
        replace(
            stored,
            key="PDFCCCC2",
            link_mode=LinkMode.LINKED_FILE,
            stored_path=str(linked),
            path=linked,
            exists=False,
            parent=None,
            collections=("PAPERS23",),
        ),
        replace(
            stored,
            key="PDFDDDD2",
            link_mode=LinkMode.LINKED_URL,
            stored_path="",
            path=None,
            exists=False,
            url="https://example.org/tides",
        ),
    )
    return ZoteroContent(
        library=OWN,
        collections=(collections[1], collections[0]),
        items=(item, native),
        attachments=(stored, *others),
        annotations=(
            ZoteroAnnotation(
                library=OWN,
                key="NOTEAAA2",
                attachment="PDFAAAA2",
                type=AnnotationType.HIGHLIGHT,
                text="mixing is strong",
                comment="see fig. 2",
                color="#ffd400",
                page_index=2,
                page_label="113",
                rects=((10.5, 20.0, 300.0, 40.0),),
                tags=(ZoteroTag(name="key claim"),),
                sort_index="00002|000100|00020",
                added=LATER,
                modified=LATER,
            ),
        ),
        notes=(
            ZoteroNote(
                library=OWN,
                key="NOTEBBB2",
                parent="TIDEAAA2",
                title="Neap & spring",
                html='<div data-schema-version="9"><h1>Neap &amp; spring</h1>\n<p>More.</p></div>',
                added=LATER,
                modified=LATER,
            ),
        ),
    )


def _unversioned(content: ZoteroContent) -> ZoteroContent:
    return replace(
        content,
        items=tuple(replace(one, version=0) for one in content.items),
        attachments=tuple(replace(one, version=0) for one in content.attachments),
        annotations=tuple(replace(one, version=0) for one in content.annotations),
        notes=tuple(replace(one, version=0) for one in content.notes),
    )


def _web(
    server: ZoteroServer, folder: Path, time: SteppedTime | None = None, timeout: float = 20
) -> WebZotero:
    timing = (time or SteppedTime()).timing
    return WebZotero(KEY, folder, url=server.url, timeout=timeout, timing=timing)


def _local(server: ZoteroServer, time: SteppedTime | None = None) -> LocalApiZotero:
    return LocalApiZotero(server.url, timing=(time or SteppedTime()).timing)


@pytest.fixture
def web() -> Iterator[ZoteroServer]:
    with serving(ZoteroServer()) as server:
        yield server


@pytest.fixture
def program() -> Iterator[ZoteroServer]:
    with serving(ZoteroServer(local=True)) as server:
        yield server


def _keys(zotero: ZoteroLibrary) -> list[str]:
    return [item.key for item in zotero.read(OWN).items]


def test_the_local_api_gives_what_the_database_gives(tmp_path: Path, program: ZoteroServer) -> None:
    content = _content(tmp_path)
    database = ZoteroDatabase(tmp_path)
    database.write(content)
    database.close()
    program.put(content)
    program.file_urls["PDFCCCC2"] = (tmp_path / "linked.pdf").as_uri()
    assert _unversioned(_local(program).read(OWN)) == LocalZotero(tmp_path).read(OWN) == content


def test_the_web_api_gives_the_same_but_for_where_files_are(
    tmp_path: Path, web: ZoteroServer
) -> None:
    content = _content(tmp_path)
    web.put(content)
    read = _unversioned(_web(web, tmp_path / "data").read(OWN))
    store = tmp_path / "data" / "files" / "library"
    assert read.attachments[0].path == store / "PDFAAAA2" / "tidal mixing.pdf"
    assert not read.attachments[0].exists
    assert read == replace(content, attachments=read.attachments)
    assert [one.stored_path for one in read.attachments] == [
        one.stored_path for one in content.attachments
    ]


def test_what_is_in_the_bin_is_left_out_with_all_below_it(
    tmp_path: Path, program: ZoteroServer, web: ZoteroServer
) -> None:
    for server in (program, web):
        library = server.put(_content(tmp_path / str(server.local)))
        library.change("TIDEAAA2", deleted=1)
    for read in (_local(program).read(OWN), _web(web, tmp_path).read(OWN)):
        assert [item.key for item in read.items] == ["TIDEBBB2"]
        assert [one.key for one in read.attachments] == ["PDFCCCC2"]
        assert (read.annotations, read.notes) == ((), ())


def test_groups_come_after_the_users_library(
    tmp_path: Path, web: ZoteroServer, program: ZoteroServer
) -> None:
    for server in (web, program):
        server.put(many_items(1))
        server.put(ZoteroContent(library=GROUP))
        server.put(ZoteroContent(library=ZoteroLibraryRef(group_id=12, name="Reefs")))
    for zotero in (_web(web, tmp_path), _local(program)):
        paths = [(library.path, library.name) for library in zotero.libraries()]
        assert paths == [
            ("library", "My Library"),
            ("groups/12", "Reefs"),
            ("groups/4711", "Tide readers"),
        ]


def test_a_large_library_is_read_page_by_page_at_two_requests_a_second(
    tmp_path: Path, web: ZoteroServer
) -> None:
    web.put(many_items(150))
    time = SteppedTime()
    content = _web(web, tmp_path, time).read(OWN)
    assert (len(content.items), len(content.attachments)) == (150, 150)
    assert sum("/items?" in request for request in web.requests) == 3
    assert time.sleeps == [0.5] * (len(web.requests) - 1)


def test_the_program_is_asked_for_everything_at_once(program: ZoteroServer) -> None:
    program.put(many_items(150))
    time = SteppedTime()
    assert len(_local(program, time).read(OWN).items) == 150
    assert program.requests.count("GET /api/users/0/items") == 1
    assert time.sleeps == []


def test_an_unchanged_library_costs_one_request(tmp_path: Path, web: ZoteroServer) -> None:
    web.put(many_items(150))
    before = _web(web, tmp_path).read(OWN)
    web.requests.clear()
    assert _web(web, tmp_path).read(OWN) == before
    asked = [request.partition("?")[0] for request in web.requests]
    assert asked == ["GET /keys/current", f"GET /users/{USER}/items"]
    assert web.statuses[-1] == 304


def test_only_changes_are_asked_for_and_what_is_gone_goes(
    tmp_path: Path, web: ZoteroServer
) -> None:
    library = web.put(many_items(120))
    zotero = _web(web, tmp_path)
    first, second, third, *_ = _keys(zotero)
    before = zotero.fingerprint()
    collection = next(iter(library.collections))
    library.change(first, title="On neap tides")
    library.change(second, deleted=1)
    library.delete(third)
    library.delete(collection)
    web.requests.clear()
    content = _web(web, tmp_path).read(OWN)
    assert sum("/items?" in request for request in web.requests) == 1
    assert len(content.items) == 118
    assert content.items[0].title == "On neap tides"
    assert not {second, third} & {item.key for item in content.items}
    assert collection not in {one.key for one in content.collections}
    assert zotero.fingerprint() != before
    library.change(second, deleted=0)
    assert second in _keys(_web(web, tmp_path))


def test_what_zotero_forgot_it_deleted_goes_by_what_is_left(
    tmp_path: Path, web: ZoteroServer
) -> None:
    library = web.put(many_items(120))
    first, second, *_ = _keys(_web(web, tmp_path))
    collection = next(iter(library.collections))
    library.change(second, title="On neap tides")
    library.delete(first)
    library.delete(collection)
    library.log_begins = library.version
    web.requests.clear()
    time = SteppedTime()
    content = _web(web, tmp_path, time).read(OWN)
    assert first not in {item.key for item in content.items}
    assert collection not in {one.key for one in content.collections}
    assert (len(content.items), content.items[0].title) == (119, "On neap tides")
    assert set(time.sleeps) == {0.5}
    assert sum("format=versions" in request for request in web.requests) == 2


def test_a_first_reading_asks_for_nothing_that_was_deleted(
    tmp_path: Path, web: ZoteroServer
) -> None:
    library = web.put(many_items(2))
    library.delete(next(iter(library.items)))
    library.log_begins = library.version
    _web(web, tmp_path).read(OWN)
    assert not any("/deleted" in request for request in web.requests)


def test_a_collection_in_the_bin_is_left_out(tmp_path: Path, web: ZoteroServer) -> None:
    library = web.put(many_items(3))
    collection = next(iter(library.collections))
    assert collection in {one.key for one in _web(web, tmp_path).read(OWN).collections}
    library.version += 1
    entry = library.collections[collection]
    entry["data"]["deleted"] = True
    entry["version"] = library.version
    assert collection not in {one.key for one in _web(web, tmp_path).read(OWN).collections}


def test_a_key_goes_to_no_other_host_that_a_page_names(tmp_path: Path, web: ZoteroServer) -> None:
    web.put(many_items(80))
    path = f"/users/{USER}/items"
    link = f'<http://thief.example{path}?since=0&includeTrashed=1&limit=100&start=100>; rel="next"'
    web.troubles.append(Trouble(headers={"Link": link}, path=path))
    assert len(_web(web, tmp_path).read(OWN).items) == 80
    assert not any("thief" in sent for sent in web.keys_sent)


@pytest.mark.parametrize(
    "trouble",
    [Trouble(status=501), Trouble(headers={"Zotero-API-Version": "4"})],
)
def test_another_version_of_the_api_is_told(program: ZoteroServer, trouble: Trouble) -> None:
    program.troubles.append(trouble)
    with pytest.raises(SourceUnavailable, match="no version 3 of its API"):
        _local(program).libraries()


def test_a_damaged_copy_is_made_anew(tmp_path: Path, web: ZoteroServer) -> None:
    web.put(many_items(3))
    keys = _keys(_web(web, tmp_path))
    (copy,) = (tmp_path / "libraries").rglob("*.json")
    copy.write_bytes(copy.read_bytes()[:100])
    assert _keys(_web(web, tmp_path)) == keys


def test_a_library_that_changes_meanwhile_is_read_again(tmp_path: Path, web: ZoteroServer) -> None:
    library = web.put(many_items(3))
    first = next(key for key in library.items if key.startswith("ART"))

    def change_once(path: str) -> None:
        if "/collections" in path:
            web.on_request = lambda path: None
            library.change(first, title="Changed in the meantime")

    web.on_request = change_once
    titles = [item.title for item in _web(web, tmp_path).read(OWN).items]
    assert "Changed in the meantime" in titles
    web.on_request = lambda path: library.change(first, title=path)
    with pytest.raises(SourceUnavailable, match="kept changing"):
        _web(web, tmp_path).read(OWN)


@pytest.mark.parametrize(
    ("trouble", "pauses"),
    [
        (Trouble(status=429, headers={"Retry-After": "7"}), [7]),
        (Trouble(status=429, headers={"Backoff": "12", "Retry-After": "7"}), [12]),
        (Trouble(status=503, headers={"Retry-After": "soon"}), [1]),
        (Trouble(status=500), [1]),
        (Trouble(cut=True), [1]),
    ],
)
def test_passing_troubles_are_waited_out(
    tmp_path: Path, web: ZoteroServer, trouble: Trouble, pauses: list[float]
) -> None:
    web.put(many_items(2))
    web.troubles.append(replace(trouble, path="/items"))
    time = SteppedTime()
    assert len(_web(web, tmp_path, time).read(OWN).items) == 2
    assert [pause for pause in time.sleeps if pause != 0.5] == pauses


def test_an_answer_that_does_not_come_in_time_is_asked_for_again(
    tmp_path: Path, web: ZoteroServer
) -> None:
    web.put(many_items(2))
    web.troubles.append(Trouble(delay=3, path="/items"))
    assert len(_web(web, tmp_path, timeout=1).read(OWN).items) == 2
    assert sum("/items?" in request for request in web.requests) == 2


def test_pauses_grow_and_end_in_plain_words(tmp_path: Path, web: ZoteroServer) -> None:
    web.put(many_items(2))
    web.troubles.extend([Trouble(status=502, path="/items")] * 9)
    time = SteppedTime()
    with pytest.raises(SourceUnavailable, match="answered 502"):
        _web(web, tmp_path, time).read(OWN)
    assert time.sleeps == [0.5, 1, 2, 4, 8, 16]
    assert len(web.troubles) == 3


def test_a_backoff_is_honoured_though_the_answer_was_good(
    tmp_path: Path, web: ZoteroServer
) -> None:
    web.put(many_items(2))
    web.troubles.append(Trouble(headers={"Backoff": "30"}, path="/items"))
    time = SteppedTime()
    _web(web, tmp_path, time).read(OWN)
    assert time.sleeps == [0.5, 30]


def test_zotero_may_ask_for_more_time_than_anyone_waits(tmp_path: Path, web: ZoteroServer) -> None:
    web.troubles.append(Trouble(status=429, headers={"Retry-After": "3600"}))
    with pytest.raises(SourceUnavailable, match="wait 3600 seconds"):
        _web(web, tmp_path).libraries()


def test_a_wrong_key_is_told_and_never_shown(
    tmp_path: Path, web: ZoteroServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    zotero = WebZotero("wrongKEY", tmp_path, url=web.url, timing=SteppedTime().timing)
    with pytest.raises(SourceUnavailable) as caught:
        zotero.libraries()
    assert "refuses" in caught.value.message
    assert "ZOTERO_API_KEY" in caught.value.hint
    assert "wrongKEY" not in caplog.text + repr(caught.value)
    assert len(web.requests) == 1


def test_a_group_without_access_is_named_and_the_others_are_read(
    tmp_path: Path, web: ZoteroServer
) -> None:
    web.put(many_items(2))
    web.put(ZoteroContent(library=GROUP)).refuses = True
    zotero = _web(web, tmp_path)
    contents = read_selected(zotero, ZoteroSelection(libraries=("all",)))
    assert [(len(content.items), content.refused) for content in contents] == [
        (2, False),
        (0, True),
    ]
    (warning,) = zotero.warnings
    assert warning.startswith(
        "The library 'Tide readers' (groups/4711) is left out: Zotero refuses"
    )
    assert zotero.fingerprint() == _web(web, tmp_path).fingerprint()
    with pytest.raises(LibraryRefused):
        read_selected(zotero, ZoteroSelection(libraries=("Tide readers",)))


def test_a_library_that_is_gone_is_told(tmp_path: Path, web: ZoteroServer) -> None:
    with pytest.raises(SourceUnavailable, match="nothing at /groups/4711"):
        _web(web, tmp_path).read(GROUP)


def test_a_program_that_lets_nobody_ask_says_where_to_allow_it(program: ZoteroServer) -> None:
    program.troubles.append(Trouble(status=403))
    with pytest.raises(SourceUnavailable) as caught:
        _local(program).libraries()
    assert "Advanced" in caught.value.hint


def test_zotero_that_does_not_run_is_told_soon(program: ZoteroServer) -> None:
    server = ZoteroServer(local=True)
    server.close()
    time = SteppedTime()
    with pytest.raises(SourceUnavailable) as caught:
        _local(server, time).libraries()
    assert caught.value.hint.startswith("Start Zotero")
    assert time.sleeps == [1]


@pytest.mark.parametrize(
    "trouble",
    [
        Trouble(headers={"Content-Type": "text/html"}),
        Trouble(body=b"<html>welcome"),
        Trouble(body=b'[{"id": 5}]'),
    ],
)
def test_something_else_on_the_port_is_told(program: ZoteroServer, trouble: Trouble) -> None:
    program.troubles.append(trouble)
    with pytest.raises(SourceUnavailable, match="not from Zotero's API"):
        _local(program).libraries()


def test_an_address_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable):
        LocalApiZotero("http://[nonsense/api", timing=SteppedTime().timing).libraries()


def test_better_bibtex_tells_the_citekeys_items_have_not(program: ZoteroServer) -> None:
    group = ZoteroContent(
        library=GROUP, items=tuple(replace(one, library=GROUP) for one in _bare_items(2))
    )
    program.put(ZoteroContent(library=OWN, items=_bare_items(3)))
    program.put(group)
    program.citekeys = {"BARE2222": "fenn2020", "13:BARE2223": "quint2021"}
    zotero = _local(program)
    own, shared = zotero.read(OWN).items, zotero.read(GROUP).items
    assert [item.citekey for item in (*own, *shared)] == ["fenn2020", "", "", "", "quint2021"]
    assert own[0].citekey_source is CitekeySource.BETTER_BIBTEX_RPC
    assert own[1].citekey_source is CitekeySource.MADE
    assert zotero.warnings == ()


def test_without_better_bibtex_nothing_is_said(program: ZoteroServer) -> None:
    program.put(ZoteroContent(library=OWN, items=_bare_items(1)))
    zotero = _local(program)
    assert zotero.read(OWN).items[0].citekey == ""
    assert zotero.warnings == ()


def test_a_better_bibtex_that_fails_is_told(program: ZoteroServer) -> None:
    program.put(ZoteroContent(library=OWN, items=_bare_items(1)))
    for trouble in ([Trouble(status=500, path="json-rpc")] * 2, [Trouble(body=b"?")]):
        program.citekeys = {}
        program.troubles.extend(replace(one, path="json-rpc") for one in trouble)
        zotero = _local(program)
        assert zotero.read(OWN).items[0].citekey == ""
        assert zotero.warnings[0].startswith("Better BibTeX's citekeys are missing")


def _bare_items(count: int) -> tuple[ZoteroItem, ...]:
    return tuple(
        ZoteroItem(
            library=OWN, key=f"BARE222{n + 2}", item_type="book", fields={"title": f"Book {n}"}
        )
        for n in range(count)
    )
