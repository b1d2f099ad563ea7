"""The languages of some files, by their first words, before anything is converted."""

from __future__ import annotations

import multiprocessing
import re
import sys
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path

from citeloom.domain.documents.language import clear_language
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.conversion.pdfium import open_pdf

if sys.platform != "win32":
    import resource

_FILES = 20
"""So many files are looked at, spread over all of them."""
_MOST_FILES = 10_000
_PAGES = 3
_BYTES = 60_000
_SECONDS = 10.0
"""All files together; a file made to exhaust readers may take any time, and any memory."""
_MEMORY = 2 << 30
_PARTS = re.compile(r"(?:.+\.x?html?|word/document\.xml|ppt/slides/slide\d+\.xml)")
_TAG = re.compile(r"<[^<>]*>")


def languages_of_files(paths: Iterable[Path], suffixes: Collection[str]) -> Counter[str]:
    """How many of some of the files with these suffixes, among these and in these folders, are
    clearly in each language, by its code. What cannot be read at once counts in none. They are
    read in another process, which is ended after ten seconds.
    """
    files = sorted(islice((file for path in paths for file in _files(path, suffixes)), _MOST_FILES))
    step = max(len(files) / _FILES, 1.0)
    chosen = [files[int(n * step)] for n in range(min(len(files), _FILES))]
    return Counter(code for code in _languages(chosen) if code is not None)


def _languages(files: Collection[Path]) -> Iterator[str | None]:
    """The language of each file that another process reads in time."""
    if not files:
        return
    processes = multiprocessing.get_context("spawn")
    receiver, sender = processes.Pipe(duplex=False)
    reader = processes.Process(target=_send_languages, args=(files, sender), daemon=True)
    reader.start()
    sender.close()
    end = time.monotonic() + _SECONDS
    try:
        while receiver.poll(max(end - time.monotonic(), 0)):
            yield receiver.recv()
    except EOFError:  # it has read all of them, or was ended by one
        return
    finally:
        reader.kill()
        reader.join()


def _send_languages(files: Collection[Path], sender: Connection) -> None:
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    for file in files:
        sender.send(clear_language(_first_words(file)))


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
