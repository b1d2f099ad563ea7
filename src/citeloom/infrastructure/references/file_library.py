"""The reference library of a file, and the empty one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path, PurePath
from typing import Protocol, cast

from citeloom.application.ports.sources import ReferenceLibrary
from citeloom.domain.documents.conversion import EmbeddedMetadata
from citeloom.domain.errors import InvalidReferences
from citeloom.domain.references.bibliography import Bibliography, Flaw
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.references.reference_matcher import (
    MATCHING_VERSION,
    NearReference,
    ReferenceMatch,
    ReferenceMatcher,
)

# Reading a references file: its format by suffix, and its encoding.

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
    module = _READERS.get(path.suffix.lower())
    if module is None:
        raise InvalidReferences(
            f"{path.name} does not have the suffix of a known format.",
            hint="References are read from CSL-JSON (.json), BibTeX (.bib) and RIS (.ris).",
        )
    reader = cast(Reader, import_module(f"{__package__}.{module}").read)
    text, flaws = decode(content, path.name)
    bibliography = reader(text, path.name)
    if not bibliography.entries:
        flaws = (*flaws, f"{path.name} has no references.")
    of_the_file = (Flaw(flaw) for flaw in flaws)
    return Bibliography(entries=bibliography.entries, flaws=(*of_the_file, *bibliography.flaws))


def decode(content: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and notes about its encoding."""
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return content.decode(encoding, "replace"), ()
    try:
        return content.decode(), ()
    except UnicodeDecodeError:
        flaw = f"{name} is not UTF-8; it was read as Western European text."
    try:
        return content.decode("cp1252"), (flaw,)
    except UnicodeDecodeError:
        return content.decode("latin-1"), (flaw,)


class FileReferenceLibrary(ReferenceLibrary):
    """The references of a CSL-JSON, BibTeX or RIS file.

    The file is read once, on first use, and parsed when a match needs it; both may raise
    `InvalidReferences`. `mapping` gives the citekey of a path, file name or glob.
    """

    def __init__(self, path: Path, *, mapping: Mapping[str, str] | None = None) -> None:
        self._path = path
        self._mapping = dict(mapping or {})

    @cached_property
    def fingerprint(self) -> str:
        digest = hashlib.sha256(self._content)
        rules = (MATCHING_VERSION, self._path.suffix.lower(), sorted(self._mapping.items()))
        digest.update(json.dumps(rules).encode())
        return digest.hexdigest()

    def match(self, path: str, embedded: EmbeddedMetadata) -> ReferenceMatch:
        return self._matcher.match(path, embedded)

    def nearest(self, path: str, embedded: EmbeddedMetadata) -> tuple[NearReference, ...]:
        return self._matcher.nearest(path, embedded)

    def references(self) -> tuple[CitationMeta, ...]:
        return tuple(entry.citation for entry in self._bibliography.entries)

    def diagnostics(self, citekeys: Collection[str] | None = None) -> tuple[str, ...]:
        known = {citation.citekey for citation in self.references()}
        unknown = (
            f"The mapping gives {pattern!r} the citekey {citekey!r}, which no reference has."
            for pattern, citekey in sorted(self._mapping.items())
            if citekey not in known
        )
        return (*self._bibliography.diagnostics(citekeys), *unknown)

    @cached_property
    def _content(self) -> bytes:
        try:
            return self._path.read_bytes()
        except OSError as error:
            raise InvalidReferences(
                f"The references file {self._path} cannot be read: {error.strerror or error}.",
                hint="Set `references` to an existing file, or remove the key.",
            ) from error

    @cached_property
    def _bibliography(self) -> Bibliography:
        return read_references(self._content, self._path)

    @cached_property
    def _matcher(self) -> ReferenceMatcher:
        similarity = import_module("citeloom.infrastructure.references.similarity").similarity
        return ReferenceMatcher(self._bibliography.entries, similarity, self._mapping)


class EmptyReferenceLibrary(ReferenceLibrary):
    """The library of a project without references: no document matches."""

    @property
    def fingerprint(self) -> str:
        return ""

    def match(self, path: str, embedded: EmbeddedMetadata) -> ReferenceMatch:  # noqa: ARG002 - the port's
        return ReferenceMatch()

    def nearest(self, path: str, embedded: EmbeddedMetadata) -> tuple[NearReference, ...]:  # noqa: ARG002
        return ()

    def references(self) -> tuple[CitationMeta, ...]:
        return ()

    def diagnostics(self, citekeys: Collection[str] | None = None) -> tuple[str, ...]:  # noqa: ARG002
        return ()
