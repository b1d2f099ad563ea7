"""What every `ZoteroLibrary` promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import cast

import pytest

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.domain.zotero.items import (
    CitekeySource,
    Creator,
    LinkMode,
    ZoteroAttachment,
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    ZoteroNote,
    ZoteroTag,
)
from citeloom.infrastructure.zotero.local import LocalZotero
from citeloom.infrastructure.zotero.local_api import LocalApiZotero
from citeloom.infrastructure.zotero.reach import FallbackZotero
from citeloom.infrastructure.zotero.web_api import WebZotero
from tests.fakes.no_waiting import NoWaiting
from tests.fakes.zotero_database import ZoteroDatabase
from tests.fakes.zotero_library import MemoryZotero
from tests.fakes.zotero_server import KEY, ZoteroServer, serving

Build = Callable[[tuple[ZoteroContent, ...]], ZoteroLibrary]

OWN = ZoteroLibraryRef(name="My Library")
GROUP = ZoteroLibraryRef(group_id=4711, name="Tide readers")
ITEM = ZoteroItem(
    library=OWN,
    key="TIDEAAA2",
    item_type="journalArticle",
    fields={
        "title": "Tidal mixing in shallow estuaries",
        "date": "12/05/99",
        "DOI": "10.5555/tidal.2019.7",
        "extra": "Citation Key: moorTidal2019",
    },
    creators=(
        Creator(role="author", family="van der Moor", given="Ada"),
        Creator(role="author", family="Tide Survey", single=True),
    ),
    tags=(ZoteroTag(name="coast"), ZoteroTag(name="imported", automatic=True)),
    collections=("PAPERS23",),
    citekey="moorTidal2019",
    citekey_source=CitekeySource.EXTRA,
    parsed_year=1999,
)
CONTENTS = (
    ZoteroContent(
        library=OWN,
        collections=(
            ZoteroCollection(library=OWN, key="PAPERS22", path=("Papers",)),
            ZoteroCollection(
                library=OWN, key="PAPERS23", path=("Papers", "Tides"), parent="PAPERS22"
            ),
        ),
        items=(ITEM,),
    ),
    ZoteroContent(library=GROUP, items=(replace(ITEM, library=GROUP, collections=()),)),
)


def _in_memory(contents: tuple[ZoteroContent, ...], folder: Path) -> ZoteroLibrary:
    del folder
    return MemoryZotero(*contents)


def _on_disk(contents: tuple[ZoteroContent, ...], folder: Path) -> ZoteroLibrary:
    database = ZoteroDatabase(folder)
    database.write(*contents)
    database.close()
    return LocalZotero(folder)


def _fallen_back(contents: tuple[ZoteroContent, ...], folder: Path) -> ZoteroLibrary:
    return FallbackZotero(_in_memory(contents, folder), ("The first choice was not there.",))


@pytest.fixture(params=[_in_memory, _on_disk, _fallen_back, LocalApiZotero, WebZotero])
def build(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Build]:
    """How a reader of Zotero is made over given content."""
    folders = (tmp_path / str(number) for number in count())
    with ExitStack() as servers:

        def build(contents: tuple[ZoteroContent, ...]) -> ZoteroLibrary:
            folder, local = next(folders), request.param is LocalApiZotero
            if request.param not in (LocalApiZotero, WebZotero):
                return cast("ZoteroLibrary", request.param(contents, folder))
            url = servers.enter_context(serving(ZoteroServer(*contents, local=local))).url
            timing = NoWaiting().timing()
            if local:
                return LocalApiZotero(url, timing=timing)
            return WebZotero(KEY, folder, url=url, timing=timing)

        yield build


def test_the_users_library_comes_before_the_groups(build: Build) -> None:
    libraries = build(CONTENTS).libraries()
    assert [library.path for library in libraries] == ["library", "groups/4711"]
    assert libraries[1].name == "Tide readers"


def test_each_library_is_read_by_itself(build: Build) -> None:
    zotero = build(CONTENTS)
    own, group = (zotero.read(library) for library in zotero.libraries())
    assert [item.library for item in (*own.items, *group.items)] == [OWN, GROUP]
    assert [collection.key for collection in own.collections] == ["PAPERS22", "PAPERS23"]
    assert group.collections == ()


def test_an_item_is_read_whole(build: Build) -> None:
    zotero = build(CONTENTS)
    (item,) = zotero.read(OWN).items
    assert item.fields == ITEM.fields
    assert item.creators == ITEM.creators
    assert item.parsed_year == 1999
    assert set(item.tags) == set(ITEM.tags)
    assert item.collections == ITEM.collections
    assert (item.citekey, item.citekey_source) == ("moorTidal2019", CitekeySource.EXTRA)


def test_a_collection_knows_its_path(build: Build) -> None:
    zotero = build(CONTENTS)
    collections = {collection.key: collection for collection in zotero.read(OWN).collections}
    assert collections["PAPERS23"].path == ("Papers", "Tides")
    assert collections["PAPERS23"].parent == "PAPERS22"


def test_a_note_on_an_attachment_is_read_as_such(build: Build) -> None:
    attachment = ZoteroAttachment(
        library=OWN, key="PDFAAAA2", parent=ITEM.key, link_mode=LinkMode.IMPORTED_FILE
    )
    own = ZoteroNote(library=OWN, key="PDFAAAA2", parent="PDFAAAA2", html="<p>Poor scan.</p>")
    below = ZoteroNote(library=OWN, key="NNTEAAA2", parent="PDFAAAA2", html="<p>Page 3.</p>")
    content = replace(CONTENTS[0], attachments=(attachment,), notes=(below, own))
    notes = build((content,)).read(OWN).notes
    assert [(one.key, one.parent, one.html) for one in notes] == [
        ("NNTEAAA2", "PDFAAAA2", "<p>Page 3.</p>"),
        ("PDFAAAA2", "PDFAAAA2", "<p>Poor scan.</p>"),
    ]


def test_the_fingerprint_follows_the_content(build: Build) -> None:
    changed = (replace(CONTENTS[0], items=()), CONTENTS[1])
    zotero = build(CONTENTS)
    assert zotero.fingerprint() == zotero.fingerprint()
    assert build(changed).fingerprint() != zotero.fingerprint()


def test_the_source_is_said(build: Build) -> None:
    assert build(CONTENTS).source
