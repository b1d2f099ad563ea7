"""What a project is set up with before anything is ingested."""

from __future__ import annotations

from dataclasses import replace

from citeloom.application.library_info import ProjectSetup, describe_setup
from citeloom.application.ports.sources import ReferenceLibrary, SourceFolder, ZoteroLibrary
from citeloom.domain.errors import InvalidReferences, SourceUnavailable
from citeloom.domain.references.citation import CitationMeta
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.fakes.zotero_library import MemoryZotero
from tests.unit.application.library import RYE, Library, open_project, paper

AWAY = SourceUnavailable("there is no Zotero here", "Start Zotero.")
BROKEN = InvalidReferences("line 3 is no entry", "Export it again.")


class BrokenReferences(MemoryReferenceLibrary):
    def references(self) -> tuple[CitationMeta, ...]:
        raise BROKEN


def no_zotero() -> ZoteroLibrary:
    raise AWAY


def setup(library: Library, references: ReferenceLibrary, *, zotero: bool = False) -> ProjectSetup:
    return describe_setup(
        open_project(library),
        references=references,
        zotero=MemoryZotero if zotero else no_zotero,
        suffixes=frozenset({".txt"}),
    )


def test_what_is_there_is_counted_and_nothing_read() -> None:
    library = Library({"papers/a.txt": paper("rye"), "papers/b.bin": "x", "papers/c.txt": "y"})
    described = setup(library, MemoryReferenceLibrary(RYE), zotero=True)
    assert (described.files, described.references, described.zotero) == (2, 1, "memory")
    assert described.sources == (SourceFolder(name="papers"),)
    assert (described.reference_fault, described.zotero_fault) == (None, None)
    assert library.manifest.entries("lab/wheat") == []


def test_what_is_missing_has_its_fault() -> None:
    described = setup(Library({}), BrokenReferences())
    assert (described.files, described.references, described.zotero) == (0, 0, "")
    assert described.sources[0].fault
    assert described.reference_fault is BROKEN
    assert described.zotero_fault is AWAY
    assert described == replace(described, zotero_fault=None)
