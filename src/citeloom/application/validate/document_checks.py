"""Checks across the chunks of a document, which are streamed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import TypeVar

from citeloom.application.open_project import OpenProject
from citeloom.application.ports.embedders import TokenCounter
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.validate.chunk_checks import (
    CHUNK_CHECKS,
    ChunkLimits,
    CountedChunk,
    Finding,
    faults_of,
)
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.documents.manifest import ManifestEntry
from citeloom.domain.retrieval.passage import ExaminedChunk, StoredChunk

# Checks across the chunks of a document, which are streamed and not kept.

EXAMPLES = 5
"""How many chunks a finding names."""


@dataclass(slots=True)
class CheckResult:
    """A check's message for a document, the number of its chunks concerned, and the first ids."""

    message: str
    count: int = 0
    chunks: list[str] = field(default_factory=list)


class DocumentChecks:
    """Checks a document's chunks one by one; of each it keeps a few numbers."""

    def __init__(self, entry: ManifestEntry | None, limits: ChunkLimits) -> None:
        self._entry = entry
        self._terms = limits
        self._faults: dict[str, CheckResult] = {}
        self._places: list[tuple[int, int]] = []
        self._headed = 0
        self._identified: bool | None = None
        self.texts: dict[int, str] = {}
        self.seen = 0

    def look(self, examined: ExaminedChunk, counts: tuple[int, int]) -> None:
        """Check a chunk; `counts` are the tokens of its text and of the whole model input."""
        self.seen += 1
        for check, message in faults_of(examined, self._terms):
            self._found(check, message, examined.id)
        if examined.stored is None:
            return
        self._remember(examined.stored)
        counted = CountedChunk(
            stored=examined.stored,
            text_tokens=counts[0],
            read_tokens=counts[1],
            entry=self._entry,
            limits=self._terms,
        )
        for check, look in CHUNK_CHECKS.items():
            if message := look(counted):
                self._found(check, message, examined.id)

    def faults(self) -> Iterator[tuple[str, CheckResult]]:
        """The faults found, once every chunk has been checked."""
        self._sum_up()
        yield from self._faults.items()

    def _found(self, check: str, message: str, *chunks: str) -> None:
        fault = self._faults.setdefault(check, CheckResult(message))
        fault.count += len(chunks)
        fault.chunks += chunks[: EXAMPLES - len(fault.chunks)]

    def _remember(self, stored: StoredChunk) -> None:
        chunk = stored.chunk
        if chunk.mark is not None or chunk.kind is ChunkKind.HIDDEN:
            return
        self._places.append((chunk.chunk_idx, chunk.page_span[0] if chunk.page_span else 0))
        self._headed += bool(chunk.section_path)
        if stored.citation is not None:
            self._identified = bool(stored.citation.doi or stored.citation.url)
        twin = self.texts.setdefault(_digest(chunk.text), chunk.id)
        if twin != chunk.id:
            self._found("duplicates", f"has the text of chunk {twin}", chunk.id)

    def _sum_up(self) -> None:
        self._places.sort()
        indexes = [index for index, _ in self._places]
        if indexes and len(indexes) == self.seen and indexes != list(range(self.seen)):
            self._found("order", f"its {self.seen} chunks are not numbered 0..{self.seen - 1}")
        for (before, page), (after, next_page) in pairwise(self._places):
            if next_page < page:
                message = f"chunk {before} begins on page {page}, chunk {after} on page {next_page}"
                self._found("page-order", message)
        if self._identified is False:
            self._found("identifier", "its reference has neither a DOI nor an address")
        least = self._terms.policy.min_headed_share
        if self._places and self._headed / len(self._places) < least:
            message = (
                f"{self._headed} of its {len(self._places)} chunks stand in a section, "
                f"fewer than {least:.0%}"
            )
            self._found("headings", message)


def _digest(text: str) -> int:
    """A 64-bit hash of the text without regard to spacing."""
    folded = " ".join(text.split()).encode()
    return int.from_bytes(hashlib.blake2b(folded, digest_size=8).digest(), "big")


@dataclass(slots=True)
class SharedText:
    """A text found in several documents: in which first, and in which next."""

    first: str
    next: str
    chunk: str
    documents: int = 1


class SharedTexts:
    """Finds texts that several documents share; keeps a 64-bit hash of each and its document."""

    def __init__(self) -> None:
        self._first: dict[int, str] = {}
        self._shared: dict[int, SharedText] = {}

    def add(self, path: str, texts: Mapping[int, str]) -> None:
        """Add a document's texts: the chunk of each by its hash."""
        for text, chunk in texts.items():
            first = self._first.setdefault(text, path)
            if first != path:
                shared = self._shared.setdefault(text, SharedText(first, path, chunk))
                shared.documents += 1

    def more_than(self, most: int) -> Iterator[SharedText]:
        """The texts found in more than `most` documents."""
        return (shared for shared in self._shared.values() if shared.documents > most)


# Streams every stored chunk through the checks, document by document.

_TOGETHER = 256
_T = TypeVar("_T")


class StoredChunks:
    """Checks each document's chunks, a bounded number at a time.

    `seen` counts them; `generated` has the documents cited under a citekey that no library has.
    """

    def __init__(
        self,
        *,
        project: OpenProject,
        counter: TokenCounter,
        limits: ChunkLimits,
        cancellation: Cancellation,
    ) -> None:
        self._project = project
        self._counter = counter
        self._terms = limits
        self._cancellation = cancellation
        self._shared = SharedTexts()
        self.seen = 0
        self.generated: set[str] = set()

    def findings(
        self, stored: Mapping[str, int], entries: Mapping[str, ManifestEntry]
    ) -> Iterator[Finding]:
        """The findings of each document, then those across documents.

        Raises `DeadlineExceeded` once it is cancelled.
        """
        overflowing = 0
        paths = {doc_id: entry.path for doc_id, entry in entries.items()}
        for doc_id in sorted(stored, key=lambda doc_id: (paths.get(doc_id, ""), doc_id)):
            for finding in self._document(doc_id, entries.get(doc_id)):
                if finding.check == "window":
                    overflowing += finding.count
                    if overflowing <= self._terms.policy.max_window_overflow:
                        continue
                yield finding
        for text in self._shared.more_than(self._terms.policy.max_documents_per_text):
            message = (
                f"has a text that {text.documents} documents share, first found in {text.first}"
            )
            yield Finding(
                check="shared-text",
                subject=text.next,
                message=message,
                count=1,
                chunks=(text.chunk,),
            )

    def _document(self, doc_id: str, entry: ManifestEntry | None) -> Iterator[Finding]:
        checks = DocumentChecks(entry, self._terms)
        selection = replace(self._project.everything, doc_id=doc_id)
        for batch in _batches(self._project.index.examine(self._terms.bound.name, selection)):
            self._cancellation.check()
            for examined, counts in zip(batch, self._counted(batch)):
                checks.look(examined, counts)
                citation = examined.stored.citation if examined.stored else None
                if citation and citation.citekey_generated:
                    self.generated.add(doc_id)
        subject = entry.path if entry else doc_id
        self.seen += checks.seen
        self._shared.add(subject, checks.texts)
        for check, fault in checks.faults():
            yield Finding(
                check=check,
                subject=subject,
                message=fault.message,
                count=fault.count,
                chunks=tuple(fault.chunks),
            )

    def _counted(self, batch: list[ExaminedChunk]) -> Iterator[tuple[int, int]]:
        """The tokens of each chunk's text and of its whole model input."""
        texts = self._counter.count_all([examined.text for examined in batch])
        read = self._counter.count_all(
            [examined.stored.chunk.embedding_text if examined.stored else "" for examined in batch]
        )
        return (
            (text, all_of_it + self._counter.special_tokens) for text, all_of_it in zip(texts, read)
        )


def _batches(items: Iterable[_T]) -> Iterator[list[_T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, _TOGETHER)):
        yield batch
