"""What an ingest from Zotero puts into the index, and how a sync keeps it so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.documents import list_documents
from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.errors import ConfigError, NotFound, SourceUnavailable
from citeloom.domain.zotero.items import ZoteroSavedSearch, ZoteroTag
from citeloom.domain.zotero.selection import ZoteroSelection
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.fakes.zotero_contents import OWN
from tests.unit.application.library import PROJECT, RYE, open_project, paper
from tests.unit.application.zotero_project import EVERYTHING, ZoteroProject

FIRST, SECOND, THIRD = (f"storage/PDFAAAA{n}/PDFAAAA{n}.txt" for n in (2, 3, 4))
READ_LATER = ZoteroTag(name="read later")


def ingested() -> ZoteroProject:
    project = ZoteroProject()
    project.ingest()
    return project


def citekeys(project: ZoteroProject) -> dict[str, str | None]:
    """The citekey that the chunks of each file have."""
    return {
        stored.source_path: stored.citation.citekey if stored.citation else None
        for stored in project.library.stored().values()
    }


def test_every_document_is_cited_as_its_item_and_none_is_matched_by_guess() -> None:
    project = ZoteroProject()
    project.library.references = MemoryReferenceLibrary(RYE, mapping={"*.txt": "rye2001"})
    report = project.ingest()
    assert report.indexed == [FIRST, SECOND, THIRD]
    assert report.matched == {"item": 3}
    assert citekeys(project) == {
        path: project.item(n).citekey for n, path in enumerate((FIRST, SECOND, THIRD))
    }


def test_chunks_and_catalogue_know_the_attachment_and_the_item() -> None:
    project = ingested()
    for stored in project.library.stored().values():
        assert (stored.zotero_library, stored.attachment_key) == (
            "library",
            stored.source_path[8:16],
        )
    entry = project.library.entries()[SECOND]
    assert entry.origin is not None
    assert (entry.origin.attachment_key, entry.origin.item_key) == ("PDFAAAA3", project.item(1).key)


def test_an_unchanged_library_costs_nothing() -> None:
    project = ingested()
    report = project.sync()
    assert report.unchanged == [FIRST, SECOND, THIRD]
    assert project.library.fuse.journal == []
    assert project.library.converted == []


def test_one_retagged_item_costs_one_update() -> None:
    project = ingested()
    project.change(1, tags=(READ_LATER,))
    report = project.sync()
    assert (report.updated, report.unchanged) == ([SECOND], [FIRST, THIRD])
    assert project.library.converted == []
    assert project.library.fuse.journal == ["update_metadata", "flush", "put indexed"]
    tagged = {
        stored.source_path
        for stored in project.library.stored().values()
        if stored.citation and "read later" in stored.citation.tags
    }
    assert tagged == {SECOND}
    assert project.sync().updated == []


def test_another_page_range_labels_the_pages_anew_without_embedding() -> None:
    project = ingested()
    project.retitle(0, pages="71-73")
    report = project.sync()
    assert report.updated == [FIRST]
    assert project.library.embedded == 0
    labels = {
        s.chunk.page_labels for s in project.library.stored().values() if s.source_path == FIRST
    }
    assert labels == {("71",), ("72",), ("73",)}


def test_an_item_in_another_collection_is_recited() -> None:
    project = ingested()
    project.change(0, collections=(project.content.collections[7].key,))
    assert project.sync().updated == [FIRST]
    collections = {s.citation.collections for s in project.library.stored().values() if s.citation}
    assert ("Shelf 07",) in collections


def test_a_renamed_file_is_moved_without_embedding() -> None:
    project = ingested()
    before = set(project.library.stored())
    project.library.files.move(FIRST, "storage/PDFAAAA2/tides.txt")
    moved = project.attach("PDFAAAA2", project.item(0).key, paper("wheat"), "tides.txt")
    report = project.sync()
    assert (report.moved, report.indexed, report.pruned) == ([moved], [], [])
    assert project.library.embedded == 0
    assert set(project.library.stored()) == before
    assert project.library.sources() == {moved: 3, SECOND: 3, THIRD: 3}
    assert set(project.library.entries()) == {moved, SECOND, THIRD}


def test_a_changed_file_and_a_new_item_are_ingested() -> None:
    project = ingested()
    project.attach("PDFAAAA2", project.item(0).key, paper("rye"))
    new = project.attach("PDFAAAA9", project.item(0).key, paper("millet"))
    report = project.sync()
    assert report.indexed == [FIRST, new]
    assert all(
        "rye" in s.chunk.text for s in project.library.stored().values() if s.source_path == FIRST
    )


def test_a_file_of_several_items_is_stored_once_and_found_as_each_of_them() -> None:
    project = ZoteroProject()
    project.change(0, tags=(READ_LATER,))
    copy = project.attach("PDFAAAA3", project.item(1).key, paper("wheat"))
    report = project.ingest()
    assert copy not in {stored.source_path for stored in project.library.stored().values()}
    assert report.duplicates
    [citation] = {
        stored.citation
        for stored in project.library.stored().values()
        if stored.source_path == FIRST
    }
    assert citation is not None
    first, second = project.item(0), project.item(1)
    assert (citation.citekey, citation.aliases) == (first.citekey, (second.citekey,))
    assert {"read later", *(tag.name for tag in second.tags)} <= {*citation.tags}
    assert len(citation.collection_keys) == len({*first.collections, *second.collections})
    assert project.sync().updated == []


@pytest.mark.parametrize("how", ["binned", "untagged", "moved out"])
def test_what_has_left_the_selection_is_dropped_by_sync(how: str) -> None:
    project = ZoteroProject()
    shelf = project.content.collections[0]
    for number in range(3):
        project.change(number, tags=(READ_LATER,), collections=(shelf.key,))
    project.ingest(ZoteroSelection(tags=("read later",), collections=("Shelf 00",)))
    if how == "binned":
        project.bin(1)
    else:
        project.change(1, **({"tags": ()} if how == "untagged" else {"collections": ()}))
    looked = project.sync(IngestRequest(dry_run=True))
    assert (looked.left, looked.pruned) == ([SECOND], [])
    report = project.sync()
    assert (report.pruned, report.left, report.gone) == ([SECOND], [], [])
    assert project.library.sources() == {FIRST: 3, THIRD: 3}
    assert set(project.library.entries()) == {FIRST, THIRD}


def test_an_ingest_tells_what_has_left_and_drops_it_only_when_asked() -> None:
    project = ingested()
    project.bin(2)
    assert project.ingest().left == [THIRD]
    assert project.library.sources() == {FIRST: 3, SECOND: 3, THIRD: 3}
    assert project.ingest(request=IngestRequest(prune=True)).pruned == [THIRD]
    assert project.library.sources() == {FIRST: 3, SECOND: 3}


def test_documents_of_folders_stay_even_without_their_file() -> None:
    project = ZoteroProject()
    project.library.files.write("papers/a.txt", paper("millet"))
    project.library.files.write("papers/b.txt", paper("sorghum"))
    project.library.ingest()
    project.ingest()
    project.library.files.remove("papers/a.txt")
    project.bin(0)
    report = project.sync()
    assert (report.pruned, report.gone) == ([FIRST], ["papers/a.txt"])
    assert set(project.library.sources()) == {"papers/a.txt", "papers/b.txt", SECOND, THIRD}


def test_a_folder_run_says_nothing_of_zoteros_documents() -> None:
    project = ingested()
    project.library.files.write("papers/a.txt", paper("millet"))
    project.library.files.remove(FIRST)
    report = project.library.ingest(IngestRequest(prune=True))
    assert (report.indexed, report.gone, report.left, report.pruned) == (
        ["papers/a.txt"],
        [],
        [],
        [],
    )
    assert FIRST in project.library.sources()


def test_a_missing_file_is_told_with_its_item_and_its_passages_stay() -> None:
    project = ingested()
    project.library.files.remove(FIRST)
    project.attach("PDFAAAA2", project.item(0).key, None)
    report = project.sync()
    assert report.zotero is not None
    (missing,) = report.zotero.missing
    assert (missing.citekey, missing.title) == (project.item(0).citekey, project.item(0).title)
    assert missing.path is not None
    assert missing.path.endswith(FIRST)
    assert (report.pruned, report.left, report.failed) == ([], [], [])
    assert FIRST in project.library.sources()


def test_an_empty_answer_never_empties_the_index() -> None:
    project = ingested()
    content, project.content = project.content, replace(project.content, items=(), attachments=())
    for run in (project.sync, project.ingest):
        with pytest.raises(SourceUnavailable, match="3 of its documents") as raised:
            run()
        assert "citeloom delete" in raised.value.hint
    assert len(project.library.stored()) == 9
    project.content = content
    assert project.sync().unchanged == [FIRST, SECOND, THIRD]


def test_a_collection_that_is_gone_changes_nothing() -> None:
    project = ZoteroProject()
    project.ingest(ZoteroSelection(collections=("Shelf 00",)))
    project.content = replace(project.content, collections=project.content.collections[1:])
    with pytest.raises(NotFound, match="Shelf 00"):
        project.sync()
    assert project.library.sources() == {FIRST: 3}


def test_a_sync_without_a_selection_says_so_before_zotero_is_asked() -> None:
    def unreachable() -> ZoteroLibrary:
        raise SourceUnavailable("Zotero is not on this machine")

    sync = replace(ZoteroProject().use_case(), reach=unreachable).sync
    with pytest.raises(ConfigError, match="no selection"):
        sync(IngestRequest())


def test_a_sync_follows_the_last_selection_and_the_configured_one_before_it() -> None:
    project = ZoteroProject()
    with pytest.raises(ConfigError, match="no selection") as raised:
        project.sync()
    assert "--zotero" in raised.value.hint
    project.ingest(ZoteroSelection(collections=("Shelf 01",)), IngestRequest(dry_run=True))
    project.ingest(ZoteroSelection(collections=("Shelf 00",)))
    assert project.sync().unchanged == [FIRST]
    project.library.project = replace(PROJECT, zotero=ZoteroSelection(collections=("Shelf 02",)))
    report = project.sync()
    assert (report.indexed, report.pruned) == ([THIRD], [FIRST])


def test_content_that_two_items_share_is_embedded_once_and_cited_as_the_first() -> None:
    project = ZoteroProject(2)
    project.attach("PDFAAAA3", project.item(1).key, paper("wheat"))
    report = project.ingest()
    assert (report.indexed, report.duplicates) == ([FIRST], {SECOND: FIRST})
    assert citekeys(project) == {FIRST: project.item(0).citekey}
    assert project.sync().duplicates == {SECOND: FIRST}
    assert project.library.fuse.journal == []
    project.bin(0)
    report = project.sync()
    assert (report.moved, report.updated, report.pruned) == ([SECOND], [SECOND], [])
    assert project.library.embedded == 0
    assert citekeys(project) == {SECOND: project.item(0).citekey}
    assert {s.attachment_key for s in project.library.stored().values()} == {"PDFAAAA3"}


def test_content_that_also_stands_alone_is_cited_as_the_item() -> None:
    project = ZoteroProject(1)
    project.attach("AAAAAAA2", None, paper("wheat"))
    assert project.ingest().duplicates == {"storage/AAAAAAA2/AAAAAAA2.txt": FIRST}
    assert citekeys(project) == {FIRST: project.item(0).citekey}


def test_a_file_that_two_items_link_is_told_with_both() -> None:
    project = ZoteroProject(2)
    first, second = project.content.attachments
    project.content = replace(
        project.content, attachments=(first, replace(second, path=first.path))
    )
    report = project.ingest()
    assert report.indexed == [FIRST]
    assert report.zotero is not None
    assert [one.citekey for one in report.zotero.sharing] == [project.item(1).citekey]


def test_an_earlier_item_takes_a_shared_content_over() -> None:
    project = ZoteroProject(2)
    project.bin(0)
    project.ingest()
    content = ZoteroProject(2).content
    project.content = content
    project.library.files.write(FIRST, paper("barley"))
    report = project.sync()
    assert (report.duplicates, report.updated, report.indexed) == ({SECOND: FIRST}, [FIRST], [])
    assert citekeys(project) == {FIRST: content.items[0].citekey}


def test_documents_of_a_folder_are_taken_over_by_their_items() -> None:
    project = ZoteroProject()
    project.library.ingest(IngestRequest(sources=("storage",)))
    report = project.ingest()
    assert (report.indexed, report.updated) == ([], [FIRST, SECOND, THIRD])
    assert {s.attachment_key for s in project.library.stored().values()} == {
        "PDFAAAA2",
        "PDFAAAA3",
        "PDFAAAA4",
    }
    project.library.references = MemoryReferenceLibrary(RYE, mapping={"*.txt": "rye2001"})
    assert project.library.ingest(IngestRequest(sources=("storage",))).updated == []


def test_a_copy_in_a_folder_is_a_duplicate_of_zoteros_document() -> None:
    project = ingested()
    project.library.files.write("papers/copy.txt", paper("wheat"))
    report = project.library.ingest()
    assert report.duplicates == {"papers/copy.txt": FIRST}
    assert citekeys(project)[FIRST] == project.item(0).citekey


def test_an_attachment_that_stands_alone_goes_by_the_projects_references() -> None:
    project = ZoteroProject(1)
    alone = project.attach("PDFAAAA9", None, paper("rye"))
    report = project.ingest()
    assert [one.path for one in report.unmatched] == [alone]
    project.library.references = MemoryReferenceLibrary(RYE, mapping={"PDFAAAA9.txt": "rye2001"})
    assert project.sync().updated == [alone]
    assert citekeys(project)[alone] == "rye2001"
    assert citekeys(project)[FIRST] == project.item(0).citekey


def test_an_attachment_that_loses_its_item_loses_its_reference() -> None:
    project = ingested()
    project.attach("PDFAAAA2", None, paper("wheat"))
    report = project.sync()
    assert report.updated == [FIRST]
    assert citekeys(project)[FIRST] is None
    assert project.sync().updated == []


def test_attachments_of_other_kinds_are_passed_over() -> None:
    project = ZoteroProject(1)
    project.attach("PDFAAAA9", project.item(0).key, "data", "data.zip")
    report = project.ingest()
    assert (report.indexed, report.ignored, report.failed) == ([FIRST], 1, [])
    assert report.other_kinds == {".zip": 1}


def test_the_language_of_the_item_is_that_of_its_images() -> None:
    project = ZoteroProject(2)
    project.library.ocr_languages = ("en",)
    project.retitle(1, language="german")
    project.ingest()
    languages = [
        source.ocr.languages for source in project.library.converter.converted if source.ocr
    ]
    assert languages == [("en",), ("de",)]


def test_a_rebuild_of_zoteros_documents_needs_zotero() -> None:
    project = ingested()
    with pytest.raises(ConfigError, match="Zotero") as raised:
        project.library.ingest(IngestRequest(rebuild=True))
    assert "--zotero --rebuild" in raised.value.hint
    before = project.library.stored()
    report = project.ingest(request=IngestRequest(rebuild=True))
    assert report.promoted
    assert project.library.stored() == before


def test_a_rebuild_takes_the_documents_of_folders_along() -> None:
    project = ZoteroProject(1)
    project.library.files.write("papers/a.txt", paper("millet"))
    project.library.ingest()
    project.ingest()
    assert project.ingest(request=IngestRequest(rebuild=True)).promoted
    assert project.library.sources() == {FIRST: 3, "papers/a.txt": 3}


def test_the_report_and_the_audit_say_which_zotero_was_read() -> None:
    project = ZoteroProject(2)
    project.content = replace(project.content, attachments=project.content.attachments[:1])
    report = project.ingest(EVERYTHING)
    assert report.zotero is not None
    assert (report.zotero.source, report.zotero.documents) == ("memory", 1)
    assert [one.citekey for one in report.zotero.without_file] == [project.item(1).citekey]
    (line,) = project.library.audit.records(PROJECT.id)
    assert isinstance(line, dict)
    assert line["zotero"]["source"] == "memory"


SCENES = ("retag", "rename", "bin", "change", "share", "everything")


def _disturb(project: ZoteroProject, scene: str) -> None:
    if scene in ("retag", "everything"):
        project.change(1, tags=(READ_LATER,))
    if scene in ("rename", "everything"):
        project.library.files.move(FIRST, "storage/PDFAAAA2/new.txt")
        project.attach("PDFAAAA2", project.item(0).key, paper("wheat"), "new.txt")
    if scene in ("change", "everything"):
        project.attach("PDFAAAA3", project.item(1).key, paper("rye"))
    if scene in ("share", "everything"):
        project.attach("PDFAAAA1", project.item(1).key, paper("oats"))
    if scene in ("bin", "everything"):
        project.bin(2)


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.no_cover
def test_after_a_power_cut_at_any_step_the_next_sync_mends_everything(scene: str) -> None:
    undisturbed = ingested()
    _disturb(undisturbed, scene)
    undisturbed.sync()
    step = 0
    while True:
        project = ingested()
        _disturb(project, scene)
        if not project.sync_until(step):
            break
        project.sync()
        assert project.library.stored() == undisturbed.library.stored(), f"cut before step {step}"
        assert project.library.entries() == undisturbed.library.entries(), f"cut before step {step}"
        step += 1
    assert step >= 2


def test_a_first_ingest_that_was_cut_is_taken_up_by_sync() -> None:
    expected = ingested().library.stored()
    for step in range(0, 24, 3):
        project = ZoteroProject()
        project.library.until(step, project.ingest)
        project.sync()
        assert project.library.stored() == expected, f"cut before step {step}"


def test_attachments_of_another_library_are_kept_apart() -> None:
    project = ingested()
    group = replace(OWN, group_id=4711, name="Tide readers")
    other = replace(
        project.content,
        library=group,
        items=tuple(replace(item, library=group) for item in project.content.items),
        attachments=(),
    )
    use_case = project.use_case(project.content, other)
    report = use_case(IngestRequest(), ZoteroSelection(libraries=("all",)))
    assert report.unchanged == [FIRST, SECOND, THIRD]


@pytest.mark.parametrize("configured", [True, False])
def test_a_renamed_collection_is_kept_up_with(configured: bool) -> None:
    project = ZoteroProject()
    name = project.content.collections[0].path[0]
    selection = ZoteroSelection(collections=(name,))
    if configured:
        project.library.project = replace(project.library.project, zotero=selection)
    found = project.ingest(selection).indexed
    for now in ("Renamed", "And again"):
        first, *others = project.content.collections
        project.content = replace(
            project.content, collections=(replace(first, path=(now,)), *others)
        )
        report = project.sync()
        assert (report.unchanged, report.updated, report.left) == ([], found, [])
        assert report.zotero is not None
        told = any(f"'{name}' is called '{now}'" in one for one in report.zotero.warnings)
        assert told is configured


def test_a_renamed_saved_search_is_kept_up_with() -> None:
    project = ZoteroProject()
    mine = ZoteroSavedSearch(
        library=project.content.library,
        key="SEARCH22",
        name="Mine",
        found=frozenset({project.item(0).key}),
    )
    project.content = replace(project.content, searches=(mine,))
    selection = ZoteroSelection(saved_searches=("Mine",))
    project.library.project = replace(project.library.project, zotero=selection)
    assert len(project.ingest(selection).indexed) == 1
    found = mine.found | {project.item(1).key}
    project.content = replace(project.content, searches=(replace(mine, name="Ours", found=found),))
    report = project.sync()
    assert (len(report.indexed), report.left) == (1, [])
    assert report.zotero is not None
    assert "The saved search 'Mine' is called 'Ours' now" in " ".join(report.zotero.warnings)


def test_items_cited_under_generated_citekeys_are_counted_and_marked() -> None:
    project = ZoteroProject()
    item = project.item(0)
    fields = {name: value for name, value in item.fields.items() if name != "citationKey"}
    project.change(0, citekey="", fields=fields)
    report = project.ingest()
    assert report.zotero is not None
    assert report.zotero.generated_citekeys == 1
    assert listed_as_generated(project) == [True, False, False]
    project.change(0, citekey=item.citekey)
    report = project.sync()
    assert report.zotero is not None
    assert (report.zotero.generated_citekeys, len(report.updated)) == (0, 1)
    assert not any(listed_as_generated(project))


def listed_as_generated(project: ZoteroProject) -> list[bool]:
    library = project.library
    return [one.citekey_generated for one in list_documents(open_project(library))]


def labels_of(project: ZoteroProject, path: str) -> list[tuple[str, ...]]:
    stored = project.library.stored().values()
    return [one.chunk.page_labels for one in stored if one.source_path == path]


def test_a_supplement_never_has_the_printed_pages_of_its_article() -> None:
    project = ZoteroProject(1)
    project.retitle(0, pages="1123-1125")
    project.ingest()
    assert set(labels_of(project, FIRST)) == {("1123",), ("1124",), ("1125",)}
    supplement = project.attach("PDFAAAA9", project.item(0).key, paper("rye"), "supplement.txt")
    project.sync()
    assert set(labels_of(project, FIRST)) == {("1123",), ("1124",), ("1125",)}
    assert set(labels_of(project, supplement)) == {()}
    cited = {one.source_path: one.citation for one in project.library.stored().values()}
    named = {path: one.attachment for path, one in cited.items() if one}
    assert named == {FIRST: "PDFAAAA2.txt", supplement: "supplement.txt"}


def test_of_files_that_are_alike_none_has_the_printed_pages() -> None:
    project = ZoteroProject(1)
    project.retitle(0, pages="1123-1125")
    project.ingest()
    second = project.attach("PDFAAAA9", project.item(0).key, paper("rye"))
    project.sync()
    assert set(labels_of(project, FIRST)) == set(labels_of(project, second)) == {()}


def test_a_collection_with_items_only_below_it_is_a_warning() -> None:
    project = ZoteroProject()
    above = replace(project.content.collections[0], key="COLLABOV", path=("Above",))
    below = replace(above, key="COLLBELO", path=("Above", "Below"), parent="COLLABOV")
    project.content = replace(
        project.content,
        collections=(*project.content.collections, above, below),
        items=tuple(replace(item, collections=("COLLBELO",)) for item in project.content.items),
    )
    report = project.ingest(replace(EVERYTHING, collections=("Above",)))
    assert report.zotero is not None
    assert (report.zotero.documents, len(report.zotero.warnings)) == (0, 1)
    assert "--subcollections" in report.zotero.warnings[0]
