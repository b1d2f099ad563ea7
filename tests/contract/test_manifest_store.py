"""What every manifest store promises."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.application.ports.records import ManifestStore
from citeloom.domain.documents.conversion import LeftOut, LeftOutKind
from citeloom.domain.documents.manifest import ManifestEntry, Status, Tombstone, WriteIntent
from citeloom.domain.zotero.selection import CalledInZotero, ZoteroSelection
from citeloom.infrastructure.sqlite_manifest import SqliteManifest
from tests.fakes.manifest_store import InMemoryManifest

STORES: dict[str, Callable[[Path], ManifestStore]] = {
    "memory": lambda folder: InMemoryManifest(),
    "sqlite": lambda folder: SqliteManifest(folder / "data" / "manifest.sqlite"),
}


def _mirrored(folder: Path) -> ManifestStore:
    """A `MirroredManifest` whose entries are repeated in Milvus Lite."""
    pytest.importorskip("milvus_lite", reason="needs milvus-lite: citeloom[milvus]")
    milvus = import_module("citeloom_milvus.index").MilvusIndex
    made = import_module("citeloom_milvus_documents")
    index = milvus.embedded(folder / "milvus.db")
    documents = made.MilvusDocuments.in_index(index, "document_metadata")
    manifest: ManifestStore = made.MirroredManifest(
        InMemoryManifest(), documents, lambda _: {"tags": ("a",)}
    )
    return manifest


STORES["Milvus"] = _mirrored
PAPER = ManifestEntry(
    project_id="lab/rye", path="papers/a.pdf", status=Status.PROCESSING, content_hash="ab12"
)

paths = st.sampled_from(["a.pdf", "A.pdf", "a/b.pdf", "ä.pdf", "z z.pdf", "漢.pdf"])
texts = st.text(max_size=20)
counts = st.integers(min_value=0, max_value=2**62)
entries = st.builds(
    ManifestEntry,
    project_id=st.sampled_from(["lab/rye", "lab/oats"]),
    path=paths,
    status=st.sampled_from(Status),
    content_hash=texts,
    size=counts,
    modified_ns=counts,
    fingerprint=texts,
    references=texts,
    lost_words=st.dictionaries(counts, counts, max_size=3),
    left_out=st.dictionaries(
        counts,
        st.tuples(st.builds(LeftOut, kind=st.sampled_from(LeftOutKind), count=counts, text=texts)),
        max_size=3,
    ),
    citekey=st.none() | texts,
    chunks=counts,
    zotero_library=st.none() | texts,
    attachment_key=st.none() | texts,
    error=st.none() | texts,
    created_at=st.none() | st.datetimes(timezones=st.just(UTC)),
    updated_at=st.none() | st.datetimes(timezones=st.just(UTC)),
)


@contextmanager
def opened(name: str) -> Iterator[ManifestStore]:
    with tempfile.TemporaryDirectory() as folder:
        store = STORES[name](Path(folder))
        yield store
        store.close()


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[ManifestStore]:
    with opened(request.param) as made:
        yield made


def test_an_empty_store_has_nothing(store: ManifestStore) -> None:
    assert store.get("lab/rye", "papers/a.pdf") is None
    assert store.entries("lab/rye") == []


def test_what_was_put_is_got(store: ManifestStore) -> None:
    store.put(PAPER)
    assert store.get(PAPER.project_id, PAPER.path) == PAPER


def test_a_put_replaces_the_whole_entry(store: ManifestStore) -> None:
    store.put(replace(PAPER, status=Status.FAILED, error_code="TIMEOUT", error="took too long"))
    indexed = replace(PAPER, status=Status.INDEXED, chunks=7)
    store.put(indexed)
    assert store.entries(PAPER.project_id) == [indexed]


def test_projects_do_not_see_each_other(store: ManifestStore) -> None:
    other = replace(PAPER, project_id="lab/oats", citekey="oats2020")
    store.put(PAPER)
    store.put(other)
    store.remove("lab/rye", PAPER.path)
    assert store.entries("lab/rye") == []
    assert store.entries("lab/oats") == [other]


def test_what_was_removed_is_gone(store: ManifestStore) -> None:
    store.put(PAPER)
    store.remove(PAPER.project_id, PAPER.path)
    assert store.get(PAPER.project_id, PAPER.path) is None


def test_removing_what_is_not_there_is_no_error(store: ManifestStore) -> None:
    store.remove("lab/rye", "nowhere.pdf")
    store.put(PAPER)
    store.remove("lab/rye", "nowhere.pdf")
    assert store.entries("lab/rye") == [PAPER]


def test_entries_come_by_path(store: ManifestStore) -> None:
    for path in ("b.pdf", "B.pdf", "a/z.pdf", "é.pdf", "10.pdf", "9.pdf"):
        store.put(replace(PAPER, path=path))
    listed = [entry.path for entry in store.entries(PAPER.project_id)]
    assert listed == ["10.pdf", "9.pdf", "B.pdf", "a/z.pdf", "b.pdf", "é.pdf"]


def test_many_are_put_and_removed_at_once(store: ManifestStore) -> None:
    entries = [replace(PAPER, path=f"papers/{letter}.pdf") for letter in "abc"]
    store.put(*entries)
    assert store.entries(PAPER.project_id) == entries
    store.remove(PAPER.project_id, "papers/a.pdf", "nowhere.pdf", "papers/c.pdf")
    assert store.entries(PAPER.project_id) == [entries[1]]


def test_the_selection_of_a_project_is_the_last_one(store: ManifestStore) -> None:
    selection = ZoteroSelection(
        libraries=("all",),
        collections=("Papers/Tides",),
        subcollections=True,
        saved_searches=("SEARCH23",),
        exclude_tags=("x",),
        annotations=True,
        notes=True,
        called=(CalledInZotero(key="PAPERS23", path="Papers/In\\/Out"),),
    )
    assert store.selection("lab/rye") is None
    store.select("lab/rye", ZoteroSelection())
    store.select("lab/rye", selection)
    store.select("lab/oats", ZoteroSelection(tags=("coast", "read later")))
    kept = store.selection("lab/rye")
    assert kept is not None
    assert (kept, kept.called) == (selection, selection.called)


GRAVE = Tombstone(
    project_id="lab/rye",
    doc_id="ab12",
    path="papers/ä.pdf",
    citekey="rye2001",
    created_at=datetime(2026, 3, 1, tzinfo=UTC),
)
INTENT = WriteIntent(project_id="lab/rye", path="papers/a.pdf", doc_id="ab12", generation="g1")


def test_a_tombstone_stands_until_it_is_removed(store: ManifestStore) -> None:
    store.remove_tombstones("lab/rye", "ab12")
    assert store.tombstones("lab/rye") == []
    other = replace(GRAVE, doc_id="0000", citekey=None, created_at=None)
    foreign = replace(GRAVE, project_id="lab/oats")
    store.put_tombstones(GRAVE, other, foreign)
    assert store.tombstones("lab/rye") == [other, GRAVE]
    store.put_tombstones(replace(GRAVE, finished=True))
    assert store.tombstones("lab/rye") == [other, replace(GRAVE, finished=True)]
    store.close()
    store.remove_tombstones("lab/rye", "ab12", "nobody")
    assert store.tombstones("lab/rye") == [other]
    assert store.tombstones("lab/oats") == [foreign]


def test_an_intent_stands_until_it_is_removed(store: ManifestStore) -> None:
    store.remove_intents(INTENT)
    assert store.intents("lab/rye") == []
    other = replace(INTENT, doc_id="0000")
    later = replace(INTENT, generation="g2")
    store.put_intents(INTENT, other, later, replace(INTENT, project_id="lab/oats"))
    store.put_intents(INTENT)
    assert store.intents("lab/rye") == [other, INTENT, later]
    store.close()
    store.remove_intents(INTENT, replace(INTENT, path="nowhere.pdf"))
    assert store.intents("lab/rye") == [other, later]
    assert len(store.intents("lab/oats")) == 1


def test_closing_twice_loses_nothing(store: ManifestStore) -> None:
    store.put(PAPER)
    store.close()
    store.close()
    assert store.get(PAPER.project_id, PAPER.path) == PAPER


@pytest.mark.parametrize("name", STORES)
@settings(max_examples=25, deadline=None)
@given(written=st.lists(entries, max_size=8))
def test_a_store_holds_the_last_of_each_path(name: str, written: list[ManifestEntry]) -> None:
    last = {(entry.project_id, entry.path): entry for entry in written}
    with opened(name) as store:
        for entry in written:
            store.put(entry)
        for project in ("lab/rye", "lab/oats"):
            expected = [last[key] for key in sorted(last) if key[0] == project]
            assert store.entries(project) == expected
