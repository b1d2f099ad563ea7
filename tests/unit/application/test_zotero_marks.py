"""Annotations and notes in the index: what is stored of them, and how a sync keeps up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from citeloom.application.delete import Delete
from citeloom.application.evaluate.ranking import conversion_of
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.reports import MarkCounts
from citeloom.application.requests.ingest import IngestRequest
from citeloom.application.zotero.ingest_zotero import IngestZotero
from citeloom.domain.chunks.annotations import mark_doc_id
from citeloom.domain.chunks.chunk import MARKS, ChunkKind
from citeloom.domain.errors import IndexLocked, LibraryRefused
from citeloom.domain.evaluation.measures import Text
from citeloom.domain.retrieval.passage import Selection, StoredChunk
from citeloom.domain.zotero.items import (
    AnnotationType,
    ZoteroAnnotation,
    ZoteroContent,
    ZoteroLibraryRef,
    ZoteroNote,
    ZoteroTag,
)
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.answers.headlines import headline
from citeloom.infrastructure.answers.passages import Links
from tests.described import as_json
from tests.fakes.annotation_notes import quoted
from tests.fakes.source_files import LIBRARY
from tests.fakes.write_lease import InMemoryLease, InMemoryLeases
from tests.fakes.zotero_contents import OWN
from tests.fakes.zotero_library import MemoryZotero
from tests.unit.application.gate import sound_gate
from tests.unit.application.library import PROJECT, open_project, paper
from tests.unit.application.zotero_project import ZoteroProject

BOTH = ZoteroSelection(annotations=True, notes=True)
FIRST = "storage/PDFAAAA2/PDFAAAA2.txt"


def annotated() -> ZoteroProject:
    """Three works; the first has two highlights and a drawing, the second a note."""
    project = ZoteroProject()
    highlight = ZoteroAnnotation(
        library=OWN,
        key="HHHHAAA2",
        attachment="PDFAAAA2",
        type=AnnotationType.HIGHLIGHT,
        text="Plot 1 of wheat was measured for rainfall.",
        comment="In which year?",
        color="#ffd400",
        page_index=1,
        page_label="2",
        tags=(ZoteroTag(name="claim"),),
    )
    marks = (
        highlight,
        replace(highlight, key="HHHHAAA3", text="Plot 2 of wheat", page_label="xii", comment=""),
        replace(highlight, key="HHHHAAA4", type=AnnotationType.INK, text="", comment=""),
    )
    note = ZoteroNote(
        library=OWN,
        key="NNNNAAA2",
        parent=project.item(1).key,
        html="<h1>Sowing</h1><p>Too late, I think.</p><h1>Rain</h1><p>Too little.</p>",
        tags=(ZoteroTag(name="todo"),),
    )
    empty = ZoteroNote(library=OWN, key="NNNNAAA3", parent=project.item(1).key, html="<p></p>")
    project.content = replace(project.content, annotations=marks, notes=(note, empty))
    return project


def marks_of(project: ZoteroProject) -> list[StoredChunk]:
    selection = Selection(project_id=PROJECT.id, kinds=MARKS)
    found = project.library.index.scroll(PROJECT.collection, selection)
    return sorted(
        found, key=lambda one: (one.chunk.mark.key if one.chunk.mark else "", one.chunk.chunk_idx)
    )


def keys(project: ZoteroProject) -> list[str]:
    return [one.chunk.mark.key for one in marks_of(project) if one.chunk.mark]


def change(project: ZoteroProject, number: int, **fields: object) -> None:
    """Edit an annotation."""
    marks = list(project.content.annotations)
    marks[number] = replace(marks[number], **fields)  # type: ignore[arg-type]
    project.content = replace(project.content, annotations=tuple(marks))


def test_without_being_asked_for_there_are_none() -> None:
    project = annotated()
    assert project.ingest().marks == {}
    assert keys(project) == []


def test_annotations_and_notes_are_stored_beside_their_documents() -> None:
    project = annotated()
    report = project.ingest(BOTH)
    assert report.marks == {
        "annotation": MarkCounts(found=2, wordless=1, indexed=2),
        "note": MarkCounts(found=1, wordless=1, indexed=1),
    }
    first, second, *notes = marks_of(project)
    assert (first.source_path, first.attachment_key, first.zotero_library) == (
        FIRST,
        "PDFAAAA2",
        "library",
    )
    assert first.citation is not None
    assert first.citation.citekey == project.item(0).citekey
    assert first.citation.tags[-1] == "claim"
    assert (first.chunk.page_span, second.chunk.page_labels) == ((2, 2), ("xii",))
    assert [note.chunk.section_path for note in notes] == [("Sowing",), ("Rain",)]
    assert {note.cited for note in notes} == {f"[@{project.item(1).citekey}]"}
    assert project.library.manifest.selection(PROJECT.id) == BOTH


def test_one_kind_can_be_asked_for_alone() -> None:
    project = annotated()
    project.ingest(ZoteroSelection(annotations=True))
    assert {one.chunk.kind for one in marks_of(project)} == {ChunkKind.ANNOTATION}


def test_an_unchanged_library_costs_nothing() -> None:
    project = annotated()
    project.ingest(BOTH)
    project.library.fuse.journal.clear()
    report = project.sync()
    assert report.marks["annotation"] == MarkCounts(found=2, wordless=1, unchanged=2)
    assert project.library.fuse.journal == []


def test_a_changed_comment_costs_one_annotation() -> None:
    project = annotated()
    project.ingest(BOTH)
    change(project, 0, comment="In 1998.")
    assert project.sync().marks["annotation"] == MarkCounts(
        found=2, wordless=1, indexed=1, unchanged=1
    )
    first = marks_of(project)[0].chunk
    assert first.mark is not None
    assert first.mark.comment == "In 1998."


def test_a_shorter_note_leaves_nothing_behind() -> None:
    project = annotated()
    project.ingest(BOTH)
    note = replace(project.content.notes[0], html="<p>All is well.</p>")
    project.content = replace(project.content, notes=(note,))
    project.sync()
    assert [one.chunk.text for one in marks_of(project)[2:]] == ["All is well."]


def test_a_retagged_item_is_recited_and_not_embedded_again() -> None:
    project = annotated()
    project.ingest(BOTH)
    project.change(0, tags=(ZoteroTag(name="read later"),))
    assert project.sync().marks["annotation"].updated == 2
    citation = marks_of(project)[0].citation
    assert citation is not None
    assert citation.tags == ("read later", "claim")
    assert project.sync().marks["annotation"].updated == 0


def test_what_vanishes_from_zotero_vanishes_with_a_sync_and_not_before() -> None:
    project = annotated()
    project.ingest(BOTH)
    project.content = replace(project.content, annotations=project.content.annotations[1:])
    project.ingest(BOTH)
    assert "HHHHAAA2" in keys(project)
    assert project.sync().marks["annotation"].removed == 1
    assert keys(project) == ["HHHHAAA3", "NNNNAAA2", "NNNNAAA2"]


def test_marks_go_with_the_document_they_are_in() -> None:
    project = annotated()
    project.ingest(BOTH)
    project.bin(0)
    project.sync()
    assert keys(project) == ["NNNNAAA2", "NNNNAAA2"]


def test_a_sync_leaves_the_marks_of_other_machines_alone() -> None:
    desk, lap = annotated(), annotated()
    desk.library.machine, lap.library.machine = "desk-1", "lap-2"
    lap.library.index = desk.library.index
    desk.ingest(BOTH)
    lap.content = replace(lap.content, annotations=lap.content.annotations[:1], notes=())
    change(lap, 0, comment="Which year is meant?")
    lap.ingest(BOTH)
    assert "note" not in lap.sync().marks
    both, *others = marks_of(desk)
    assert both.machines == ("desk-1", "lap-2")
    assert [one.machines for one in others] == [("desk-1",)] * 3
    lap.content = replace(lap.content, annotations=())
    lap.sync()
    assert {one.machines for one in marks_of(desk)} == {("desk-1",)}
    desk.content = replace(desk.content, annotations=(), notes=())
    desk.sync()
    assert keys(desk) == []


def test_they_go_once_they_are_no_longer_wanted() -> None:
    project = annotated()
    project.ingest(BOTH)
    project.use_case().sync(IngestRequest(), notes=False)
    assert keys(project) == ["HHHHAAA2", "HHHHAAA3"]
    assert project.library.manifest.selection(PROJECT.id) == ZoteroSelection(annotations=True)


def test_a_changed_document_does_not_take_them_along() -> None:
    project = annotated()
    project.ingest(BOTH)
    project.attach("PDFAAAA2", project.item(0).key, "# Wheat\n\n" + "Wheat was sown late. " * 9)
    project.sync()
    assert keys(project) == ["HHHHAAA2", "HHHHAAA3", "NNNNAAA2", "NNNNAAA2"]


def test_a_dry_run_says_what_there_is_to_do_and_stores_nothing() -> None:
    project = annotated()
    report = project.ingest(BOTH, IngestRequest(dry_run=True))
    assert report.marks["annotation"] == MarkCounts(found=2, wordless=1, pending=2)
    project.ingest(BOTH)
    change(project, 0, comment="")
    project.sync(IngestRequest(dry_run=True))
    first = marks_of(project)[0].chunk
    assert first.mark is not None
    assert first.mark.comment == "In which year?"


def test_a_stopped_run_leaves_them_for_the_next() -> None:
    project = annotated()
    stopped = project.ingest(BOTH, IngestRequest(stop=Cancellation(lambda: True)))
    assert stopped.marks["note"].pending == 1
    assert project.sync().marks["note"].indexed == 1


def test_a_mark_half_stored_is_stored_anew() -> None:
    project = annotated()
    project.ingest(BOTH)
    doc_id = mark_doc_id("library", "NNNNAAA2", ChunkKind.NOTE)
    half = Selection(project_id=PROJECT.id, doc_id=doc_id, chunks=(1, 1))
    assert project.library.index.delete(PROJECT.collection, half) == 1
    assert project.sync().marks["note"].indexed == 1
    assert keys(project).count("NNNNAAA2") == 2


@pytest.mark.parametrize("label", ["2", ""])
def test_where_zotero_knows_no_label_the_documents_own_is_taken(label: str) -> None:
    project = annotated()
    project.retitle(0, pages="41-43")
    change(project, 0, page_label=label)
    project.ingest(BOTH)
    assert marks_of(project)[0].chunk.page_labels == ("42",)


def test_a_missing_file_keeps_its_annotations_and_names_none() -> None:
    project = annotated()
    project.attach("PDFAAAA2", project.item(0).key, None)
    project.ingest(BOTH)
    first = marks_of(project)[0]
    assert (first.source_path, first.attachment_key) == ("", "PDFAAAA2")


def test_a_note_that_stands_alone_is_found_without_a_reference() -> None:
    project = annotated()
    alone = ZoteroNote(library=OWN, key="NNNNAAA4", parent=None, html="<p>Call Ben.</p>")
    project.content = replace(project.content, notes=(alone,))
    project.ingest(BOTH)
    (stored,) = marks_of(project)[2:]
    assert (stored.citation, stored.cited) == (None, None)


def test_they_are_no_orphans_and_may_be_short() -> None:
    project = annotated()
    project.ingest(BOTH)
    gate = replace(sound_gate(), library=project.library)
    found = {finding.check for finding in gate.check().findings}
    assert not found & {"orphans", "length", "signal", "id", "order", "headings", "payload"}


def delete_of(project: ZoteroProject) -> Delete:
    made = project.library
    return Delete(project=open_project(made), audit=made.audit, lease=made.lease)


def test_marks_that_were_deleted_stay_out_until_they_are_restored() -> None:
    project = annotated()
    project.ingest(selection=BOTH)
    before = marks_of(project)
    citekey = before[0].citation.citekey if before[0].citation else ""
    delete_of(project).documents("citekey", citekey)
    left = marks_of(project)
    assert len(left) < len(before)
    report = project.sync()
    assert marks_of(project) == left
    assert report.deleted
    assert sum(counts.deleted for counts in report.marks.values()) > 0
    dry = project.sync(IngestRequest(restore=True, dry_run=True))
    assert (dry.deleted, marks_of(project)) == ([], left)
    restored = project.sync(IngestRequest(restore=True))
    assert restored.deleted == []
    assert marks_of(project) == before
    assert project.library.manifest.tombstones(PROJECT.id) == []


def test_nothing_of_zotero_is_remembered_while_the_project_is_changed_elsewhere() -> None:
    project, leases = annotated(), InMemoryLeases()
    project.library.lease = InMemoryLease(leases)
    with (
        InMemoryLease(leases, name="process 2").hold(PROJECT.id),
        pytest.raises(IndexLocked, match="process 2"),
    ):
        project.ingest(selection=BOTH)
    assert project.library.manifest.selection(PROJECT.id) is None


def test_an_annotation_without_a_physical_page_keeps_its_label_and_opens_in_the_reader() -> None:
    project = annotated()
    project.attach("EPUBAAA2", project.item(2).key, paper("millet"), name="book.epub")
    mark = replace(
        project.content.annotations[0], attachment="EPUBAAA2", page_index=None, page_label="47"
    )
    unlabelled = replace(mark, key="HHHHAAA3", page_label="-")
    project.content = replace(project.content, annotations=(mark, unlabelled))
    project.ingest(ZoteroSelection(annotations=True))
    labelled, bare = marks_of(project)
    assert labelled.cited == f"[@{project.item(2).citekey}, p. 47]"
    assert str(labelled.locator) == "p. 47"
    assert bare.cited == f"[@{project.item(2).citekey}]"
    links = as_json(Links.of(labelled), Path("/here"))
    assert links["zotero_reader"] == "zotero://open/library/items/EPUBAAA2?annotation=HHHHAAA2"
    assert (links["zotero_pdf"], links["pdf"]) == (None, None)


def noted(html: str, *, annotations: bool = True, parent: str | None = "") -> ZoteroProject:
    """The annotated works with one note, on the first item unless said otherwise."""
    project = annotated()
    holder = project.item(0).key if parent == "" else parent
    note = ZoteroNote(library=OWN, key="NNNNAAA2", parent=holder, html=html)
    project.content = replace(project.content, notes=(note,))
    project.ingest(ZoteroSelection(annotations=annotations, notes=True))
    return project


def notes_of(project: ZoteroProject) -> list[StoredChunk]:
    return [one for one in marks_of(project) if one.chunk.kind is ChunkKind.NOTE]


def test_a_quotation_in_a_note_is_cited_to_its_page_and_the_readers_words_to_the_work() -> None:
    project = annotated()
    work = project.item(1)
    quotation = quoted(
        "Barley likes rain.",
        attachment="PDFAAAA3",
        work=work.key,
        label="47",
        page_index=1,
        annotation="QQQQAAA2",
        remark="Not mine.",
    )
    project = noted(f"<p>What I think.</p>{quotation}", parent=None)
    own, quote = sorted(notes_of(project), key=lambda one: one.chunk.text, reverse=True)
    assert (own.chunk.text, own.cited) == ("What I think.", None)
    assert quote.cited == f"[@{work.citekey}, p. 47]"
    assert quote.chunk.mark is not None
    assert (quote.chunk.text, quote.chunk.mark.comment) == ("Barley likes rain.", "Not mine.")
    assert quote.chunk.mark.quotes
    assert (quote.chunk.page_span, quote.attachment_key) == ((2, 2), "PDFAAAA3")
    assert headline(quote).startswith("quotation in a note on ")
    assert (
        as_json(Links.of(quote), Path("/here"))["zotero"]
        == "zotero://select/library/items/NNNNAAA2"
    )


@pytest.mark.parametrize("annotation", ["HHHHAAA2", ""])
def test_a_quotation_that_repeats_an_indexed_annotation_is_not_stored_twice(
    annotation: str,
) -> None:
    html = quoted(
        "Plot 1 of wheat was measured for rainfall.",
        attachment="PDFAAAA2",
        work="ITEMAAA2",
        label="2",
        page_index=1,
        annotation=annotation,
        remark="In which year?",
    )
    assert notes_of(noted(html)) == []
    assert [one.chunk.text for one in notes_of(noted(html, annotations=False))] == [
        "Plot 1 of wheat was measured for rainfall."
    ]
    (said,) = notes_of(noted(html.replace("In which year?", "It was 1998.")))
    assert said.chunk.text == "It was 1998."
    assert said.chunk.mark is not None
    assert not said.chunk.mark.quotes


def test_an_unchanged_quotation_costs_nothing_and_a_changed_remark_one() -> None:
    html = quoted("Rain.", attachment="PDFAAAA2", work="ITEMAAA2", label="2", remark="Why?")
    project = noted(html)
    project.library.fuse.journal.clear()
    assert project.sync().marks["note"] == MarkCounts(found=1, unchanged=1)
    assert project.library.fuse.journal == []
    (note,) = project.content.notes
    changed = replace(note, html=html.replace("Why?", "Where?"))
    project.content = replace(project.content, notes=(changed,))
    assert project.sync().marks["note"] == MarkCounts(found=1, indexed=1, removed=1)


@pytest.mark.parametrize("parent", ["PDFAAAA2", "NNNNAAA2"])
def test_a_note_on_an_attachment_is_cited_as_the_item(parent: str) -> None:
    project = annotated()
    attachment = replace(project.content.attachments[0], key=parent)
    work = project.item(0)
    assert attachment.parent == work.key
    project.content = replace(
        project.content,
        attachments=(attachment, *project.content.attachments[1:]),
        annotations=(),
        notes=(ZoteroNote(library=OWN, key="NNNNAAA2", parent=parent, html="<p>Poor scan.</p>"),),
    )
    project.ingest(BOTH)
    (note,) = notes_of(project)
    assert note.cited == f"[@{work.citekey}]"


def test_marks_longer_than_a_reader_writes_are_left_out_and_counted() -> None:
    project = annotated()
    highlight, note = project.content.annotations[0], project.content.notes[0]
    project.content = replace(
        project.content,
        annotations=(highlight, replace(highlight, key="HHHHAAA9", text="wheat" * 200_001)),
        notes=(
            replace(note, key="NNNNAAA8", html=f"<p>{'wheat' * 200_001}</p>"),
            replace(note, key="NNNNAAA9", html=f"<p>Rye.</p><img src='{'a' * 2_000_000}'>"),
        ),
    )
    marks = project.ingest(BOTH).marks
    assert marks["annotation"] == MarkCounts(found=1, too_long=1, indexed=1)
    assert marks["note"] == MarkCounts(found=1, too_long=1, indexed=1)


@pytest.mark.no_cover
def test_marks_are_stored_in_batches_of_little_text() -> None:
    project = annotated()
    highlight = project.content.annotations[0]
    project.content = replace(project.content, annotations=(), notes=())
    project.ingest(BOTH)
    text = "Plot of wheat. " * 6000
    many = tuple(replace(highlight, key=f"HHHH{n:04}", text=text) for n in range(6))
    project.content = replace(project.content, annotations=many)
    assert project.sync().marks["annotation"].indexed == 6
    assert project.library.fuse.journal.count("flush") == 3


def test_what_a_library_holds_that_is_refused_stays_and_the_others_are_followed() -> None:
    project = annotated()
    group = ZoteroLibraryRef(group_id=71, name="Coast group")
    theirs = replace(
        project.content,
        library=group,
        items=tuple(replace(item, library=group) for item in project.content.items),
        attachments=tuple(
            replace(
                each, library=group, path=Path(str(each.path).replace(each.key, "G" + each.key))
            )
            for each in project.content.attachments
        ),
        annotations=tuple(
            replace(mark, library=group, key="G" + mark.key[1:])
            for mark in project.content.annotations
        ),
        notes=(),
    )
    for number, attachment in enumerate(theirs.attachments):
        assert attachment.path is not None
        project.library.files.write(attachment.path.as_posix(), paper(f"seaweed {number}"))
    zotero = MemoryZotero(project.content, theirs)
    everything = replace(BOTH, libraries=("all",))
    run = IngestZotero(parts=project.library.parts(), reach=lambda: zotero)
    assert len(run(IngestRequest(), everything).indexed) == 6
    before = keys(project)
    zotero.refused = frozenset({group})
    project.bin(2)
    zotero.contents = (project.content, theirs)
    report = run.sync(IngestRequest())
    assert len(report.pruned) == 1
    assert keys(project) == before
    assert len(project.library.entries()) == 5
    zotero.refused = frozenset({OWN, group})
    with pytest.raises(LibraryRefused):
        run.sync(IngestRequest())


def in_a_group(project: ZoteroProject) -> ZoteroContent:
    """A group that has the first work, too: a copy of its file with annotations of its own, and an
    item without a citekey.
    """
    group = ZoteroLibraryRef(group_id=71, name="Coast group")
    mine = project.item(0)
    fields = {name: text for name, text in mine.fields.items() if name != "citationKey"}
    item = replace(mine, library=group, key="GITEMAA2", citekey="", fields=fields)
    path = LIBRARY / "storage" / "GPDFAAA2" / "copy.txt"
    project.library.files.write(path.as_posix(), paper("wheat"))
    copy = replace(
        project.content.attachments[0], library=group, key="GPDFAAA2", parent=item.key, path=path
    )
    mark = replace(
        project.content.annotations[0],
        library=group,
        key="GMARKAA2",
        attachment=copy.key,
        text="Read together",
    )
    note = ZoteroNote(
        library=group,
        key="GNOTEAA2",
        parent=item.key,
        html=quoted(
            "Sown late", attachment="GPDFAAA2", work="GITEMAA2", label="3", place="groups/71"
        ),
    )
    of_file = ZoteroNote(library=group, key="GNOTEAA3", parent=copy.key, html="<p>A thin file.</p>")
    return ZoteroContent(
        library=group,
        items=(item,),
        attachments=(copy,),
        annotations=(mark,),
        notes=(note, of_file),
    )


def test_annotations_of_a_copy_are_cited_as_the_document_that_is_indexed() -> None:
    project = annotated()
    zotero = MemoryZotero(project.content, in_a_group(project))
    run = IngestZotero(parts=project.library.parts(), reach=lambda: zotero)
    report = run(IngestRequest(), replace(BOTH, libraries=("all",)))
    assert report.duplicates == {"storage/GPDFAAA2/copy.txt": FIRST}
    for key, source in {"GMARKAA2": FIRST, "GNOTEAA2": FIRST, "GNOTEAA3": ""}.items():
        (stored,) = (
            one for one in marks_of(project) if one.chunk.mark and one.chunk.mark.key == key
        )
        assert stored.citation is not None
        assert stored.citation.citekey == project.item(0).citekey
        assert stored.citation.aliases == ("fenn1980-GITEMAA2",)
        assert (stored.zotero_library, stored.source_path) == ("groups/71", source)


def test_a_highlight_in_a_work_without_pages_is_cited_by_its_paragraph() -> None:
    project = annotated()
    book = "First of all it rained.\n\nThen the wheat was sown.\n\nIn the end it grew."
    write(project, book)
    mark = replace(project.content.annotations[0], page_index=None, page_label="")
    found = replace(mark, text="the wheat")
    printed = replace(found, key="HHHHAAA9", page_label="47")
    nowhere = replace(mark, key="HHHHAAA8", text="the rye")
    project.content = replace(project.content, annotations=(found, printed, nowhere), notes=())
    project.ingest(BOTH)
    citekey = project.item(0).citekey
    assert {one.chunk.mark.key: one.cited for one in marks_of(project) if one.chunk.mark} == {
        "HHHHAAA2": f"[@{citekey}, sec. 1, para. 2]",
        "HHHHAAA8": f"[@{citekey}]",
        "HHHHAAA9": f"[@{citekey}, p. 47]",
    }
    assert project.sync().marks["annotation"].unchanged == 3
    write(project, f"It snowed before.\n\n{book}")
    project.sync()
    assert marks_of(project)[0].cited == f"[@{citekey}, sec. 1, para. 3]"


def write(project: ZoteroProject, text: str) -> None:
    """Make the first work's file a text without pages."""
    project.library.files.write(FIRST, text)
    converted = conversion_of(Text(id="any", title="Sowing", text=text))
    project.library.canned[Path(FIRST).name] = converted
