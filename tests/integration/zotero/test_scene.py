"""What happens in a Zotero that is in use, change by change, and what each does to the index."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from citeloom.application.reports import IngestReport
from citeloom.application.requests.ingest import IngestRequest
from citeloom.application.zotero.ingest_zotero import IngestZotero
from citeloom.domain.errors import SourceUnavailable
from citeloom.domain.zotero.items import (
    AnnotationType,
    Creator,
    LinkMode,
    ZoteroAnnotation,
    ZoteroAttachment,
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    ZoteroNote,
)
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.zotero.local import LocalZotero
from tests.fakes.source_files import InMemorySourceFiles
from tests.fakes.zotero_contents import OWN
from tests.fakes.zotero_database import ZoteroDatabase, as_it_is
from tests.unit.application.library import Library, paper

GROUP = ZoteroLibraryRef(group_id=71, name="Coast group")
TIDES = ZoteroCollection(library=OWN, key="TIDESAA2", path=("Tides",))
EXCLUDED = "not yet"
SELECTION = ZoteroSelection(
    libraries=("all",), exclude_tags=(EXCLUDED,), annotations=True, notes=True
)
WORKS = ("oats", "rye", "barley", "wheat", "millet", "spelt", "emmer", "maize", "rice", "durum")


def _item(work: str, library: ZoteroLibraryRef = OWN) -> ZoteroItem:
    return ZoteroItem(
        library=library,
        key=_key("ITEM" if library == OWN else "SHAR", work),
        item_type="journalArticle",
        fields={"title": f"On {work}", "date": "2019", "citationKey": work, "DOI": f"10.5/{work}"},
        creators=(Creator(role="author", family=work.title(), given="Ada"),),
        parsed_year=2019,
    )


def _file(work: str, name: str = "", library: ZoteroLibraryRef = OWN) -> ZoteroAttachment:
    return ZoteroAttachment(
        library=library,
        key=_key("FILE" if library == OWN else "CQPY", name or work),
        parent=_key("ITEM" if library == OWN else "SHAR", work),
        link_mode=LinkMode.IMPORTED_FILE,
        title=name or work,
        content_type="application/pdf",
        stored_path=f"storage:{name or work}.pdf",
    )


def _key(prefix: str, name: str) -> str:
    return f"{prefix}{name.upper():A<4.4}".replace("I", "J").replace("O", "Q")


@dataclass
class Scene:
    """A Zotero that runs, and the project that follows it."""

    folder: Path
    zotero: ZoteroDatabase
    library: Library
    reader: LocalZotero

    @property
    def storage(self) -> Path:
        return self.folder / "storage"

    def sync(self, request: IngestRequest | None = None) -> IngestReport:
        """A sync of what Zotero and its files are now; nothing of Zotero's is touched."""
        before = as_it_is(self.folder)
        self.library.files = InMemorySourceFiles.copy_of(self.storage, base=self.folder)
        use_case = IngestZotero(parts=self.library.parts(), reach=lambda: self.reader)
        try:
            return use_case.sync(request or IngestRequest())
        finally:
            assert as_it_is(self.folder) == before

    # -- what people do

    def add(self, *works: str, name: str = "", library: ZoteroLibraryRef = OWN) -> None:
        """Add works with a file each, or another file of a work."""
        files = [_file(work, name, library) for work in works]
        for work, file in zip(works, files, strict=True):
            self.write(file, paper(name or work))
        items = () if name else tuple(_item(work, library) for work in works)
        self.zotero.write(ZoteroContent(library=library, items=items, attachments=tuple(files)))

    def write(self, file: ZoteroAttachment, text: str) -> None:
        path = self.storage / file.key / file.stored_path.removeprefix("storage:")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def do(self, statement: str, *values: object) -> None:
        self.zotero.connection.execute(statement, values)

    def id(self, key: str, group: int = 0) -> int:
        return self.zotero.item_id(group, key)

    def set(self, work: str, name: str, value: str) -> None:
        """Change a field of a work."""
        self.do("insert or ignore into itemDataValues(value) values (?)", value)
        self.do(
            "insert or replace into itemData select ?, fieldID, valueID from fields, itemDataValues"
            " where fieldName = ? and value = ?",
            self.id(_key("ITEM", work)),
            name,
            value,
        )

    def tag(self, key: str, name: str) -> None:
        self.do("insert or ignore into tags(name) values (?)", name)
        self.do(
            "insert into itemTags select ?, tagID, 0 from tags where name = ?", self.id(key), name
        )

    def untag(self, key: str) -> None:
        self.do("delete from itemTags where itemID = ?", self.id(key))

    def rename(self, work: str, name: str) -> None:
        """Rename the file of a work, as Zotero does to fit its item."""
        folder = self.storage / _key("FILE", work)
        (folder / f"{work}.pdf").rename(folder / name)
        self.do(
            "update itemAttachments set path = ? where itemID = ?",
            f"storage:{name}",
            self.id(folder.name),
        )

    def delete(self, work: str) -> None:
        """Delete a work for good, and its file."""
        for key in (_key("FILE", work), _key("ITEM", work)):
            for table in ("items", "itemData", "itemAttachments"):
                self.do(f"delete from {table} where itemID = ?", self.id(key))

    def note(self, text: str) -> None:
        self.zotero.write(
            ZoteroContent(
                library=OWN,
                notes=(ZoteroNote(library=OWN, key="NOTEAAA2", parent=RYE, html=f"<p>{text}</p>"),),
            )
        )

    def bin(self, key: str) -> None:
        self.zotero.bin(0, key)

    def restore(self, key: str) -> None:
        self.do("delete from deletedItems where itemID = ?", self.id(key))

    def annotate(self, key: str, **fields: object) -> None:
        mark = ZoteroAnnotation(
            library=OWN,
            key=key,
            attachment=_key("FILE", "rye"),
            type=AnnotationType.HIGHLIGHT,
            text="Plot 1 of rye was measured",
            color="#ffd400",
            page_index=0,
            page_label="113",
            sort_index="00000|000000|00000",
        )
        self.zotero.write(ZoteroContent(library=OWN, annotations=(replace(mark, **fields),)))  # type: ignore[arg-type]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    folder = tmp_path / "Zotero"
    database = ZoteroDatabase(folder)
    library = Library()
    made = Scene(folder, database, library, LocalZotero(folder))
    database.write(ZoteroContent(library=OWN, collections=(TIDES,)))
    made.add(*WORKS)
    database.as_while_running()
    library.files = InMemorySourceFiles.copy_of(made.storage, base=folder)
    ingest = IngestZotero(parts=library.parts(), reach=lambda: made.reader)
    assert len(ingest(IngestRequest(), SELECTION).indexed) == len(WORKS)
    with closing(database):
        yield made


def _marks(report: IngestReport) -> dict[str, int]:
    return {
        f"{kind} {name}": number
        for kind, counts in report.marks.items()
        for name in ("indexed", "updated", "removed")
        if (number := getattr(counts, name))
    }


def _outcome(report: IngestReport) -> list[str]:
    """What a sync did: the citekeys of documents, and how many annotations and notes."""
    documents = [
        f"{kind} {each.split()[0]}" for kind, those in report.changes.items() for each in those
    ]
    marks = [f"{what} {number}" for what, number in _marks(report).items()]
    reading = report.zotero
    missing = [f"missing @{one.citekey}" for one in reading.missing] if reading else []
    copies = [f"copy {Path(path).name}" for path in report.duplicates]
    return [*dict.fromkeys((*documents, *marks, *missing, *copies))]


RYE, OATS = _key("ITEM", "rye"), _key("ITEM", "oats")
CHANGES: list[tuple[str, Callable[[Scene], object], list[str]]] = [
    ("nothing", lambda s: None, []),
    ("a work with a file is added", lambda s: s.add("lentil"), ["added @lentil"]),
    (
        "a work gets a second file",
        lambda s: s.add("rye", name="supp1"),
        ["added @rye", "changed @rye"],
    ),
    (
        "a title is corrected",
        lambda s: s.set("rye", "title", "On winter rye"),
        ["changed @rye"],
    ),
    (
        "a citekey is changed",
        lambda s: s.set("oats", "citationKey", "oats2019"),
        ["changed @oats2019"],
    ),
    (
        "a date is corrected",
        lambda s: s.set("barley", "date", "2018-00-00 2018"),
        ["changed @barley"],
    ),
    (
        "an author is corrected",
        lambda s: s.do("update creators set lastName = 'Millet-Fenn' where lastName = 'Millet'"),
        ["changed @millet"],
    ),
    ("a work is tagged", lambda s: s.tag(RYE, "crops"), ["changed @rye"]),
    (
        "a tag is renamed",
        lambda s: s.do("update tags set name = 'grain' where name = 'crops'"),
        ["changed @rye"],
    ),
    ("a tag is taken away", lambda s: s.untag(RYE), ["changed @rye"]),
    (
        "a work is filed",
        lambda s: s.do(
            "insert into collectionItems(collectionID, itemID) values (1, ?)", s.id(OATS)
        ),
        ["changed @oats2019"],
    ),
    (
        "a collection is renamed",
        lambda s: s.do("update collections set collectionName = 'Tides and currents'"),
        ["changed @oats2019"],
    ),
    (
        "a collection is deleted",
        lambda s: s.do("insert into deletedCollections(collectionID) values (1)"),
        ["changed @oats2019"],
    ),
    (
        "a file gets another content",
        lambda s: s.write(_file("wheat"), paper("spring wheat")),
        ["changed @wheat"],
    ),
    (
        "a file is lost",
        lambda s: (s.storage / _key("FILE", "millet") / "millet.pdf").rename(s.folder / "lost.pdf"),
        ["missing @millet"],
    ),
    (
        "the file is found",
        lambda s: (s.folder / "lost.pdf").rename(s.storage / _key("FILE", "millet") / "millet.pdf"),
        [],
    ),
    ("a file is renamed", lambda s: s.rename("spelt", "dinkel.pdf"), ["changed @spelt"]),
    (
        "a file is moved to another work",
        lambda s: s.do(
            "update itemAttachments set parentItemID = ? where itemID = ?",
            s.id(OATS),
            s.id(_key("FILE", "supp1")),
        ),
        ["changed @oats2019", "changed @rye"],
    ),
    ("a file goes to the bin", lambda s: s.bin(_key("FILE", "emmer")), ["removed @emmer"]),
    ("a file comes back", lambda s: s.restore(_key("FILE", "emmer")), ["added @emmer"]),
    ("a work goes to the bin", lambda s: s.bin(_key("ITEM", "maize")), ["removed @maize"]),
    ("a work comes back", lambda s: s.restore(_key("ITEM", "maize")), ["added @maize"]),
    ("a work is deleted for good", lambda s: s.delete("lentil"), ["removed @lentil"]),
    (
        "a work is excluded by a tag",
        lambda s: s.tag(_key("ITEM", "rice"), EXCLUDED),
        ["removed @rice"],
    ),
    ("it is excluded no more", lambda s: s.untag(_key("ITEM", "rice")), ["added @rice"]),
    ("a passage is highlighted", lambda s: s.annotate("MARKAAA2"), ["annotation indexed 1"]),
    (
        "a highlight is commented",
        lambda s: s.do("update itemAnnotations set comment = 'Why?'"),
        ["annotation indexed 1"],
    ),
    (
        "a highlight gets another colour",
        lambda s: s.do("update itemAnnotations set color = '#ff6666'"),
        ["annotation indexed 1"],
    ),
    (
        "a highlighted work is tagged",
        lambda s: s.tag(RYE, "read"),
        ["changed @rye", "annotation updated 1"],
    ),
    ("a highlight is deleted", lambda s: s.bin("MARKAAA2"), ["annotation removed 1"]),
    ("a note is written", lambda s: s.note("Sown too late."), ["note indexed 1"]),
    (
        "a note is edited",
        lambda s: s.do("update itemNotes set note = '<p>Sown too early.</p>'"),
        ["note indexed 1"],
    ),
    ("a note is deleted", lambda s: s.bin("NOTEAAA2"), ["note removed 1"]),
    (
        "a work is retracted",
        lambda s: s.do(
            "insert into retractedItems values (?, ?, 0)",
            s.id(RYE),
            json.dumps({"date": "2024-05-01"}),
        ),
        ["changed @rye"],
    ),
    (
        "works are related",
        lambda s: s.do(
            "insert into itemRelations values (?, 1, ?)",
            s.id(RYE),
            f"http://zotero.org/users/local/x/items/{OATS}",
        ),
        ["changed @rye"],
    ),
    (
        "a group has a work, too",
        lambda s: s.add("durum", library=GROUP),
        ["changed @durum", "copy durum.pdf"],
    ),
    ("one of two copies is binned", lambda s: s.bin(_key("ITEM", "durum")), ["changed @durum"]),
    ("the database is compacted", lambda s: s.do("pragma wal_checkpoint(truncate)"), []),
]


def test_thirty_changes_of_a_library_in_use_each_have_their_outcome(scene: Scene) -> None:
    assert len(CHANGES) >= 30
    for name, change, expected in CHANGES:
        change(scene)
        assert (name, _outcome(scene.sync())) == (name, expected)
    stored = scene.library.stored().values()
    assert {one.citation.citekey for one in stored if one.citation} == {
        *(work for work in WORKS if work != "oats"),
        "oats2019",
    }
    before = scene.library.stored()
    assert _outcome(scene.sync()) == []
    assert scene.library.stored() == before


def test_many_works_that_go_at_once_stay_until_that_is_confirmed(scene: Scene) -> None:
    for work in WORKS[:4]:
        scene.bin(_key("ITEM", work))
    report = scene.sync()
    assert (report.pruned, [len(one.documents) for one in report.withheld]) == ([], [4])
    assert len(scene.sync(IngestRequest(yes=True)).pruned) == 4
    for work in WORKS[4:]:
        scene.bin(_key("ITEM", work))
    with pytest.raises(SourceUnavailable, match="no document of the selection"):
        scene.sync(IngestRequest(yes=True))
    assert len(scene.library.entries()) == len(WORKS) - 4


def test_linked_files_follow_their_base_directory(scene: Scene) -> None:
    linked = replace(
        _file("rye", "linked"),
        link_mode=LinkMode.LINKED_FILE,
        stored_path="attachments:crops/linked.pdf",
    )
    before, after = scene.storage / "papers", scene.storage / "moved"
    (before / "crops").mkdir(parents=True)
    (before / "crops" / "linked.pdf").write_text(paper("linked rye"), encoding="utf-8")
    scene.zotero.write(ZoteroContent(library=OWN, attachments=(linked,)))
    assert _outcome(scene.sync()) == ["changed @rye", "missing @rye"]
    scene.reader = LocalZotero(scene.folder, base_dir=before)
    assert _outcome(scene.sync()) == ["added @rye"]
    before.rename(after)
    assert _outcome(scene.sync()) == ["missing @rye"]
    scene.reader = LocalZotero(scene.folder, base_dir=after)
    report = scene.sync()
    assert report.moved == ["storage/moved/crops/linked.pdf"]
    assert (_outcome(report), scene.library.embedded) == (["changed @rye"], 0)
