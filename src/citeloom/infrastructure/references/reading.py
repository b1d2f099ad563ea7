"""Reading a references file: its format by suffix, and its encoding."""

from __future__ import annotations

from importlib import import_module
from pathlib import PurePath
from typing import Protocol, cast

from citeloom.domain.bibliography import Bibliography, Flaw
from citeloom.domain.errors import InvalidReferences

_READERS = {
    ".json": "csl_json",
    ".csljson": "csl_json",
    ".bib": "bibtex",
    ".bibtex": "bibtex",
    ".ris": "ris",
}
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


class Reader(Protocol):
    """Reads the text of a references file; `name` is the file's name in messages."""

    def __call__(self, text: str, name: str) -> Bibliography:
        """The references; raises `InvalidReferences` if the file as a whole cannot be read."""
        ...


def read_references(content: bytes, path: PurePath) -> Bibliography:
    """The references in a file's content; only the parser of its format is loaded."""
    reader = _reader(path)
    text, flaws = decode(content, path.name)
    bibliography = reader(text, path.name)
    if not bibliography.entries:
        flaws = (*flaws, f"{path.name} has no references.")
    of_the_file = (Flaw(flaw) for flaw in flaws)
    return Bibliography(entries=bibliography.entries, flaws=(*of_the_file, *bibliography.flaws))


def _reader(path: PurePath) -> Reader:
    module = _READERS.get(path.suffix.lower())
    if module is None:
        raise InvalidReferences(
            f"{path.name} does not have the suffix of a known format.",
            hint="References are read from CSL-JSON (.json), BibTeX (.bib) and RIS (.ris).",
        )
    return cast(Reader, import_module(f"{__package__}.{module}").read)


def decode(content: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and notes about its encoding."""
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return content.decode(encoding, "replace"), ()
    try:
        return content.decode(), ()
    except UnicodeDecodeError:
        flaw = f"{name} is not UTF-8; it was read as Western European text."
        return _western(content), (flaw,)


def _western(content: bytes) -> str:
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError:
        return content.decode("latin-1")
