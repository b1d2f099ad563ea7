"""Conversions kept on disk: what is kept, what is not, and what is made of a spoilt entry."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from citeloom.application.ports.conversion import Conversion, SourceFile
from citeloom.application.ports.runtime import EmitEvent
from citeloom.domain.documents import conversion
from citeloom.domain.documents.conversion import ConversionResult, EmbeddedMetadata, PageFailure
from citeloom.domain.errors import SourceChanged, UnreadableDocument
from citeloom.domain.policies import OcrOptions
from citeloom.infrastructure.conversion import cache as cached_converter
from citeloom.infrastructure.conversion import cache as entry
from citeloom.infrastructure.conversion.cache import CachedConverter
from tests.fakes.document_converter import FakeDocumentConverter, conversion_of
from tests.fakes.sources import write_source

PAPER = "# One\n\nA paragraph that\fgoes on.\n\n## One, one\n\nThe end: Übergrößen ﬁn 𝄞."


@pytest.fixture
def inner() -> FakeDocumentConverter:
    return FakeDocumentConverter()


@pytest.fixture
def cached(inner: FakeDocumentConverter, tmp_path: Path) -> CachedConverter:
    return CachedConverter(inner, tmp_path / "conversions")


@pytest.fixture
def papers(tmp_path: Path) -> list[SourceFile]:
    return [write_source(tmp_path / f"{n}.txt", f"# Paper {n}\n\nIts text.") for n in range(8)]


def silent(_event: object) -> None: ...


def convert(cached: CachedConverter, *sources: SourceFile) -> list[Conversion]:
    return [cached.convert(source, silent) for source in sources]


def entries(tmp_path: Path) -> list[Path]:
    files = (path for path in (tmp_path / "conversions").rglob("*") if path.is_file())
    return sorted(path for path in files if path.name != "schema")


def rewrite(path: Path, **changes: object) -> None:
    content = json.loads(gzip.decompress(path.read_bytes()))
    path.write_bytes(gzip.compress(json.dumps({**content, **changes}).encode()))


class TestKeeping:
    def test_a_file_is_converted_once(
        self, cached: CachedConverter, inner: FakeDocumentConverter, papers: list[SourceFile]
    ) -> None:
        first, second = convert(cached, *papers), convert(cached, *papers)
        assert inner.converted == papers
        assert [outcome.result for outcome in first] == [outcome.result for outcome in second]
        assert {outcome.cached for outcome in first} == {False}
        assert {outcome.cached for outcome in second} == {True}

    def test_a_moved_file_is_the_same(
        self, cached: CachedConverter, inner: FakeDocumentConverter, tmp_path: Path
    ) -> None:
        convert(cached, write_source(tmp_path / "here.txt", PAPER))
        (moved,) = convert(cached, write_source(tmp_path / "there.txt", PAPER))
        assert moved.cached
        assert len(inner.converted) == 1

    def test_another_version_converts_anew_and_leaves_the_first_as_it_was(
        self, cached: CachedConverter, papers: list[SourceFile], tmp_path: Path
    ) -> None:
        convert(cached, *papers)
        newer = CachedConverter(FakeDocumentConverter(version="fake-2"), tmp_path / "conversions")
        assert not any(outcome.cached for outcome in convert(newer, *papers))
        assert all(outcome.cached for outcome in convert(cached, *papers))

    def test_errors_are_not_kept(self, tmp_path: Path) -> None:
        source = write_source(tmp_path / "bad.txt", "text")
        inner = FakeDocumentConverter({"bad.txt": UnreadableDocument("damaged")})
        cached = CachedConverter(inner, tmp_path / "conversions")
        for _ in range(2):
            with pytest.raises(UnreadableDocument, match="damaged"):
                convert(cached, source)
        assert len(inner.converted) == 2
        assert entries(tmp_path) == []

    def test_a_file_that_has_changed_is_kept_under_neither_hash(
        self, cached: CachedConverter, inner: FakeDocumentConverter, tmp_path: Path
    ) -> None:
        before = write_source(tmp_path / "paper.txt", "# Before\n\nIts text.")
        after = write_source(tmp_path / "paper.txt", "# After\n\nAnother text.")
        with pytest.raises(SourceChanged):
            convert(cached, before)
        assert entries(tmp_path) == []
        (outcome,) = convert(cached, after)
        assert "Another text." in outcome.result.plain_text
        assert inner.converted == [before, after]

    def test_what_is_wanted_afresh_is_converted_and_kept(
        self, cached: CachedConverter, inner: FakeDocumentConverter, papers: list[SourceFile]
    ) -> None:
        ignore_cache = replace(papers[0], ignore_cache=True)
        outcomes = convert(cached, papers[0], ignore_cache, papers[0])
        assert [outcome.cached for outcome in outcomes] == [False, False, True]
        assert inner.converted == [papers[0], ignore_cache]

    def test_the_first_write_deletes_entries_of_older_schemas_only(
        self, cached: CachedConverter, papers: list[SourceFile], tmp_path: Path
    ) -> None:
        convert(cached, *papers[:4])
        older, newer, damaged, current = entries(tmp_path)
        rewrite(older, schema=entry.SCHEMA - 1)
        rewrite(newer, schema=entry.SCHEMA + 1)
        damaged.write_bytes(damaged.read_bytes()[:20])
        marker = tmp_path / "conversions" / "schema"
        marker.write_text(str(entry.SCHEMA - 1))
        later = CachedConverter(FakeDocumentConverter(), tmp_path / "conversions")
        later.cached_result(papers[5])
        assert older.exists()
        convert(later, papers[5])
        assert not older.exists()
        assert {newer, damaged, current} < set(entries(tmp_path))
        assert marker.read_text() == str(entry.SCHEMA)

    def test_later_writes_do_not_search_the_cache_again(
        self, cached: CachedConverter, papers: list[SourceFile], tmp_path: Path
    ) -> None:
        convert(cached, papers[0])
        (first,) = entries(tmp_path)
        rewrite(first, schema=entry.SCHEMA - 1)
        convert(CachedConverter(FakeDocumentConverter(), tmp_path / "conversions"), papers[1])
        assert first.exists()

    def test_reading_leaves_entries_of_another_schema_alone(
        self,
        cached: CachedConverter,
        papers: list[SourceFile],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        convert(cached, papers[0])
        monkeypatch.setattr(cached_converter, "SCHEMA", entry.SCHEMA + 1)
        later = CachedConverter(FakeDocumentConverter(), tmp_path / "conversions")
        with capture_logs() as logs:
            assert later.cached_result(papers[0]) is None
        assert logs == []

    def test_load_gives_what_is_kept_and_converts_nothing(
        self, cached: CachedConverter, inner: FakeDocumentConverter, papers: list[SourceFile]
    ) -> None:
        (outcome,) = convert(cached, papers[0])
        assert cached.cached_result(papers[0]) == outcome.result
        assert cached.cached_result(papers[1]) is None
        assert inner.converted == papers[:1]

    def test_a_result_that_was_given_is_used_although_its_entry_is_gone(
        self, cached: CachedConverter, inner: FakeDocumentConverter, papers: list[SourceFile]
    ) -> None:
        (first,) = convert(cached, papers[0])
        assert cached.cached_result(papers[0]) == first.result
        for path in cached._root.glob("*/*"):
            path.unlink()
        ((kept,), (converted,)) = convert(cached, papers[0]), convert(cached, papers[0])
        assert (kept.cached, kept.result, converted.cached) == (True, first.result, False)
        assert inner.converted == [papers[0]] * 2

    def test_a_killed_writer_leaves_nothing_that_is_read(
        self, cached: CachedConverter, papers: list[SourceFile], tmp_path: Path
    ) -> None:
        convert(cached, papers[0])
        kept = entries(tmp_path)[0]
        kept.rename(kept.with_suffix(".part"))
        assert cached.cached_result(papers[0]) is None

    def test_a_full_disk_does_not_stop_the_run(
        self, inner: FakeDocumentConverter, papers: list[SourceFile], tmp_path: Path
    ) -> None:
        (tmp_path / "conversions").write_text("a file where a folder should be")
        with capture_logs() as logs:
            outcomes = convert(CachedConverter(inner, tmp_path / "conversions"), *papers[:2])
        assert not any(outcome.cached for outcome in outcomes)
        assert [log["event"] for log in logs] == ["conversion_not_cached"] * 2

    def test_text_that_is_no_unicode_is_converted_but_not_kept(self, tmp_path: Path) -> None:
        source = write_source(tmp_path / "odd.txt", "text")
        inner = FakeDocumentConverter({"odd.txt": "half a pair: \ud800"})
        with capture_logs() as logs:
            (outcome,) = convert(CachedConverter(inner, tmp_path / "conversions"), source)
        assert outcome.result.plain_text
        assert [log["event"] for log in logs] == ["conversion_not_cached"]
        assert entries(tmp_path) == []


class TestSpoiltEntries:
    @pytest.fixture
    def kept(self, cached: CachedConverter, papers: list[SourceFile], tmp_path: Path) -> Path:
        convert(cached, papers[0])
        return entries(tmp_path)[0]

    def test_each_is_logged_and_written_anew(
        self, cached: CachedConverter, papers: list[SourceFile], kept: Path
    ) -> None:
        whole = kept.read_bytes()
        for content in (b"", whole[:-20], whole[:200], b"not compressed", b"\0" * len(whole)):
            kept.write_bytes(content)
            with capture_logs() as logs:
                (outcome,) = convert(cached, papers[0])
            assert not outcome.cached
            assert [log["event"] for log in logs] == ["cached_conversion_unusable"]
            assert kept.read_bytes() == whole

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"schema": 0}, "schema 0"),
            ({"converter_version": "fake-0"}, "fake-0"),
            ({"result": {"doc_id": "doc"}}, "damaged"),
            ({"result": None}, "damaged"),
        ],
    )
    def test_an_entry_that_is_not_the_one_meant_is_not_used(
        self,
        cached: CachedConverter,
        papers: list[SourceFile],
        kept: Path,
        changes: dict[str, object],
        reason: str,
    ) -> None:
        rewrite(kept, **changes)
        with capture_logs() as logs:
            assert cached.cached_result(papers[0]) is None
        assert reason in logs[0]["reason"]

    def test_an_entry_of_another_document_is_not_used(
        self, cached: CachedConverter, papers: list[SourceFile], kept: Path
    ) -> None:
        stranger = SourceFile(
            path=papers[0].path, doc_id="another", content_hash=papers[0].content_hash
        )
        with capture_logs() as logs:
            assert cached.cached_result(stranger) is None
        assert "not another" in logs[0]["reason"]
        assert kept.exists()


class TestEntries:
    @given(
        text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
        label=st.text(st.characters(exclude_categories=["Cs"])),
    )
    def test_what_is_written_is_what_is_read(self, text: str, label: str) -> None:
        result = conversion_of(
            f"# Heading\n\nFirst.\f{text}",
            page_labels={2: label},
            embedded=EmbeddedMetadata(title=text, doi=label),
        )
        content = entry.encode(result, "fake-1")
        assert entry.decode(content, converter_version="fake-1", doc_id="doc") == result

    def test_the_same_result_gives_the_same_bytes(self) -> None:
        assert entry.encode(conversion_of(PAPER), "v") == entry.encode(conversion_of(PAPER), "v")

    def test_a_change_of_the_values_is_a_change_of_the_schema(self) -> None:
        values = (
            conversion.Box,
            conversion.Fragment,
            conversion.Block,
            conversion.Heading,
            conversion.LeftOut,
            EmbeddedMetadata,
            PageFailure,
            ConversionResult,
        )
        assert entry.SCHEMA == 8
        assert {value.__name__: [field.name for field in fields(value)] for value in values} == {
            "Box": ["left", "top", "right", "bottom"],
            "Fragment": ["page", "box", "start", "end"],
            "Block": ["kind", "fragments", "section", "source", "doubts"],
            "Heading": ["level", "title", "page", "start", "parent", "is_title"],
            "LeftOut": ["kind", "count", "text"],
            "EmbeddedMetadata": ["title", "author", "doi", "front_text"],
            "PageFailure": ["page", "reason"],
            "ConversionResult": [
                "doc_id",
                "plain_text",
                "blocks",
                "headings",
                "page_map",
                "page_count",
                "page_labels",
                "has_page_list",
                "edge_numbers",
                "ocr_pages",
                "layer_pages",
                "ocr_languages",
                "ocr_engine",
                "engine",
                "converter_version",
                "embedded",
                "page_failures",
                "notes",
                "lost_words",
                "left_out",
                "source_runs",
                "front_matter",
            ],
        }


def test_importing_it_loads_nothing_heavy() -> None:
    code = (
        "import sys, citeloom.infrastructure.conversion.cache;"
        "print([name for name in ('pydantic', 'docling', 'pypdfium2') if name in sys.modules])"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    )
    assert found.stdout.strip() == "[]"


class ReadsImages(FakeDocumentConverter):
    """Says of every document that its page is an image, read as it was asked to be."""

    def convert(self, source: SourceFile, emit: EmitEvent) -> Conversion:
        languages = source.ocr.languages if source.ocr else ()
        made = super().convert(source, emit)
        read = replace(made.result, ocr_pages={1: 0.9}, ocr_languages=languages)
        return replace(made, result=read)


def test_an_image_is_read_anew_in_other_languages_and_text_is_not(tmp_path: Path) -> None:
    source = write_source(tmp_path / "paper.txt", PAPER)
    languages = (None, ("en",), ("de",), ("en",))
    asked = [replace(source, ocr=c and OcrOptions(languages=c)) for c in languages]
    for converter, hits in (
        (FakeDocumentConverter(), [False, True, True, True]),
        (ReadsImages(), [False, False, False, True]),
    ):
        cached = CachedConverter(converter, tmp_path / type(converter).__name__)
        outcomes = convert(cached, *asked)
        assert [outcome.cached for outcome in outcomes] == hits


class HasLayers(FakeDocumentConverter):
    """Says of every document that its page is a scan with a text, which is read only if asked."""

    def convert(self, source: SourceFile, emit: EmitEvent) -> Conversion:
        made = super().convert(source, emit)
        engine = "reader-1" if source.ocr and source.ocr.again else ""
        return replace(made, result=replace(made.result, layer_pages=(1,), ocr_engine=engine))


def test_a_scan_with_its_own_text_is_read_when_that_is_asked_for(tmp_path: Path) -> None:
    source = write_source(tmp_path / "paper.txt", PAPER)
    once, again = (replace(source, ocr=OcrOptions(again=again)) for again in (False, True))
    for converter, hits in (
        (FakeDocumentConverter(), [False, True, True, True]),
        (ReadsImages(), [False, True, True, True]),
        (HasLayers(), [False, False, True, True]),
    ):
        cached = CachedConverter(converter, tmp_path / f"again-{type(converter).__name__}")
        outcomes = convert(cached, once, again, once, again)
        assert [outcome.cached for outcome in outcomes] == hits
