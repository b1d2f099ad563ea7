"""The languages of some files, by their first words, before anything is converted."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from citeloom.domain.documents.language import clear_language
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.conversion.pdfium import open_pdf

_FILES = 20
"""So many files are looked at, spread over all of them."""
_MOST_FILES = 10_000
_PAGES = 3
_BYTES = 60_000
_PARTS = re.compile(r"(?:.+\.x?html?|word/document\.xml|ppt/slides/slide\d+\.xml)")
_TAG = re.compile(r"<[^<>]*>")


def languages_of_files(paths: Iterable[Path], suffixes: Collection[str]) -> Counter[str]:
    """How many of some of the files with these suffixes, among these and in these folders, are
    clearly in each language, by its code. What cannot be read at once counts in none.
    """
    files = sorted(islice((file for path in paths for file in _files(path, suffixes)), _MOST_FILES))
    step = max(len(files) / _FILES, 1.0)
    chosen = [files[int(n * step)] for n in range(min(len(files), _FILES))]
    languages = (clear_language(_first_words(file)) for file in chosen)
    return Counter(code for code in languages if code is not None)


def _files(path: Path, suffixes: Collection[str]) -> Iterator[Path]:
    files = path.rglob("*") if path.is_dir() else (path,)
    return (file for file in files if file.suffix.lower() in suffixes and file.is_file())


def _first_words(path: Path) -> str:
    with suppress(CiteloomError, OSError, RuntimeError, zipfile.BadZipFile, zlib.error):
        if path.suffix.lower() == ".pdf":
            with open_pdf(path) as document:
                pages = range(min(len(document), _PAGES))
                return "\n".join(document[n].get_textpage().get_text_bounded() for n in pages)
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                names = filter(_PARTS.fullmatch, archive.namelist())
                return "\n".join(_beginning(archive, name) for name in islice(names, 2 * _PAGES))
        with path.open("rb") as file:
            return _TAG.sub(" ", file.read(_BYTES).decode(errors="replace"))
    return ""


def _beginning(archive: zipfile.ZipFile, name: str) -> str:
    with archive.open(name) as part:
        return _TAG.sub(" ", part.read(_BYTES).decode(errors="replace"))
