"""Long documents in windows: no seam shows, and a killed conversion goes on where it was."""

from __future__ import annotations

import gzip
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from citeloom.application.limits import DocumentLimits
from citeloom.application.ports.conversion import ConverterOptions, SourceFile
from citeloom.application.ports.runtime import PageBegun
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import EmptyDocument
from citeloom.infrastructure.conversion.pdf import converter as converter_module
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom_pdf.elements.page import PageFailure
from citeloom_pdf.parsing.windows import (
    ConvertedPages,
    WindowStore,
)
from tests.copies import copy_folder
from tests.integration.conversion import documents
from tests.integration.conversion.handbook import Handbook, write_handbook

WINDOW = 5
DIES_AT_PAGE = """
import os, signal, sys
from pathlib import Path
from citeloom.application.ports.conversion import SourceFile
from tests.integration.conversion.test_windows import converter_with

def emit(event):
    if event.page == int(sys.argv[4]):
        os.kill(os.getpid(), signal.SIGKILL)

source = SourceFile(path=Path(sys.argv[1]), doc_id="doc", content_hash="")
converter_with(Path(sys.argv[2]), int(sys.argv[3])).convert(source, emit)
"""


def converter_with(windows: Path | None, window: int = WINDOW) -> PdfConverter:
    limits = DocumentLimits(page_window=window)
    return PdfConverter(ConverterOptions(limits=limits, windows=windows))


def source_at(path: Path) -> SourceFile:
    return SourceFile(path=path, doc_id="doc", content_hash="")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("books") / "handbook.pdf"


@pytest.fixture(scope="module")
def handbook(path: Path) -> Handbook:
    return write_handbook(path, chapters=2)


@pytest.fixture(scope="module")
def whole(path: Path, handbook: Handbook) -> ConversionResult:
    """The book converted in one window."""
    return converter_with(None, 1000).convert(source_at(path))


def kept_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.rglob("*") if file.is_file())


def die_at_page(page: int, path: Path, windows: Path) -> None:
    """Convert in a process that is killed as the work on a page begins."""
    arguments = [str(path), str(windows), str(WINDOW), str(page)]
    done = subprocess.run(
        [sys.executable, "-c", DIES_AT_PAGE, *arguments], capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


@pytest.fixture(scope="module")
def windows_of_13(path: Path, handbook: Handbook, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a conversion leaves that is killed at page 13."""
    folder = tmp_path_factory.mktemp("killed") / "windows"
    die_at_page(13, path, folder)
    return folder


@pytest.fixture
def killed_at_13(windows_of_13: Path, tmp_path: Path) -> Path:
    """A copy of that."""
    copy_folder(windows_of_13, tmp_path / "windows")
    return tmp_path / "windows"


def announced(path: Path, windows: Path | None, window: int = WINDOW) -> list[int]:
    """The pages that are worked on."""
    return convert(path, windows, window)[1]


def convert(
    path: Path, windows: Path | None, window: int = WINDOW
) -> tuple[ConversionResult, list[int]]:
    """The result, and the pages that were laid out once it was known that the file has text, up to
    the 0 of its end; behind it, pages are looked at for fields and annotations alone.
    """
    pages: list[int] = []

    def emit(event: object) -> None:
        assert isinstance(event, PageBegun)
        pages.append(event.page)

    result = converter_with(windows, window).convert(source_at(path), emit)
    begin = pages.index(0) + 1
    return result, pages[begin : pages.index(0, begin) + 1]


@pytest.mark.parametrize("window", [1, 4, WINDOW, 16])
def test_the_result_is_the_same_for_any_window(
    window: int, path: Path, whole: ConversionResult
) -> None:
    assert converter_with(None, window).convert(source_at(path)) == whole


def test_each_paragraph_is_one_block_be_it_on_two_pages(
    handbook: Handbook, whole: ConversionResult
) -> None:
    texts = {whole.text_of(block): block for block in whole.blocks}
    assert set(handbook.paragraphs) <= set(texts)
    assert sum(len(texts[text].fragments) > 1 for text in handbook.paragraphs) > 5


def test_a_killed_conversion_goes_on_behind_the_finished_windows(
    path: Path, whole: ConversionResult, killed_at_13: Path
) -> None:
    assert kept_in(killed_at_13) == ["1-5.json.gz", "6-10.json.gz"]
    result, pages = convert(path, killed_at_13)
    assert result == whole
    assert pages == [*range(11, whole.page_count + 1), 0]
    assert kept_in(killed_at_13) == []


def test_killed_again_and_again_each_window_is_converted_once(
    path: Path, whole: ConversionResult, tmp_path: Path
) -> None:
    for page in (8, 17):
        die_at_page(page, path, tmp_path / "windows")
    assert announced(path, tmp_path / "windows") == [*range(16, whole.page_count + 1), 0]


def test_a_damaged_window_is_converted_anew(
    path: Path, whole: ConversionResult, killed_at_13: Path
) -> None:
    damaged = next(killed_at_13.rglob("1-5.json.gz"))
    damaged.write_bytes(damaged.read_bytes()[:-50])
    with capture_logs() as logs:
        result, pages = convert(path, killed_at_13)
    assert result == whole
    assert pages == [*range(1, 6), *range(11, whole.page_count + 1), 0]
    assert [entry["event"] for entry in logs] == ["kept_window_unusable"]


def test_windows_of_another_version_are_not_used_and_go_too(
    path: Path, whole: ConversionResult, killed_at_13: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(converter_module, "pdf_version", lambda: "another version")
    assert announced(path, killed_at_13) == [*range(1, whole.page_count + 1), 0]
    assert kept_in(killed_at_13) == []


@pytest.mark.parametrize(("window", "kept"), [(16, ["1-16.json.gz"]), (1000, [])])
def test_only_what_has_several_windows_is_kept(
    window: int, kept: list[str], path: Path, tmp_path: Path
) -> None:
    seen: dict[int, list[str]] = {}

    def emit(event: object) -> None:
        assert isinstance(event, PageBegun)
        seen[event.page] = kept_in(tmp_path)

    converter_with(tmp_path / "windows", window).convert(source_at(path), emit)
    assert seen[17] == kept
    assert kept_in(tmp_path) == []


def test_a_document_that_cannot_be_converted_leaves_nothing(tmp_path: Path) -> None:
    path = documents.without_text(tmp_path / "drawing.pdf")
    with pytest.raises(EmptyDocument):
        announced(path, tmp_path / "windows", window=1)
    assert kept_in(tmp_path / "windows") == []


def test_a_folder_that_cannot_be_written_stops_no_conversion(
    path: Path, whole: ConversionResult, tmp_path: Path
) -> None:
    (tmp_path / "windows").write_text("a file where the folder should be")
    with capture_logs() as logs:
        assert announced(path, tmp_path / "windows", window=16) == [
            *range(1, whole.page_count + 1),
            0,
        ]
    assert "window_not_kept" in {entry["event"] for entry in logs}


def test_failed_pages_are_kept_with_their_reasons(tmp_path: Path) -> None:
    store = WindowStore(tmp_path / "windows", "version")
    pages = ConvertedPages([], [PageFailure(page=3, reason="no such glyph: ﬁ")])
    with store.of("doc") as kept:
        kept.keep(range(1, 6), pages)
        assert kept.load(range(1, 6)) == pages
        assert kept.load(range(6, 11)) is None
        (file,) = (tmp_path / "windows").rglob("*.gz")
        file.write_bytes(gzip.compress(b'{"layouts": 3}'))
        assert kept.load(range(1, 6)) is None
