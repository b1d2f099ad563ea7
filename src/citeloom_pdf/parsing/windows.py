"""Finished page windows, kept on disk so that a killed conversion can resume."""

from __future__ import annotations

import gzip
import hashlib
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import structlog
from pydantic import TypeAdapter

from citeloom_pdf.elements.block import PageLayout
from citeloom_pdf.elements.page import PageFailure

_FASTEST = 1  # level of compression

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class ConvertedPages:
    """The layouts of the converted pages, those `plain` by text alone, and the failures of the
    others.
    """

    layouts: list[PageLayout] = field(default_factory=list)
    failures: list[PageFailure] = field(default_factory=list)
    plain: list[int] = field(default_factory=list)

    def extend(self, pages: ConvertedPages) -> None:
        self.layouts += pages.layouts
        self.failures += pages.failures
        self.plain += pages.plain


class WindowStore:
    """Stores windows under `root` for one converter version."""

    def __init__(self, root: Path, version: str) -> None:
        self._root = root
        self._version = version

    @contextmanager
    def of(self, doc_id: str, reading: str = "off") -> Iterator[KeptWindows]:
        """The windows of a document whose images are read as in `reading`; at the end all of its
        windows are removed, those of other versions included.
        """
        folder = self._root / doc_id
        key = hashlib.sha256(f"{self._version}\n{reading}".encode()).hexdigest()[:16]
        try:
            yield KeptWindows(folder / key)
        finally:
            _remove(folder)


class KeptWindows:
    """The finished windows of one document, each a file.

    One that cannot be read counts as missing; one that cannot be written is logged, and the
    conversion continues.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, window: range) -> ConvertedPages | None:
        """The pages of a finished window, or None."""
        path = self._path(window)
        try:
            return _pages().validate_json(gzip.decompress(path.read_bytes()))
        except FileNotFoundError:
            return None
        except (ValueError, EOFError, OSError, zlib.error) as error:
            _log.warning("kept_window_unusable", path=str(path), reason=str(error))
            return None

    def keep(self, window: range, pages: ConvertedPages) -> None:
        """Write a finished window atomically."""
        path = self._path(window)
        partial = path.with_suffix(".part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(gzip.compress(_pages().dump_json(pages), _FASTEST))
            partial.replace(path)
        except (OSError, ValueError) as error:
            _log.warning("window_not_kept", path=str(path), reason=str(error))

    def _path(self, window: range) -> Path:
        return self._folder / f"{window.start}-{window.stop - 1}.json.gz"


def _remove(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        _log.warning("windows_not_removed", path=str(folder), reason=str(error))


@cache
def _pages() -> TypeAdapter[ConvertedPages]:
    return TypeAdapter(ConvertedPages)
