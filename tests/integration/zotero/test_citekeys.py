"""Where an item's citekey is from: its field, Better BibTeX's database, or its Extra."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from citeloom.domain.zotero.items import (
    CitekeySource,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    citekey_in_extra,
)
from citeloom.infrastructure.zotero.local import LocalZotero
from tests.fakes.zotero_database import ZoteroDatabase

OWN = ZoteroLibraryRef(name="My Library")
GROUP = ZoteroLibraryRef(group_id=4711, name="Tide readers")
Keys = Mapping[tuple[int, str], str]


def _item(key: str, library: ZoteroLibraryRef = OWN, **fields: str) -> ZoteroItem:
    return ZoteroItem(library=library, key=key, item_type="book", fields=fields)


def _zotero(folder: Path, *contents: ZoteroContent) -> LocalZotero:
    database = ZoteroDatabase(folder)
    database.write(*contents)
    database.close()
    return LocalZotero(folder)


def _as_a_table(folder: Path, keys: Keys) -> None:
    """As Better BibTeX 6.7.129 and later: a table, with triggers that name their database."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("attach ? as betterbibtex", (str(folder / "better-bibtex.sqlite"),))
        db.executescript(
            """
            create table betterbibtex.citationkey (itemID not null primary key, itemKey not null,
                libraryID not null, citationKey not null, pinned);
            create table betterbibtex.allowed (name);
            create trigger betterbibtex.checked before insert on citationkey begin
                select raise(fail, 'unknown') from betterbibtex.allowed where name = new.pinned;
            end;
            """
        )
        rows = [(n, item, library, key) for n, ((library, item), key) in enumerate(keys.items())]
        db.executemany("insert into citationkey values (?, ?, ?, ?, 0)", rows)
        db.commit()


def _as_documents(folder: Path, keys: Keys) -> None:
    """As Better BibTeX before: a table of JSON documents, one of which has the citekeys."""
    data = [
        {"itemID": n, "libraryID": library, "itemKey": item, "citekey": key, "pinned": False}
        for n, ((library, item), key) in enumerate(keys.items())
    ]
    with closing(sqlite3.connect(folder / "better-bibtex.sqlite")) as db:
        db.execute('create table "better-bibtex" (name text primary key, data text)')
        documents = {
            "better-bibtex.citekey": json.dumps({"name": "citekey", "data": data}),
            "better-bibtex.autoexport": json.dumps({"name": "autoexport", "data": [{"id": 1}]}),
        }
        db.executemany('insert into "better-bibtex" values (?, ?)', documents.items())
        db.commit()


@pytest.mark.parametrize("layout", [_as_a_table, _as_documents])
def test_better_bibtexs_database_is_read_in_both_layouts(
    tmp_path: Path, layout: Callable[[Path, Keys], None]
) -> None:
    zotero = _zotero(
        tmp_path,
        ZoteroContent(library=OWN, items=(_item("BOOKAAA2"), _item("BOOKAAA3"))),
        ZoteroContent(library=GROUP, items=(_item("BOOKAAA2", GROUP),)),
    )
    layout(tmp_path, {(1, "BOOKAAA2"): "own2001", (2, "BOOKAAA2"): "group2002"})
    (first, second), (shared,) = (zotero.read(library).items for library in zotero.libraries())
    assert (first.citekey, first.citekey_source) == ("own2001", CitekeySource.BETTER_BIBTEX)
    assert (second.citekey, second.citekey_source) == ("", CitekeySource.MADE)
    assert shared.citekey == "group2002"
    assert zotero.warnings == ()


def test_the_items_own_field_goes_first_and_extra_last(tmp_path: Path) -> None:
    extra = "PMID: 12\nCitation Key: inExtra\ntex.note: x"
    zotero = _zotero(
        tmp_path,
        ZoteroContent(
            library=OWN,
            items=(
                _item("BOOKAAA2", citationKey="inField", extra=extra),
                _item("BOOKAAA3", extra=extra.replace("inExtra", "otherExtra")),
                _item("BOOKAAA4", extra="Citation Key: notThis"),
            ),
        ),
    )
    _as_a_table(tmp_path, {(1, "BOOKAAA2"): "inDatabase", (1, "BOOKAAA4"): "alsoInDatabase"})
    assert [(item.citekey, item.citekey_source) for item in zotero.read(OWN).items] == [
        ("inField", CitekeySource.FIELD),
        ("otherExtra", CitekeySource.EXTRA),
        ("alsoInDatabase", CitekeySource.BETTER_BIBTEX),
    ]


@pytest.mark.parametrize(
    ("extra", "citekey"),
    [
        ("Citation Key: fenn2020", "fenn2020"),
        ("DOI: 10.5555/1\n  citation key :fenn2020  \nother", "fenn2020"),
        ("bibtex: fenn2020", "fenn2020"),
        ("Citation Key: fenn2020 (pinned)", "fenn2020"),
        ("Citation Key:\nPMID:123", ""),
        ("See Citation Key: fenn2020", ""),
        ("", ""),
    ],
)
def test_a_line_of_extra_has_the_citekey(extra: str, citekey: str) -> None:
    assert citekey_in_extra(extra) == citekey


@pytest.mark.parametrize(
    "database", [b"no database at all", b"", b"SQLite format 3\0" + b"\x07" * 4000]
)
def test_a_database_of_better_bibtex_that_cannot_be_read_is_said_and_passed_over(
    tmp_path: Path, database: bytes
) -> None:
    extra = _item("BOOKAAA2", extra="Citation Key: inExtra")
    zotero = _zotero(tmp_path, ZoteroContent(library=OWN, items=(extra,)))
    (tmp_path / "better-bibtex.sqlite").write_bytes(database)
    assert zotero.read(OWN).items[0].citekey == "inExtra"
    (warning,) = zotero.warnings
    assert warning.startswith("Better BibTeX's database cannot be read")


def test_documents_that_are_no_json_are_said_and_passed_over(tmp_path: Path) -> None:
    zotero = _zotero(tmp_path, ZoteroContent(library=OWN, items=(_item("BOOKAAA2"),)))
    _as_documents(tmp_path, {})
    with closing(sqlite3.connect(tmp_path / "better-bibtex.sqlite")) as db:
        db.execute("""update "better-bibtex" set data = '{"data": [' """)
        db.commit()
    assert zotero.read(OWN).items[0].citekey == ""
    assert "JSON" in zotero.warnings[0]


def test_a_citekey_of_several_items_is_a_flaw_that_names_each(tmp_path: Path) -> None:
    own, shared = _item("BOOKAAA2", citationKey="fenn2020"), _item("BOOKAAA3")
    group = _item("BOOKAAA9", GROUP, citationKey="fenn2020")
    zotero = _zotero(
        tmp_path,
        ZoteroContent(library=OWN, items=(own, shared)),
        ZoteroContent(library=GROUP, items=(group,)),
    )
    flaws = [zotero.read(library).flaws for library in zotero.libraries()]
    assert flaws[0] == flaws[1]
    assert flaws[0] == (
        "The citekey 'fenn2020' is used by several items: BOOKAAA2 in My Library,"
        " BOOKAAA9 in Tide readers.",
    )
