"""The use case `match`: documents without a reference, and the references nearest to each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citeloom.application.open_project import OpenProject
from citeloom.application.ports.sources import ReferenceLibrary
from citeloom.domain.documents.conversion import EmbeddedMetadata
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import ConfigError, NotFound, nearest_hint
from citeloom.domain.references.evidence import common_tail, path_parts
from citeloom.domain.references.reference_matcher import NearReference
from citeloom.domain.retrieval.filters import check_text

_FIRST_CHUNKS = 3
_FIRST_LINES = 3
_LONGEST_BEGINNING = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchCandidates:
    """A document without a reference, what is known of it, and the three nearest references."""

    path: str
    """The file."""
    doc_id: str
    """By its content."""
    pages: int
    """How many."""
    title: str
    """Of the file's metadata; empty where it has none."""
    author: str
    """Likewise."""
    doi: str
    """Likewise."""
    begins: str
    """Its first lines."""
    citekey: str | None = None
    """That of the reference which the next ingest gives it."""
    references: tuple[NearReference, ...] = ()
    """The three nearest, best first; empty where `citekey` is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchDocuments:
    """Lists documents without a reference, and configures the reference of a document.

    `first_pages` gives what was read of a document's first pages and metadata, or None where that
    is no longer known; `configure` writes a path and its citekey into the project's configuration
    and returns the file.
    """

    project: OpenProject
    references: ReferenceLibrary
    first_pages: Callable[[ManifestEntry], EmbeddedMetadata | None]
    configure: Callable[[str, str], Path]

    def candidates(self, document: str | None = None) -> Iterator[MatchCandidates]:
        """The indexed documents that have no reference, by path, each compared when it is asked
        for; or that `document` alone, named as in `configure_reference`.

        Raises `ConfigError` if the project has no references, `InvalidProject` if nothing has been
        ingested yet, `NotFound` for an unknown document, `InvalidReferences`.
        """
        self._check_references()
        if document is not None:
            return iter([self._candidates(self._named(document))])
        return (
            self._candidates(entry)
            for entry in self._entries()
            if entry.status is Status.INDEXED and entry.citekey is None and entry.origin is None
        )

    def configure_reference(self, document: str, citekey: str) -> Path:
        """Write into the configuration that a document is the work of a citekey; the next ingest
        applies it. The document is named by its path, or the end of it, or its id.

        Raises `NotFound` for an unknown document or citekey, `ConfigError` for a document of Zotero
        and where the configuration cannot be changed, and what `candidates` raises.
        """
        self._check_references()
        check_text("citekey", citekey)
        entry, key = self._named(document), citekey.removeprefix("@")
        if entry.origin is not None:
            raise ConfigError(
                f"{entry.path} has the reference of its item in Zotero",
                "Correct the item in Zotero, then run `citeloom sync`.",
            )
        citekeys = [reference.citekey for reference in self.references.references()]
        if key not in citekeys:
            raise NotFound(
                f"no reference has the citekey '{key}'",
                nearest_hint(key, citekeys, "Export the references again."),
            )
        return self.configure(entry.path, key)

    def _check_references(self) -> None:
        if not self.references.fingerprint:
            raise ConfigError(
                f"project '{self.project.id}' has no references to match documents with",
                f'Set references = "references.json" under [project."{self.project.id}"] '
                "in citeloom.toml.",
            )

    def _entries(self) -> Sequence[ManifestEntry]:
        entries = self.project.entries()
        if not entries:
            self.project.existing_collection()
        return sorted(entries, key=lambda entry: entry.path)

    def _named(self, document: str) -> ManifestEntry:
        check_text("document", document)
        entries, parts = self._entries(), path_parts(document)
        same = [entry for entry in entries if document in (entry.path, entry.doc_id)]
        ending = [e for e in entries if common_tail(path_parts(e.path), parts) == len(parts)]
        candidates = same or ending
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            raise NotFound(
                f"'{document}' is the end of {len(candidates)} paths",
                f"Name one of them: {', '.join(entry.path for entry in candidates[:3])}",
            )
        paths = [entry.path for entry in entries]
        raise NotFound(
            f"project '{self.project.id}' has no document '{document}'",
            nearest_hint(document, paths, "`citeloom list` shows them."),
        )

    def _candidates(self, entry: ManifestEntry) -> MatchCandidates:
        project, embedded = self.project, self.first_pages(entry)
        if embedded is None and project.index.binding(project.collection) is not None:
            first = replace(project.everything, doc_id=entry.doc_id, chunks=(0, _FIRST_CHUNKS - 1))
            stored_chunks = (stored.chunk for stored in project.chunks(first))
            chunks = sorted(stored_chunks, key=lambda chunk: chunk.chunk_idx)
            texts = [text for chunk in chunks for text in (*chunk.section_path, chunk.text)]
            embedded = EmbeddedMetadata(front_text="\n".join(dict.fromkeys(texts)))
        embedded = embedded or EmbeddedMetadata()
        match = self.references.match(entry.path, embedded)
        lines = (" ".join(line.split()) for line in embedded.front_text.splitlines())
        return MatchCandidates(
            path=entry.path,
            doc_id=entry.doc_id,
            pages=entry.pages,
            title=embedded.title,
            author=embedded.author,
            doi=embedded.doi,
            begins=" / ".join(list(filter(None, lines))[:_FIRST_LINES])[:_LONGEST_BEGINNING],
            citekey=match.citation.citekey if match.citation else None,
            references=(() if match.citation else self.references.nearest(entry.path, embedded)),
        )
