"""Conversions kept on disk: what is kept, what is not, and what is made of a spoilt entry."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Generator, Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from citeloom.application.ports.document_converter import Converted, Source
from citeloom.domain import conversion
from citeloom.domain.conversion import ConversionResult, EmbeddedMetadata, PageFailure
from citeloom.domain.errors import UnreadableDocument
from citeloom.domain.policies import OcrOptions
from citeloom.infrastructure.conversion.cache import entry
from citeloom.infrastructure.conversion.cache.cached_converter import CachedConverter
from tests.fakes.document_converter import FakeDocumentConverter, conversion_of
from tests.fakes.sources import write_source

PAPER = "# One\n\nA paragraph that\fgoes on.\n\n## One, one\n\nThe end: Übergrößen ﬁn 𝄞."


class LookAheadConverter(FakeDocumentConverter):
    """Takes up `ahead` sources before it gives the first outcome, as a pool does."""

    def __init__(self, ahead: int) -> None:
        super().__init__()
        self._ahead = ahead

    def convert(self, sources: Iterable[Source]) -> Generator[Converted, None, None]:
        taken: list[Source] = []
        for source in sources:
            taken.append(source)
            if len(taken) > self._ahead:
                yield from super().convert([taken.pop(0)])
        yield from super().convert(taken)


@pytest.fixture
def inner() -> FakeDocumentConverter:
    return FakeDocumentConverter()


@pytest.fixture
def cached(inner: FakeDocumentConverter, tmp_path: Path) -> CachedConverter:
    return CachedConverter(inner, tmp_path / "conversions")


@pytest.fixture
def papers(tmp_path: Path) -> list[Source]:
    return [write_source(tmp_path / f"{n}.txt", f"# Paper {n}\n\nIts text.") for n in range(8)]


def recorded(sources: list[Source], taken: list[Source]) -> Iterator[Source]:
    """The sources one by one, each noted in `taken` as it is asked for."""
    for source in sources:
        taken.append(source)
        yield source


def entries(tmp_path: Path) -> list[Path]:
    return sorted(path for path in (tmp_path / "conversions").rglob("*") if path.is_file())


def rewrite(path: Path, **changes: object) -> None:
    content = json.loads(gzip.decompress(path.read_bytes()))
    path.write_bytes(gzip.compress(json.dumps({**content, **changes}).encode()))


class TestKeeping:
    def test_a_file_is_converted_once(
        self, cached: CachedConverter, inner: FakeDocumentConverter, papers: list[Source]
    ) -> None:
        first, second = list(cached.convert(papers)), list(cached.convert(papers))
        assert inner.converted == papers
        assert [outcome.result for outcome in first] == [outcome.result for outcome in second]
        assert {outcome.cached for outcome in first} == {False}
        assert {outcome.cached for outcome in second} == {True}

    def test_a_moved_file_is_the_same(
        self, cached: CachedConverter, inner: FakeDocumentConverter, tmp_path: Path
    ) -> None:
        list(cached.convert([write_source(tmp_path / "here.txt", PAPER)]))
        (moved,) = cached.convert([write_source(tmp_path / "there.txt", PAPER)])
        assert moved.cached
        assert moved.source.path.name == "there.txt"
        assert len(inner.converted) == 1

    def test_another_version_converts_anew_and_leaves_the_first_as_it_was(
        self, cached: CachedConverter, papers: list[Source], tmp_path: Path
    ) -> None:
        list(cached.convert(papers))
        newer = CachedConverter(FakeDocumentConverter(version="fake-2"), tmp_path / "conversions")
        assert not any(outcome.cached for outcome in newer.convert(papers))
        assert all(outcome.cached for outcome in cached.convert(papers))

    def test_errors_are_not_kept(self, tmp_path: Path) -> None:
        source = write_source(tmp_path / "bad.txt", "text")
        inner = FakeDocumentConverter({"bad.txt": UnreadableDocument("damaged")})
        cached = CachedConverter(inner, tmp_path / "conversions")
        for _ in range(2):
            (outcome,) = cached.convert([source])
            assert isinstance(outcome.error, UnreadableDocument)
        assert len(inner.converted) == 2
        assert entries(tmp_path) == []

    def test_load_gives_what_is_kept_and_converts_nothing(
        self, cached: CachedConverter, inner: FakeDocumentConverter, papers: list[Source]
    ) -> None:
        (outcome,) = cached.convert(papers[:1])
        assert cached.load(papers[0]) == outcome.result
        assert cached.load(papers[1]) is None
        assert inner.converted == papers[:1]

    def test_a_killed_writer_leaves_nothing_that_is_read(
        self, cached: CachedConverter, papers: list[Source], tmp_path: Path
    ) -> None:
        list(cached.convert(papers[:1]))
        kept = entries(tmp_path)[0]
        kept.rename(kept.with_suffix(".part"))
        assert cached.load(papers[0]) is None

    def test_a_full_disk_does_not_stop_the_run(
        self, inner: FakeDocumentConverter, papers: list[Source], tmp_path: Path
    ) -> None:
        (tmp_path / "conversions").write_text("a file where a folder should be")
        with capture_logs() as logs:
            outcomes = list(CachedConverter(inner, tmp_path / "conversions").convert(papers[:2]))
        assert all(outcome.result for outcome in outcomes)
        assert [log["event"] for log in logs] == ["conversion_not_cached"] * 2

    def test_text_that_is_no_unicode_is_converted_but_not_kept(self, tmp_path: Path) -> None:
        source = write_source(tmp_path / "odd.txt", "text")
        inner = FakeDocumentConverter({"odd.txt": "half a pair: \ud800"})
        with capture_logs() as logs:
            (outcome,) = CachedConverter(inner, tmp_path / "conversions").convert([source])
        assert outcome.result is not None
        assert [log["event"] for log in logs] == ["conversion_not_cached"]
        assert entries(tmp_path) == []


class TestOrder:
    @pytest.mark.parametrize("ahead", [0, 1, 3])
    @pytest.mark.parametrize("kept", [[0], [7], [1, 2, 5], [0, 1, 2, 3], [2, 3, 4, 5, 6, 7]])
    def test_kept_and_converted_come_in_the_order_of_the_sources(
        self, papers: list[Source], tmp_path: Path, kept: list[int], ahead: int
    ) -> None:
        inner = LookAheadConverter(ahead)
        cached = CachedConverter(inner, tmp_path / "conversions")
        list(cached.convert([papers[n] for n in kept]))
        inner.converted.clear()
        outcomes = list(cached.convert(papers))
        assert [outcome.source for outcome in outcomes] == papers
        assert [n for n, outcome in enumerate(outcomes) if outcome.cached] == kept
        assert len(inner.converted) == len(papers) - len(kept)

    def test_the_converter_works_ahead_over_kept_files(
        self, papers: list[Source], tmp_path: Path
    ) -> None:
        inner = LookAheadConverter(2)
        cached = CachedConverter(inner, tmp_path / "conversions")
        list(cached.convert(papers[1:3]))
        taken: list[Source] = []
        outcomes = cached.convert(recorded(papers, taken))
        next(outcomes)
        assert taken == papers[:5]
        outcomes.close()

    def test_a_long_run_of_kept_files_is_not_looked_through_at_once(self, tmp_path: Path) -> None:
        sources = [write_source(tmp_path / f"{n}.txt", f"Paper {n}.") for n in range(100)]
        cached = CachedConverter(LookAheadConverter(2), tmp_path / "conversions")
        list(cached.convert(sources[1:]))
        taken: list[Source] = []
        outcomes = cached.convert(recorded(sources, taken))
        assert next(outcomes).source == sources[0]
        assert len(taken) < 40
        assert [outcome.source for outcome in outcomes] == sources[1:]

    def test_the_same_file_twice_gives_two_outcomes(
        self, cached: CachedConverter, papers: list[Source]
    ) -> None:
        twice = [papers[0], papers[1], papers[0], papers[1]]
        assert [outcome.source for outcome in cached.convert(twice)] == twice


class TestSpoiltEntries:
    @pytest.fixture
    def kept(self, cached: CachedConverter, papers: list[Source], tmp_path: Path) -> Path:
        list(cached.convert(papers[:1]))
        return entries(tmp_path)[0]

    def test_each_is_logged_and_written_anew(
        self, cached: CachedConverter, papers: list[Source], kept: Path
    ) -> None:
        whole = kept.read_bytes()
        for content in (b"", whole[:-20], whole[:200], b"not compressed", b"\0" * len(whole)):
            kept.write_bytes(content)
            with capture_logs() as logs:
                (outcome,) = cached.convert(papers[:1])
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
        papers: list[Source],
        kept: Path,
        changes: dict[str, object],
        reason: str,
    ) -> None:
        rewrite(kept, **changes)
        with capture_logs() as logs:
            assert cached.load(papers[0]) is None
        assert reason in logs[0]["reason"]

    def test_an_entry_of_another_document_is_not_used(
        self, cached: CachedConverter, papers: list[Source], kept: Path
    ) -> None:
        stranger = Source(
            path=papers[0].path, doc_id="another", content_hash=papers[0].content_hash
        )
        with capture_logs() as logs:
            assert cached.load(stranger) is None
        assert "not another" in logs[0]["reason"]
        assert kept.exists()

    def test_one_among_others_is_converted_in_its_turn(
        self, papers: list[Source], tmp_path: Path
    ) -> None:
        cached = CachedConverter(LookAheadConverter(2), tmp_path / "conversions")
        list(cached.convert(papers[1:]))
        for path in entries(tmp_path)[::2]:
            path.write_bytes(b"spoilt")
        with capture_logs():
            outcomes = list(cached.convert(papers))
        assert [outcome.source for outcome in outcomes] == papers
        assert sum(outcome.cached for outcome in outcomes) == 3


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
            EmbeddedMetadata,
            PageFailure,
            ConversionResult,
        )
        assert entry.SCHEMA == 2
        assert {value.__name__: [field.name for field in fields(value)] for value in values} == {
            "Box": ["left", "top", "right", "bottom"],
            "Fragment": ["page", "box", "start", "end"],
            "Block": ["kind", "fragments", "section"],
            "Heading": ["level", "title", "page", "start", "parent"],
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
                "edge_numbers",
                "ocr_pages",
                "ocr_languages",
                "ocr_engine",
                "engine",
                "converter_version",
                "embedded",
                "page_failures",
                "notes",
            ],
        }


def test_importing_it_loads_nothing_heavy() -> None:
    code = (
        "import sys, citeloom.infrastructure.conversion.cache.cached_converter;"
        "print([name for name in ('pydantic', 'docling', 'pypdfium2') if name in sys.modules])"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    )
    assert found.stdout.strip() == "[]"


class ReadsImages(FakeDocumentConverter):
    """Says of every document that its page is an image, read as it was asked to be."""

    def convert(self, sources: Iterable[Source]) -> Generator[Converted, None, None]:
        for outcome in super().convert(sources):
            assert outcome.result is not None
            wanted = outcome.source.ocr
            languages = wanted.languages if wanted else ()
            read = replace(outcome.result, ocr_pages={1: 0.9}, ocr_languages=languages)
            yield replace(outcome, result=read)


def test_an_image_is_read_anew_in_other_languages_and_text_is_not(tmp_path: Path) -> None:
    source = write_source(tmp_path / "paper.txt", PAPER)
    languages = (None, ("en",), ("de",), ("en",))
    asked = [replace(source, ocr=c and OcrOptions(languages=c)) for c in languages]
    for converter, hits in (
        (FakeDocumentConverter(), [False, True, True, True]),
        (ReadsImages(), [False, False, False, True]),
    ):
        cached = CachedConverter(converter, tmp_path / type(converter).__name__)
        outcomes = [outcome for one in asked for outcome in cached.convert([one])]
        assert [outcome.cached for outcome in outcomes] == hits
