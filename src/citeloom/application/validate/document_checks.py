"""Checks across the chunks of a document, which are streamed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice, pairwise

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
from citeloom.domain.retrieval.passage import ExaminedChunk

EXAMPLES = 5
"""How many chunks a finding names."""
_TOGETHER = 256


class DocumentChecks:
    """Checks a document's chunks one by one; of each it keeps a few numbers."""

    def __init__(self, subject: str, entry: ManifestEntry | None, limits: ChunkLimits) -> None:
        self._subject = subject
        self._entry = entry
        self._limits = limits
        self._found: dict[str, Finding] = {}
        self._places: list[tuple[int, int]] = []
        self._headed = 0
        self._identified: bool | None = None
        self.texts: dict[int, str] = {}
        self.seen = 0

    def look(self, examined: ExaminedChunk, counts: tuple[int, int]) -> None:
        """Check a chunk; `counts` are the tokens of its text and of the whole model input."""
        self.seen += 1
        for check, message in faults_of(examined, self._limits):
            self._add(check, message, examined.id)
        if examined.stored is None:
            return
        chunk, citation = examined.stored.chunk, examined.stored.citation
        if chunk.mark is None and chunk.kind is not ChunkKind.HIDDEN:
            self._places.append((chunk.chunk_idx, chunk.page_span[0] if chunk.page_span else 0))
            self._headed += bool(chunk.section_path)
            if citation is not None:
                self._identified = bool(citation.doi or citation.url)
            folded = " ".join(chunk.text.split()).encode()  # 64 bits stand for the text
            digest = int.from_bytes(hashlib.blake2b(folded, digest_size=8).digest(), "big")
            twin = self.texts.setdefault(digest, chunk.id)
            if twin != chunk.id:
                self._add("duplicates", f"has the text of chunk {twin}", chunk.id)
        counted = CountedChunk(
            stored=examined.stored,
            text_tokens=counts[0],
            read_tokens=counts[1],
            entry=self._entry,
            limits=self._limits,
        )
        for check, look in CHUNK_CHECKS.items():
            if message := look(counted):
                self._add(check, message, examined.id)

    def findings(self) -> list[Finding]:
        """What is wrong, once every chunk has been checked."""
        self._places.sort()
        indexes = [index for index, _ in self._places]
        if indexes and len(indexes) == self.seen and indexes != list(range(self.seen)):
            self._add("order", f"its {self.seen} chunks are not numbered 0..{self.seen - 1}")
        for (before, page), (after, next_page) in pairwise(self._places):
            if next_page < page:
                message = f"chunk {before} begins on page {page}, chunk {after} on page {next_page}"
                self._add("page-order", message)
        if self._identified is False:
            self._add("identifier", "its reference has neither a DOI nor an address")
        least = self._limits.policy.min_headed_share
        if self._places and self._headed / len(self._places) < least:
            message = (
                f"{self._headed} of its {len(self._places)} chunks stand in a section, "
                f"fewer than {least:.0%}"
            )
            self._add("headings", message)
        return [*self._found.values()]

    def _add(self, check: str, message: str, *chunks: str) -> None:
        """A finding has the message of the first chunk that it concerns."""
        finding = Finding(check=check, subject=self._subject, message=message)
        finding = self._found.get(check, finding)
        named = (*finding.chunks, *chunks)[:EXAMPLES]
        self._found[check] = replace(finding, count=finding.count + len(chunks), chunks=named)


# Streams every stored chunk through the checks, document by document.


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
        self._limits = limits
        self._cancellation = cancellation
        self.seen = 0
        self.generated: set[str] = set()

    def findings(
        self, stored: Mapping[str, int], entries: Mapping[str, ManifestEntry]
    ) -> Iterator[Finding]:
        """The findings of each document, then those across documents.

        Raises `DeadlineExceeded` once it is cancelled.
        """
        overflowing, most = 0, self._limits.policy.max_documents_per_text
        first_of: dict[int, str] = {}  # the first document that has a text, by its hash
        shared: dict[int, tuple[str, str, int]] = {}  # the next one, its chunk, how many have it
        paths = {doc_id: entry.path for doc_id, entry in entries.items()}
        for doc_id in sorted(stored, key=lambda doc_id: (paths.get(doc_id, ""), doc_id)):
            subject = paths.get(doc_id, doc_id)
            checks = DocumentChecks(subject, entries.get(doc_id), self._limits)
            self._check(doc_id, checks)
            for digest, chunk in checks.texts.items():
                if first_of.setdefault(digest, subject) != subject:
                    following, example, documents = shared.get(digest, (subject, chunk, 1))
                    shared[digest] = following, example, documents + 1
            for finding in checks.findings():
                if finding.check == "window":
                    overflowing += finding.count
                    if overflowing <= self._limits.policy.max_window_overflow:
                        continue
                yield finding
        for digest, (following, example, documents) in shared.items():
            if documents > most:
                yield Finding(
                    check="shared-text",
                    subject=following,
                    message=f"has a text that {documents} documents share, first found in "
                    f"{first_of[digest]}",
                    count=1,
                    chunks=(example,),
                )

    def _check(self, doc_id: str, checks: DocumentChecks) -> None:
        selection = replace(self._project.everything, doc_id=doc_id)
        examined_chunks = self._project.index.examine(self._limits.bound.name, selection)
        while batch := list(islice(examined_chunks, _TOGETHER)):
            self._cancellation.check()
            texts = self._counter.count_all([examined.text for examined in batch])
            read = self._counter.count_all(
                [each.stored.chunk.embedding_text if each.stored else "" for each in batch]
            )
            for examined, text, model_input in zip(batch, texts, read):
                checks.look(examined, (text, model_input + self._counter.special_tokens))
                citation = examined.stored.citation if examined.stored else None
                if citation and citation.citekey_generated:
                    self.generated.add(doc_id)
        self.seen += checks.seen
