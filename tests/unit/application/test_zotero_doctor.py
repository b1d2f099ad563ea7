from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from citeloom.application.ingest.fingerprints import citation_fingerprint
from citeloom.application.zotero.doctor import DiagnosedProject, Diagnosis, diagnose
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.validation import ZOTERO_CHECKS
from citeloom.domain.zotero.items import (
    UNDATED,
    LinkMode,
    ZoteroAttachment,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    citation_of,
)
from citeloom.domain.zotero.selection import ZoteroSelection
from tests.fakes.manifest_store import InMemoryManifest
from tests.fakes.source_files import InMemorySourceFiles
from tests.fakes.zotero_contents import OWN, many_items
from tests.fakes.zotero_library import MemoryZotero

PROJECT = "lab/tides"
GROUP = ZoteroLibraryRef(group_id=71, name="Coast group")
STORAGE = Path("/zotero/storage")


def _file(key: str, item: ZoteroItem | None, name: str = "a.pdf") -> ZoteroAttachment:
    return ZoteroAttachment(
        library=item.library if item else OWN,
        key=key,
        parent=item.key if item else None,
        link_mode=LinkMode.IMPORTED_FILE,
        stored_path=f"storage:{name}",
        path=STORAGE / key / name,
        exists=True,
    )


ITEM, OTHER = many_items(2).items
FILE, SECOND = _file("FILEAAA2", ITEM), _file("FILEAAA3", OTHER)
WHOLE = replace(many_items(2), attachments=(FILE, SECOND))


def _found(diagnosis: Diagnosis) -> dict[str, list[str]]:
    """Messages by check, of the checks that found something."""
    checks = dict.fromkeys(symptom.check for symptom in diagnosis.symptoms)
    return {
        check: [symptom.message for symptom in diagnosis.symptoms if symptom.check == check]
        for check in checks
    }


def _alone(*contents: ZoteroContent) -> dict[str, list[str]]:
    return _found(diagnose(zotero=MemoryZotero(*contents)))


def _with(
    *attachments: ZoteroAttachment, item: ZoteroItem = ITEM, flaws: tuple[str, ...] = ()
) -> ZoteroContent:
    return replace(WHOLE, items=(item,), attachments=attachments, flaws=flaws)


def test_a_whole_library_passes_every_check() -> None:
    diagnosis = diagnose(zotero=MemoryZotero(WHOLE), strict=True)
    assert diagnosis.passed
    assert diagnosis.symptoms == ()
    assert (diagnosis.items, diagnosis.documents) == (2, 2)
    assert set(diagnosis.counts.values()) == {0}
    assert "file" in diagnosis.counts
    assert "not-indexed" not in diagnosis.counts


def test_retracted_works_and_duplicates_are_named() -> None:
    twin = replace(OTHER, citekey="twin2020", fields={**OTHER.fields, "DOI": ITEM.fields["DOI"]})
    works = (replace(ITEM, retracted="2024-03-01"), replace(twin, retracted=UNDATED))
    found = _alone(replace(WHOLE, items=works))
    assert found["retracted"] == ["was retracted on 2024-03-01", "was retracted"]
    assert found["duplicate"] == [f"is the same work as {OTHER.key} twin2020"]
    shelf = ZoteroSelection(collections=OTHER.collections)
    chosen = diagnose(shelf, zotero=MemoryZotero(replace(WHOLE, items=works)))
    assert len(_found(chosen)["duplicate"]) == 1
    assert len(_found(chosen)["retracted"]) == 1


def test_a_missing_file_is_an_error_that_names_item_and_place() -> None:
    diagnosis = diagnose(zotero=MemoryZotero(_with(replace(FILE, exists=False))))
    (symptom,) = diagnosis.symptoms
    assert (symptom.check, symptom.item_key, symptom.attachment_key) == (
        "file",
        ITEM.key,
        "FILEAAA2",
    )
    assert symptom.citekey == ITEM.citekey
    assert symptom.message == "no file at /zotero/storage/FILEAAA2/a.pdf"
    assert not diagnosis.passed


def test_a_link_without_a_base_directory_is_told_once_and_in_the_reader_s_words() -> None:
    linked = replace(FILE, stored_path="attachments:a.pdf", path=None, exists=False)
    flaw = "Attachment FILEAAA2 is linked relative to a base directory, and none is set."
    assert _alone(_with(linked, flaws=(flaw,))) == {"base-dir": [flaw]}


def test_a_link_to_another_system_is_a_missing_file() -> None:
    linked = replace(FILE, stored_path="C:\\a.pdf", path=None, exists=False)
    found = _alone(_with(linked))
    assert found == {"file": ["cannot be located on this machine: C:\\a.pdf"]}


def test_what_an_item_lacks_is_told_one_by_one() -> None:
    bare = ZoteroItem(library=OWN, key="ITEMBARE", item_type="preprint")
    assert _alone(_with(_file("FILEAAA2", bare), item=bare)) == {
        "citekey": ["no citekey; is cited as entry-ITEMBARE"],
        "title": ["no title"],
        "creator": ["no creator"],
        "year": ["no date"],
        "doi": ["no DOI"],
    }


def test_a_date_without_a_year_is_quoted_and_a_book_needs_no_doi() -> None:
    item = replace(ITEM, item_type="book", fields={"title": "Neap", "date": "in spring"})
    assert _alone(_with(FILE, item=item)) == {"year": ["no year in 'in spring'"]}


def test_a_doi_in_extra_counts() -> None:
    fields = {"title": "Neap", "date": "1999", "extra": "DOI: 10.5555/neap"}
    assert _alone(_with(FILE, item=replace(ITEM, fields=fields))) == {}


def test_an_item_without_a_document_and_a_document_without_an_item() -> None:
    assert _alone(_with(_file("FILEAAA9", None))) == {
        "attachment": ["no document is attached"],
        "item": ["belongs to no item"],
    }


def test_a_citekey_of_two_libraries_clashes_even_if_one_is_looked_at() -> None:
    twin = replace(ITEM, library=GROUP, collections=())
    group = ZoteroContent(library=GROUP, items=(twin,), attachments=(_file("FILEAAA7", twin),))
    diagnosis = diagnose(
        ZoteroSelection(libraries=("all",), collections=("Shelf 00",)),
        zotero=MemoryZotero(_with(FILE), group),
    )
    assert _found(diagnosis) == {
        "citekey-clash": [f"has the citekey of {ITEM.key} (groups/71), too"]
    }


def test_what_else_the_reader_complains_of_is_passed_on() -> None:
    flaws = ("The citekey 'fenn1' is used by several items: ITEMAAAA in A, ITEMBBBB in B.",)
    diagnosis = diagnose(zotero=MemoryZotero(_with(FILE, flaws=flaws)))
    assert _found(diagnosis) == {"reading": [*flaws]}
    assert diagnosis.passed
    assert not replace(diagnosis, strict=True).passed


class Case:
    """The library of two documents, ingested into a project as it is."""

    def __init__(self) -> None:
        self.files = InMemorySourceFiles({str(one.path): "tides" for one in (FILE, SECOND)})
        self.zotero = MemoryZotero(WHOLE)
        self.manifest = InMemoryManifest()
        self.manifest.select(PROJECT, ZoteroSelection())
        for item, attachment in ((ITEM, FILE), (OTHER, SECOND)):
            self.manifest.put(self.indexed(item, attachment))

    def indexed(self, item: ZoteroItem, attachment: ZoteroAttachment) -> ManifestEntry:
        (file,) = self.files.find([str(attachment.path)], frozenset()).files
        citation, _ = citation_of(item, {one.key: one for one in WHOLE.collections})
        return ManifestEntry(
            project_id=PROJECT,
            path=file.name,
            status=Status.INDEXED,
            size=file.size,
            modified_ns=file.modified_ns,
            citekey=citation.citekey,
            citation=citation_fingerprint(citation),
            zotero_library=item.library.path,
            attachment_key=attachment.key,
            item_key=item.key,
        )

    def change(self, **changes: object) -> None:
        """Change the entry of the first document."""
        entry = self.manifest.get(PROJECT, str(FILE.path))
        assert entry is not None
        self.manifest.put(replace(entry, **changes))  # type: ignore[arg-type]

    def diagnosis(
        self, selection: ZoteroSelection | None = None, configured: ZoteroSelection | None = None
    ) -> Diagnosis:
        project = DiagnosedProject(
            id=PROJECT,
            manifest=self.manifest,
            files=self.files,
            suffixes=frozenset({".pdf"}),
            configured=configured,
        )
        return diagnose(selection, zotero=self.zotero, project=project)

    def found(self, selection: ZoteroSelection | None = None) -> dict[str, list[str]]:
        return _found(self.diagnosis(selection))


@pytest.fixture
def case() -> Case:
    return Case()


def test_a_project_that_has_everything_passes(case: Case) -> None:
    diagnosis = case.diagnosis()
    assert diagnosis.symptoms == ()
    assert diagnosis.project == PROJECT
    assert tuple(diagnosis.counts) == tuple(ZOTERO_CHECKS)


def test_a_document_the_project_has_not_is_told_with_the_command_that_mends_it(case: Case) -> None:
    case.manifest.remove(PROJECT, str(FILE.path))
    diagnosis = case.diagnosis()
    assert _found(diagnosis) == {"not-indexed": ["not indexed yet"]}
    assert diagnosis.hint("not-indexed") == f"Run `citeloom sync --project {PROJECT}`."


def test_a_project_that_has_nothing_of_zotero_s_is_told_how_to_begin(case: Case) -> None:
    case.manifest = InMemoryManifest()
    diagnosis = case.diagnosis()
    assert _found(diagnosis) == {"not-indexed": ["not indexed yet"] * 2}
    begin = f"Run `citeloom ingest --zotero --project {PROJECT}`."
    assert diagnosis.hint("not-indexed") == begin


def test_the_configured_selection_goes_over_that_of_the_last_ingest(case: Case) -> None:
    only = ZoteroSelection(collections=("Shelf 01",))
    assert case.diagnosis(configured=only).items == 1


def test_a_kind_of_file_that_is_not_read_is_not_expected_in_the_index(case: Case) -> None:
    picture = _file("FILEAAA8", OTHER, "a.tiff")
    case.files.write(str(picture.path), "")
    case.zotero.contents = (replace(WHOLE, attachments=(FILE, SECOND, picture)),)
    assert case.found()["format"] == [".tiff files cannot be read"]


def test_a_file_that_is_no_longer_the_only_one_of_its_item_is_out_of_date(case: Case) -> None:
    case.zotero.contents = (
        replace(WHOLE, attachments=(FILE, SECOND, _file("FILEAAA8", OTHER, "a.pdf"))),
    )
    assert case.found()["out-of-date"] == ["its reference changed since it was indexed"]


@pytest.mark.parametrize(
    ("code", "check"), [("EMPTY_DOCUMENT", "scanned"), ("ENCRYPTED_DOCUMENT", "unreadable")]
)
def test_a_document_that_failed_is_told_with_its_code(case: Case, code: str, check: str) -> None:
    case.change(status=Status.FAILED, error_code=code, error="no text")
    assert case.found() == {check: [f"{code}: no text"]}
    assert not case.diagnosis().passed


def test_an_interrupted_ingest_is_told(case: Case) -> None:
    case.change(status=Status.PROCESSING)
    assert case.found() == {"not-indexed": ["its ingest was interrupted"]}


def test_a_changed_file_is_out_of_date(case: Case) -> None:
    case.files.write(str(FILE.path), "other tides")
    assert case.found() == {"out-of-date": ["its file changed since it was indexed"]}


def test_a_changed_reference_is_out_of_date(case: Case) -> None:
    retagged = replace(ITEM, tags=())
    case.zotero.contents = (replace(WHOLE, items=(retagged, OTHER)),)
    assert case.found() == {"out-of-date": ["its reference changed since it was indexed"]}


def test_a_document_of_a_folder_may_have_its_reference_from_elsewhere(case: Case) -> None:
    case.change(zotero_library=None, attachment_key=None, item_key=None, citation="other")
    assert case.found() == {}
    case.change(citekey=None)
    assert case.found() == {"out-of-date": ["it was indexed without the reference that Zotero has"]}


def test_a_document_without_item_or_reference_is_unmatched(case: Case) -> None:
    case.change(citekey=None, item_key=None, citation="")
    alone = replace(FILE, parent=None)
    case.zotero.contents = (replace(WHOLE, items=(OTHER,), attachments=(alone, SECOND)),)
    assert case.found() == {
        "item": ["belongs to no item"],
        "unmatched": ["no reference was found for it"],
    }


def test_a_file_in_whose_place_another_stands_is_cited_as_that_one(case: Case) -> None:
    case.change(attachment_key="FILEAAA3", item_key=OTHER.key, citation="of the other")
    assert case.found() == {}


def test_what_was_deleted_in_zotero_is_still_indexed(case: Case) -> None:
    case.zotero.contents = (replace(WHOLE, items=(OTHER,), attachments=(SECOND,)),)
    diagnosis = case.diagnosis()
    (symptom,) = diagnosis.symptoms
    assert (symptom.check, symptom.item_key, symptom.citekey) == (
        "deleted",
        ITEM.key,
        ITEM.citekey,
    )
    assert symptom.message == "was deleted from Zotero, or is in its trash"


def test_what_left_the_selection_is_told_unless_a_part_is_looked_at(case: Case) -> None:
    only = ZoteroSelection(collections=("Shelf 01",))
    assert case.found(only) == {}
    case.manifest.select(PROJECT, only)
    assert case.found() == {"deleted": ["is no longer in the project's selection"]}
    assert case.found(ZoteroSelection(libraries=("all",))) == {}


def test_findings_come_in_the_order_of_the_checks(case: Case) -> None:
    case.manifest.remove(PROJECT, str(FILE.path))
    nameless = replace(OTHER, citekey="", fields={"title": "Neap"})
    case.zotero.contents = (
        replace(WHOLE, items=(ITEM, nameless), attachments=(FILE, replace(SECOND, exists=False))),
    )
    order = list(ZOTERO_CHECKS)
    ranks = [order.index(symptom.check) for symptom in case.diagnosis().symptoms]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) > 3


def test_a_library_that_is_refused_is_named_and_nothing_of_it_is_called_deleted(case: Case) -> None:
    case.change(zotero_library=GROUP.path)
    case.zotero = MemoryZotero(WHOLE, ZoteroContent(library=GROUP))
    everything = ZoteroSelection(libraries=("all",))
    assert "deleted" in case.found(everything)
    case.zotero.refused = frozenset({GROUP})
    found = case.found(everything)
    assert found["reading"] == ["Zotero gives no access to it"]
    assert "deleted" not in found
