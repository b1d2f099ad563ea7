"""The reference library of a file, and the empty one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path

from citeloom.application.ports.reference_library import Match, NearReference, ReferenceLibrary
from citeloom.domain.bibliography import Bibliography
from citeloom.domain.citation import CitationMeta
from citeloom.domain.conversion import EmbeddedMetadata
from citeloom.domain.errors import InvalidReferences
from citeloom.domain.matching import MATCHING_VERSION, ReferenceMatcher
from citeloom.infrastructure.references.reading import read_references


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

    def match(self, path: str, embedded: EmbeddedMetadata) -> Match:
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

    def match(self, path: str, embedded: EmbeddedMetadata) -> Match:  # noqa: ARG002 - the port's
        return Match()

    def nearest(self, path: str, embedded: EmbeddedMetadata) -> tuple[NearReference, ...]:  # noqa: ARG002
        return ()

    def references(self) -> tuple[CitationMeta, ...]:
        return ()

    def diagnostics(self, citekeys: Collection[str] | None = None) -> tuple[str, ...]:  # noqa: ARG002
        return ()
