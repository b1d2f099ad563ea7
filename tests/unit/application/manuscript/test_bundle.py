"""The evidence for citations, and what has changed of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256

import pytest

from citeloom.application.manuscript.bundle import gather_evidence, replay_evidence
from citeloom.application.manuscript.check import check_draft
from citeloom.application.manuscript.works import CitedWorks
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.retrieval.show import draw_page
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.errors import DeadlineExceeded
from citeloom.domain.manuscript.draft import Draft
from citeloom.domain.manuscript.evidence_bundle import (
    BundledDraft,
    BundleReplay,
    EvidenceBundle,
    EvidenceChange,
    FileState,
    NoPicture,
)
from citeloom.domain.retrieval.passage import StoredChunk
from tests.fakes.manifest_store import InMemoryManifest
from tests.fakes.page_images import InMemoryPageImages
from tests.fakes.source_files import InMemorySourceFiles
from tests.unit.application.manuscript.test_check import DOE, PROJECT, ROE, chunks, draft, works_of

QUOTE = "marked the same essays for several years"
TEXTS = (
    (f"Some say “{QUOTE}” @.", "doe2020, p. 1"),
    ("Others count proposals @.", "doe2020, p. 2"),
    ("Some hear the rain @.", "roe2001"),
    ("Some do not @.", "poe1999"),
)


def indexed(doe: Sequence[str] = DOE) -> list[StoredChunk]:
    return [*chunks("doe2020", doe), *chunks("roe2001", ROE)]


def with_files(works: CitedWorks, **texts: str) -> CitedWorks:
    """The works of a project with files of these texts."""
    files = {f"{key}.pdf": text for key, text in texts.items()}
    entries = [
        ManifestEntry(
            project_id=PROJECT.id,
            path=name,
            status=Status.INDEXED,
            content_hash=sha256(name.encode()).hexdigest(),
            modified_ns=1_600_000_000_000_000_000,
        )
        for name in ("doe2020.pdf", "roe2001.pdf")
    ]
    manifest = InMemoryManifest(*entries)
    project = replace(
        works.project, open_manifest=lambda: manifest, files=InMemorySourceFiles(files)
    )
    return CitedWorks(project=project, read_references=works.read_references)


WHOLE = {"doe2020": "doe2020.pdf", "roe2001": "roe2001.pdf"}
"""The contents of files that have the hashes of the manifest."""


def gathered(
    chunks: Sequence[StoredChunk],
    *,
    date: datetime | None = None,
    images: InMemoryPageImages | None = None,
) -> EvidenceBundle:
    read: Draft = draft(*TEXTS)
    works = with_files(works_of(chunks), **WHOLE)
    bundled = BundledDraft(name="thesis.md", sha256="0" * 64, citations=4)
    return gather_evidence(
        works,
        [(read, bundled, check_draft(read, works))],
        keep=lambda _: "none",
        draw=partial(draw_page, works.project, images) if images else None,
        versions={"citeloom": "1"},
        date=date,
    )


def replayed(
    bundle: EvidenceBundle, chunks: Sequence[StoredChunk], files: Mapping[str, str] = WHOLE
) -> BundleReplay:
    works = with_files(works_of(chunks), **files)
    return replay_evidence(works, bundle, versions={"citeloom": "2"})


def changes(replay: BundleReplay) -> list[tuple[EvidenceChange, ...]]:
    return [one.changes for one in replay.citations]


def test_quotations_have_their_words_and_citations_those_of_the_page() -> None:
    bundle = gathered(indexed())
    quoted, paged, unpaged, unknown = bundle.evidence
    assert (quoted.words, quoted.passage, quoted.page_span) == (QUOTE, DOE[0], (1, 1))
    assert (paged.words, paged.quote, paged.page_span) == (DOE[1], None, (2, 2))
    assert (unpaged.words, unpaged.doc_id) == (None, "doc-roe2001")
    assert (unknown.words, unknown.doc_id) == (None, None)
    assert [one.no_picture for one in bundle.evidence] == [
        NoPicture.LEFT_OUT,
        NoPicture.LEFT_OUT,
        NoPicture.NO_PASSAGE,
        NoPicture.NO_PASSAGE,
    ]
    assert [(one.citekey, one.state) for one in bundle.sources] == [
        ("doe2020", FileState.UNCHANGED),
        ("roe2001", FileState.UNCHANGED),
    ]


def test_the_words_of_quotations_are_marked_on_their_pages_and_nothing_on_others() -> None:
    images = InMemoryPageImages({"doe2020.pdf": [(30, 40), (30, 40)]})
    quoted, paged, *_ = gathered(indexed(), images=images).evidence
    assert [(one.page, one.marked) for one in quoted.pictures] == [(1, True)]
    assert [(one.page, one.marked) for one in paged.pictures] == [(2, False)]
    assert images.words == [QUOTE, ""]


def test_the_date_is_that_of_the_newest_source_or_the_chosen_one() -> None:
    assert gathered(indexed()).date == "2020-09-13T12:26:40Z"
    assert gathered(indexed(), date=datetime(2001, 2, 3, tzinfo=UTC)).date == "2001-02-03T00:00:00Z"


def test_a_document_without_pages_says_so() -> None:
    [first, *others] = indexed()
    place = Paragraph(section="", number=1)
    pageless = replace(first, chunk=replace(first.chunk, page_span=None, paragraphs=(place, place)))
    assert gathered([pageless, *others]).evidence[0].no_picture is NoPicture.NO_PAGES


def test_what_is_as_it_was_is_unchanged_though_versions_differ() -> None:
    replay = replayed(gathered(indexed()), indexed())
    assert replay.passed
    assert (replay.counts["unchanged"], replay.counts["without_evidence"]) == (3, 1)
    assert replay.versions == {"citeloom": ("1", "2")}


def test_changed_words_are_found_for_quotations_and_for_pages() -> None:
    words = (DOE[0].replace("several", "many"), DOE[1].replace("12", "13"))
    replay = replayed(gathered(indexed()), indexed(words))
    assert changes(replay) == [(EvidenceChange.WORDS,), (EvidenceChange.WORDS,), (), ()]
    assert not replay.passed


def test_words_on_another_page_are_found_with_that_page() -> None:
    moved = replayed(gathered(indexed()), indexed(("A preface of a few words.", *DOE)))
    assert changes(moved)[0] == (EvidenceChange.PAGE,)
    assert (moved.citations[0].locator, moved.citations[0].locator_now) == ("p. 1", "p. 2")


def test_another_printed_number_is_another_page() -> None:
    [first, *others] = indexed()
    printed = replace(first, chunk=replace(first.chunk, page_labels=("iv",)))
    assert changes(replayed(gathered(indexed()), [printed, *others]))[0] == (EvidenceChange.PAGE,)


def test_works_and_pages_that_are_gone_are_named() -> None:
    bundle = gathered(indexed())
    assert changes(replayed(bundle, chunks("roe2001", ROE))) == [
        (EvidenceChange.GONE,),
        (EvidenceChange.GONE,),
        (),
        (),
    ]
    assert changes(replayed(bundle, indexed(DOE[:1])))[:2] == [(), (EvidenceChange.GONE,)]


def test_files_that_have_changed_or_are_gone_are_named() -> None:
    bundle = gathered(indexed())
    replay = replayed(bundle, indexed(), {"doe2020": "another"})
    assert changes(replay) == [
        (EvidenceChange.FILE,),
        (EvidenceChange.FILE,),
        (EvidenceChange.FILE_GONE,),
        (),
    ]
    known = tuple(replace(one, state=FileState.GONE) for one in bundle.sources)
    gone = {"doe2020": "doe2020.pdf"}
    again = replayed(replace(bundle, sources=known), indexed(), gone)
    assert again.passed


def test_a_quotation_of_a_document_without_reference_is_found_by_its_words() -> None:
    bare = [replace(one, citation=None) for one in chunks("doe2020", DOE)]
    library = [*bare, *chunks("roe2001", ROE)]
    works = with_files(works_of(library), **WHOLE)
    read = draft((f"Some say “{QUOTE}” @.", "roe2001"))
    bundled = BundledDraft(name="thesis.md", sha256="0" * 64, citations=1)
    checked = [(read, bundled, check_draft(read, works))]
    bundle = gather_evidence(works, checked, keep=lambda _: "none", draw=None, versions={})
    assert bundle.evidence[0].doc_id == "doc-doe2020"
    assert changes(replayed(bundle, library)) == [()]
    assert changes(replayed(bundle, chunks("roe2001", ROE))) == [(EvidenceChange.GONE,)]


def test_a_replay_ends_when_it_is_cancelled() -> None:
    bundle = gathered(indexed())
    works = with_files(works_of(indexed()))
    with pytest.raises(DeadlineExceeded):
        replay_evidence(works, bundle, versions={}, cancellation=Cancellation(lambda: True))
