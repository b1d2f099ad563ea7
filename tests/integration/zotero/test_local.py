"""A Zotero data directory, read from files as Zotero lays them out."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.domain.errors import SourceUnavailable
from citeloom.domain.zotero.items import (
    CITED_FIELDS,
    CITEKEY_FIELDS,
    WORKS,
    AnnotationType,
    ContentScope,
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
    citation_of,
)
from citeloom.infrastructure.zotero.local import LocalZotero
from tests.fakes.zotero_contents import many_items
from tests.fakes.zotero_database import ZoteroDatabase, as_it_is
from tests.fakes.zotero_library import narrowed

OWN = ZoteroLibraryRef(name="My Library")
GROUP = ZoteroLibraryRef(group_id=4711, name="Tide readers")
THEN = datetime(2024, 3, 2, 11, 5, 9, tzinfo=UTC)

ITEM = ZoteroItem(
    library=OWN,
    key="ARTAAAA2",
    item_type="journalArticle",
    fields={"title": "On tides", "date": "spring 2020"},
    creators=(Creator(role="author", family="Fenn", given="Cleo"),),
    tags=(ZoteroTag(name="coast"),),
    collections=("SHELF222",),
    added=THEN,
    modified=THEN,
)
SHELF = ZoteroCollection(library=OWN, key="SHELF222", path=("Shelf",))
PDF = ZoteroAttachment(
    library=OWN,
    key="PDFAAAA2",
    parent="ARTAAAA2",
    link_mode=LinkMode.IMPORTED_FILE,
    title="Full text",
    content_type="application/pdf",
    stored_path="storage:fenn.pdf",
    added=THEN,
    modified=THEN,
)
MARK = ZoteroAnnotation(
    library=OWN,
    key="MARKAAA2",
    attachment="PDFAAAA2",
    type=AnnotationType.HIGHLIGHT,
    text="Marshes rise with the tide.",
    comment="Compare with the dunes",
    color="#ffd400",
    page_index=3,
    page_label="104",
    rects=((72.0, 300.5, 520.0, 312.0), (72.0, 286.0, 180.25, 297.5)),
    tags=(ZoteroTag(name="claim"),),
    sort_index="00003|000017|00300",
    added=THEN,
    modified=THEN,
)
NOTE = ZoteroNote(
    library=OWN,
    key="NOTEAAA2",
    parent="ARTAAAA2",
    title="Reading note",
    html="<p>Sound method.</p>",
    tags=(ZoteroTag(name="read"),),
    added=THEN,
    modified=THEN,
)
LIBRARY = ZoteroContent(
    library=OWN,
    collections=(SHELF,),
    items=(ITEM,),
    attachments=(PDF,),
    annotations=(MARK,),
    notes=(NOTE,),
)


def written(folder: Path, *contents: ZoteroContent, **database: int) -> ZoteroDatabase:
    """An open database with these libraries in `folder`."""
    made = ZoteroDatabase(folder, **database)
    made.write(*contents)
    return made


def read(folder: Path, base_dir: Path | None = None) -> ZoteroContent:
    return LocalZotero(folder, base_dir=base_dir).read(OWN)


def test_everything_in_a_library_is_read_whole(tmp_path: Path) -> None:
    written(tmp_path, LIBRARY).close()
    place = tmp_path / "storage/PDFAAAA2/fenn.pdf"
    expected = replace(LIBRARY, attachments=(replace(PDF, path=place),))
    assert read(tmp_path) == expected
    place.parent.mkdir(parents=True)
    place.write_bytes(b"%PDF")
    assert read(tmp_path).attachments == (replace(PDF, path=place, exists=True),)


SCOPES = (
    ContentScope(notes=False),
    ContentScope(annotations=False),
    replace(WORKS, fields=CITEKEY_FIELDS, creators=False, tags=False),
    ContentScope(items=frozenset({"ARTAAAA2"})),
    ContentScope(items=frozenset({"ARTAAAA2"}), annotations=False, fields=frozenset({"title"})),
    replace(WORKS, items=frozenset({"ARTAAAA2", "PDFAAAA2"})),
    ContentScope(items=frozenset({"NOBODY22"})),
)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("running", [False, True])
def test_a_scope_has_what_it_needs_of_everything(
    tmp_path: Path, scope: ContentScope, running: bool
) -> None:
    other = replace(ITEM, key="ARTBBBB2", fields={"title": "On dunes", "date": "2021"})
    own = replace(NOTE, key="NOTEBBB2", parent="PDFAAAA2")
    library = replace(LIBRARY, items=(ITEM, other), notes=(NOTE, own))
    in_group = replace(other, library=GROUP, collections=())
    database = written(tmp_path, library, ZoteroContent(library=GROUP, items=(in_group,)))
    if running:
        database.as_while_running()
    else:
        database.close()
    zotero = LocalZotero(tmp_path)
    for ref in zotero.libraries():
        assert zotero.read(ref, scope) == narrowed(zotero.read(ref), scope)
    if running:
        database.close()


def test_a_citation_is_made_of_the_fields_for_it(tmp_path: Path) -> None:
    names = {"extra": "arXiv: 2101.00001\ntex.ids: fenn", "ISBN": "9783161484100", "DOI": "10.1/a"}
    fields = {**ITEM.fields, **names, "abstractNote": "Long.", "publicationTitle": "Coast"}
    whole = replace(ITEM, fields=fields)
    written(tmp_path, replace(LIBRARY, items=(whole,))).close()
    (item,) = LocalZotero(tmp_path).read(OWN, ContentScope(fields=CITED_FIELDS)).items
    assert "abstractNote" not in item.fields
    assert citation_of(item, {}) == citation_of(whole, {})


def test_what_stands_alone_is_taken(tmp_path: Path) -> None:
    alone = replace(PDF, key="PDFAAAA9", parent=None, collections=("SHELF222",), tags=ITEM.tags)
    note = replace(NOTE, key="NOTEAAA9", parent=None, collections=("SHELF222",))
    written(tmp_path, replace(LIBRARY, attachments=(PDF, alone), notes=(NOTE, note))).close()
    content = read(tmp_path)
    assert (content.attachments[1].parent, content.notes[1].parent) == (None, None)
    assert content.attachments[1].collections == content.notes[1].collections == ("SHELF222",)
    assert content.attachments[1].tags == ITEM.tags


def test_relations_are_the_keys_of_items(tmp_path: Path) -> None:
    other = replace(ITEM, key="ARTAAAA3", relations=("ARTAAAA2",))
    database = written(tmp_path, replace(LIBRARY, items=(ITEM, other)))
    database.connection.execute("insert into relationPredicates values (2, 'owl:sameAs')")
    database.connection.execute(
        "insert into itemRelations values (?, 2, 'http://zotero.org/groups/1/items/ARTAAAA9')",
        (database.item_id(0, "ARTAAAA3"),),
    )
    database.close()
    assert [item.relations for item in read(tmp_path).items] == [(), ("ARTAAAA2",)]


@pytest.mark.parametrize(
    ("name", "stored", "value"),
    [
        ("date", "2018-08-30 30 August 2018", "30 August 2018"),
        ("date", "2018-00-00 2018", "2018"),
        ("date", "0000-00-00 forthcoming", "forthcoming"),
        ("date", "2018", "2018"),
        ("date", "2018-08-30", "2018-08-30"),
        ("filingDate", "2018-08-00 Aug 2018", "Aug 2018"),
        ("accessDate", "2018-08-30 12:30:00", "2018-08-30 12:30:00"),
        ("title", "2018-08-30 was a storm", "2018-08-30 was a storm"),
    ],
)
def test_dates_are_as_typed(tmp_path: Path, name: str, stored: str, value: str) -> None:
    item = replace(ITEM, fields={name: stored})
    written(tmp_path, replace(LIBRARY, items=(item,))).close()
    assert read(tmp_path).items[0].fields == {name: value}


def test_the_bin_is_left_out_with_what_hangs_on_it(tmp_path: Path) -> None:
    kept = replace(ITEM, key="ARTAAAA3")
    database = written(tmp_path, replace(LIBRARY, items=(ITEM, kept)))
    database.bin(0, "ARTAAAA2")
    database.close()
    content = read(tmp_path)
    assert [item.key for item in content.items] == ["ARTAAAA3"]
    assert (content.attachments, content.annotations, content.notes) == ((), (), ())


@pytest.mark.parametrize(
    ("binned", "attachments", "annotations", "notes"),
    [("PDFAAAA2", 0, 0, 1), ("MARKAAA2", 1, 0, 1), ("NOTEAAA2", 1, 1, 0)],
)
def test_a_part_in_the_bin_leaves_the_rest(
    tmp_path: Path, binned: str, attachments: int, annotations: int, notes: int
) -> None:
    database = written(tmp_path, LIBRARY)
    database.bin(0, binned)
    database.close()
    content = read(tmp_path)
    assert len(content.items) == 1
    found = (len(content.attachments), len(content.annotations), len(content.notes))
    assert found == (attachments, annotations, notes)


def test_a_collection_in_the_bin_takes_those_below_it_along(tmp_path: Path) -> None:
    below = ZoteroCollection(library=OWN, key="SHELF223", path=("Shelf", "Left"), parent="SHELF222")
    other = ZoteroCollection(library=OWN, key="SHELF224", path=("Other",))
    item = replace(ITEM, collections=("SHELF222", "SHELF223", "SHELF224"))
    database = written(tmp_path, replace(LIBRARY, collections=(SHELF, below, other), items=(item,)))
    database.connection.execute(
        "insert into deletedCollections(collectionID)"
        " select collectionID from collections where key = 'SHELF222'"
    )
    database.close()
    content = read(tmp_path)
    assert content.collections == (other,)
    assert content.items[0].collections == ("SHELF224",)


def test_feeds_are_no_libraries(tmp_path: Path) -> None:
    database = written(tmp_path, LIBRARY, ZoteroContent(library=GROUP))
    database.connection.execute(
        "insert into libraries(libraryID, type, editable, filesEditable) values (9, 'feed', 0, 0)"
    )
    database.close()
    zotero = LocalZotero(tmp_path)
    assert zotero.libraries() == (OWN, GROUP)
    with pytest.raises(SourceUnavailable, match="no library groups/12"):
        zotero.read(ZoteroLibraryRef(group_id=12))


def test_an_attachment_whose_place_is_unknown_is_a_flaw(tmp_path: Path) -> None:
    linked = replace(
        PDF, link_mode=LinkMode.LINKED_FILE, stored_path="attachments:fenn.pdf", key="PDFAAAA3"
    )
    page = replace(PDF, link_mode=LinkMode.LINKED_URL, stored_path="", key="URLAAAA2", url="x:y")
    written(tmp_path, replace(LIBRARY, attachments=(PDF, linked, page))).close()
    content = read(tmp_path)
    assert [attachment.path is None for attachment in content.attachments] == [False, True, True]
    (flaw,) = content.flaws
    assert flaw.startswith("Attachment PDFAAAA3 is linked below a base directory")
    assert read(tmp_path, tmp_path / "base").flaws == ()
    assert content.attachments[2].url == "x:y"


def test_kinds_that_are_not_known_are_flaws(tmp_path: Path) -> None:
    database = written(tmp_path, replace(LIBRARY, attachments=(PDF, replace(PDF, key="PDFAAAA3"))))
    number = database.item_id(0, "PDFAAAA3")
    database.connection.execute(
        "update itemAttachments set linkMode = 7 where itemID = ?", [number]
    )
    database.connection.execute("update itemAnnotations set type = 99")
    database.close()
    content = read(tmp_path)
    assert (content.attachments[0].key, content.annotations) == ("PDFAAAA2", ())
    assert len(content.attachments) == 1
    first, second = content.flaws
    assert "PDFAAAA3" in first
    assert "link mode: 7" in first
    assert "MARKAAA2" in second


@pytest.mark.parametrize(
    "position",
    [
        '{"type": "FragmentSelector", "value": "epubcfi(/6/4!/4/2)"}',
        '{"pageIndex": "3"}',
        "[]",
        "not json",
    ],
)
def test_a_position_without_page_has_none(tmp_path: Path, position: str) -> None:
    database = written(tmp_path, LIBRARY)
    database.connection.execute("update itemAnnotations set position = ?", [position])
    database.close()
    (mark,) = read(tmp_path).annotations
    assert (mark.page_index, mark.rects, mark.text) == (None, (), MARK.text)


@pytest.mark.parametrize("userdata", [120, 123, 125, 129])
def test_known_schemas_are_read(tmp_path: Path, userdata: int) -> None:
    written(tmp_path, LIBRARY, userdata=userdata).close()
    assert len(read(tmp_path).items) == 1


@pytest.mark.parametrize(
    ("userdata", "message", "hint"),
    [(119, "too old", "Update Zotero")],
)
def test_an_unknown_schema_is_refused_in_plain_words(
    tmp_path: Path, userdata: int, message: str, hint: str
) -> None:
    written(tmp_path, LIBRARY, userdata=userdata).close()
    with pytest.raises(SourceUnavailable, match=message) as raised:
        read(tmp_path)
    assert str(userdata) in str(raised.value)
    assert hint in raised.value.hint


def test_a_newer_schema_is_read_with_a_warning_where_all_that_is_needed_is_there(
    tmp_path: Path,
) -> None:
    written(tmp_path, LIBRARY, userdata=131).close()
    zotero = LocalZotero(tmp_path)
    assert len(zotero.read(OWN).items) == 1
    [warning] = zotero.warnings
    assert "schema 131, newer than 129" in warning


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ("drop table itemTags", "itemTags.itemID, itemTags.tagID, itemTags.type"),
        ("alter table itemAnnotations rename column color to colour", "itemAnnotations.color"),
    ],
)
def test_a_newer_schema_without_what_is_needed_is_refused_by_its_name(
    tmp_path: Path, change: str, missing: str
) -> None:
    database = written(tmp_path, LIBRARY, userdata=131)
    database.connection.execute(change)
    database.close()
    with pytest.raises(SourceUnavailable, match="too new") as raised:
        read(tmp_path)
    assert f"(schema 131; up to 129 can be read; without {missing})" in raised.value.message
    assert "Update citeloom" in raised.value.hint


def test_another_database_is_not_taken_for_zoteros(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "zotero.sqlite")) as db:
        db.execute("create table version (something)")
    with pytest.raises(SourceUnavailable, match="is not a Zotero database"):
        read(tmp_path)


def test_a_database_that_lacks_a_table_is_said_to(tmp_path: Path) -> None:
    database = written(tmp_path, LIBRARY)
    database.connection.execute("drop table itemTags")
    database.close()
    with pytest.raises(SourceUnavailable, match="no such table: itemTags"):
        read(tmp_path)


def test_it_is_read_again_only_when_it_has_changed(tmp_path: Path) -> None:
    written(tmp_path, LIBRARY).close()
    zotero = LocalZotero(tmp_path)
    first = zotero.read(OWN)
    assert zotero.read(OWN) is first
    with closing(sqlite3.connect(tmp_path / "zotero.sqlite")) as db:
        db.execute("insert into deletedItems(itemID) select itemID from items where key='ARTAAAA2'")
        db.commit()
    assert zotero.read(OWN).items == ()


def test_nothing_in_the_data_directory_is_touched(tmp_path: Path) -> None:
    folder = tmp_path / "zotero"
    database = written(folder, LIBRARY)
    database.as_while_running()
    database.bin(0, "NOTEAAA2")
    with closing(sqlite3.connect(folder / "better-bibtex.sqlite")) as db:
        db.execute("create table citationkey (itemKey, libraryID, citationKey)")
    place = folder / "storage/PDFAAAA2/fenn.pdf"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"%PDF")
    for path in sorted(folder.rglob("*"), reverse=True):
        os.utime(path, ns=(1_700_000_000_123_456_789, 1_700_000_000_123_456_789))
    before = as_it_is(folder)
    zotero = LocalZotero(folder)
    content = zotero.read(OWN)
    zotero.fingerprint()
    assert content.notes == ()
    assert content.attachments[0].exists
    assert as_it_is(folder) == before
    database.close()


def test_no_copy_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "zotero", LIBRARY).close()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    read(tmp_path / "zotero")
    assert list(temporary.iterdir()) == []


def test_many_items_come_back_as_they_were_written(tmp_path: Path) -> None:
    wanted = many_items(300)
    written(tmp_path, wanted).close()
    content = read(tmp_path)
    assert content.items == wanted.items
    assert content.collections == wanted.collections
    assert [one.stored_path for one in content.attachments] == [
        one.stored_path for one in wanted.attachments
    ]
    assert not any(one.exists for one in content.attachments)


_words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20)
_names = st.builds(
    lambda role, family, given, single: Creator(
        role=role, family=family, given="" if single else given, single=single
    ),
    st.sampled_from(["author", "editor", "translator"]),
    _words,
    _words,
    st.booleans(),
)


@settings(max_examples=30, deadline=None)
@given(
    fields=st.dictionaries(st.sampled_from(["title", "abstractNote", "volume", "DOI"]), _words),
    creators=st.lists(_names, max_size=4),
    tags=st.dictionaries(_words, st.booleans(), max_size=4),
)
def test_whatever_an_item_says_is_read_as_it_stands(
    tmp_path_factory: pytest.TempPathFactory,
    fields: dict[str, str],
    creators: list[Creator],
    tags: dict[str, bool],
) -> None:
    item = replace(
        ITEM,
        fields=fields,
        creators=tuple(creators),
        tags=tuple(ZoteroTag(name=name, automatic=tags[name]) for name in sorted(tags)),
    )
    folder = tmp_path_factory.mktemp("zotero")
    written(folder, replace(LIBRARY, items=(item,))).close()
    (found,) = read(folder).items
    assert (found.fields, found.creators) == (item.fields, item.creators)
    assert set(found.tags) == set(item.tags)


@pytest.mark.parametrize(
    ("data", "flag", "retracted"),
    [
        ('{"date": "2021-02-03 00:00:00", "reasons": []}', 0, "2021-02-03"),
        ('{"date": null}', 0, "undated"),
        ("broken", 0, "undated"),
        ('{"date": "2021-02-03"}', 1, ""),
    ],
)
def test_retractions_are_those_that_zotero_shows(
    tmp_path: Path, data: str, flag: int, retracted: str
) -> None:
    database = ZoteroDatabase(tmp_path)
    database.write(ZoteroContent(library=OWN, items=(ITEM,), collections=(SHELF,)))
    database.connection.execute(
        "insert into retractedItems values (?, ?, ?)", (database.item_id(0, ITEM.key), data, flag)
    )
    database.close()
    [item] = LocalZotero(tmp_path).read(OWN).items
    assert item.retracted == retracted
    assert citation_of(item, {})[0].retracted == (retracted or None)
