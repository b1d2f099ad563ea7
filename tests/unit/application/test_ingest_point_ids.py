"""Chunks named by a template: what happens to ids that two chunks would share."""

from __future__ import annotations

from dataclasses import replace
from uuid import NAMESPACE_DNS, uuid5

from citeloom.application.reports import IngestReport
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.policies import ChunkingPolicy, StrategyName
from tests.fakes.embedders import PieceCounter
from tests.unit.application.library import EVERYTHING, PROJECT, A, B, Library, paper

BY_SECTION = replace(
    PROJECT,
    point_id="{section_path}:{chunk_index}",
    chunking=ChunkingPolicy(strategy=StrategyName.LESSONS, overlap_tokens=0, max_tokens=60),
)


def library_of(**texts: str) -> Library:
    library = Library({f"papers/{name}.txt": text for name, text in texts.items()})
    library.project = BY_SECTION
    return library


def failures(report: IngestReport) -> list[tuple[str, str]]:
    return [(failure.path, failure.code) for failure in report.failed]


def titled(title: str, words: str) -> str:
    return f"# {title}\n\n{words} was measured on the field in May."


def test_chunks_get_the_ids_of_the_template() -> None:
    library = library_of(a=titled("Rye", "Wheat"))
    assert library.ingest().indexed == [A]
    assert library.index.chunk_ids(PROJECT.collection, EVERYTHING) == {
        str(uuid5(NAMESPACE_DNS, "Rye:0"))
    }
    assert library.ingest().unchanged == [A]


def test_an_id_of_another_document_is_never_overwritten() -> None:
    library = library_of(a=titled("Rye", "Wheat"), b=titled("Rye", "Barley"))
    report = library.ingest()
    assert (report.indexed, failures(report)) == ([A], [(B, "INVALID_POINT_ID")])
    assert "papers/a.txt" in report.failed[0].message
    texts = [s.chunk.text for s in library.index.scroll(PROJECT.collection, EVERYTHING)]
    assert texts == ["# Rye\n\nWheat was measured on the field in May."]


def test_a_document_that_failed_for_it_is_tried_again() -> None:
    library = library_of(a=titled("Rye", "Wheat"), b=titled("Rye", "Barley"))
    library.ingest()
    library.files.write(A, titled("Oats", "Wheat"))
    library.ingest()
    assert library.ingest().failed == []
    assert library.index.count(PROJECT.collection, EVERYTHING) == 2


def test_the_second_section_of_a_title_is_numbered() -> None:
    text = "\n\n".join(titled("Rye", words) for words in ("Wheat", "Barley", "Spelt"))
    library = library_of(a=text)
    assert library.ingest().failed == []
    assert library.index.chunk_ids(PROJECT.collection, EVERYTHING) == {
        str(uuid5(NAMESPACE_DNS, key)) for key in ("Rye:0", "Rye (2):0", "Rye (3):0")
    }
    assert library.ingest().unchanged == [A]


def test_two_chunks_with_one_id_fail_their_document() -> None:
    library = library_of(a=f"{titled('Rye', 'Wheat')}\n\n{titled('Rye', 'Barley')}")
    library.project = replace(BY_SECTION, point_id="{doc_id}")
    report = library.ingest()
    assert failures(report) == [(A, "INVALID_POINT_ID")]
    assert "'Rye' (chunk 0) and 'Rye' (chunk 1)" in report.failed[0].message


def test_a_changed_document_replaces_its_own_chunks_in_place() -> None:
    library = library_of(a=f"{titled('Rye', 'Wheat')}\n\n{titled('Oats', 'Barley')}")
    library.ingest()
    library.files.write(A, titled("Rye", "Spelt"))
    report = library.ingest()
    assert (report.indexed, report.failed) == ([A], [])
    stored = list(library.index.scroll(PROJECT.collection, EVERYTHING))
    assert [s.chunk.id for s in stored] == [str(uuid5(NAMESPACE_DNS, "Rye:0"))]
    assert "Spelt" in stored[0].chunk.text


def test_a_template_has_documents_processed_again_and_leaves_nothing_behind() -> None:
    library = Library({A: paper("wheat")})
    library.ingest()
    library.project = replace(PROJECT, point_id="{doc_id}:{chunk_idx}")
    report = library.ingest()
    assert (report.indexed, report.chunks.removed) == ([A], report.chunks.added)


def test_a_dry_run_changes_no_id() -> None:
    library = library_of(a=titled("Rye", "Wheat"))
    assert library.ingest(IngestRequest(dry_run=True)).pending == [A]


def test_a_report_tells_how_documents_were_divided() -> None:
    library = library_of(a=titled("Summary", "Wheat"), b=paper("barley", sections=2))
    library.project = replace(BY_SECTION, point_id=None)
    report = library.ingest()
    assert report.chunking is not None
    assert (report.chunking.strategy, report.chunking.max_tokens) == (StrategyName.LESSONS, 60)
    assert report.chunks.chunks_by_type == {"structural": 1, "instructional": 2}
    assert (report.chunks.enriched_count, report.chunks.split_count) == (1, 0)
    assert report.chunking.token_count_estimated is False


def test_estimated_token_counts_are_told_in_the_report_and_of_each_chunk() -> None:
    library = Library({A: paper("wheat")})
    library.counter = PieceCounter(window=128, exact=False)
    report = library.ingest()
    assert report.chunking is not None
    assert report.chunking.token_count_estimated is True
    stored = library.index.scroll(PROJECT.collection, EVERYTHING)
    assert all(one.chunk.token_count_estimated for one in stored)
