"""Streams every stored chunk through the checks, document by document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TypeVar

from citeloom.application.cancellation import Cancellation
from citeloom.application.ports.embedders import TokenCounter
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.validate.chunk_checks import ChunkLimits
from citeloom.application.validate.document_checks import DocumentChecks, SharedTexts
from citeloom.application.validate.findings import Finding
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.passage import ExaminedChunk, Selection
from citeloom.domain.project import Project

_TOGETHER = 256
_T = TypeVar("_T")


class StoredChunks:
    """Checks each document's chunks, a bounded number at a time.

    `seen` counts them; `made_up` has the documents cited under a citekey that no library has.
    """

    def __init__(
        self,
        *,
        project: Project,
        index: VectorIndex,
        counter: TokenCounter,
        limits: ChunkLimits,
        cancellation: Cancellation,
    ) -> None:
        self._project = project
        self._index = index
        self._counter = counter
        self._terms = limits
        self._cancellation = cancellation
        self._shared = SharedTexts()
        self.seen = 0
        self.made_up: set[str] = set()

    def findings(
        self, stored: Mapping[str, int], entries: Mapping[str, ManifestEntry]
    ) -> Iterator[Finding]:
        """The findings of each document, then those across documents.

        Raises `DeadlineExceeded` once it is cancelled.
        """
        overflowing = 0
        for doc_id in sorted(stored, key=lambda doc_id: _place(doc_id, entries)):
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
        selection = Selection(project_id=self._project.id, doc_id=doc_id)
        for batch in _batches(self._index.examine(self._terms.bound.name, selection)):
            self._cancellation.check()
            for examined, counts in zip(batch, self._counted(batch)):
                checks.look(examined, counts)
                citation = examined.stored.citation if examined.stored else None
                if citation and citation.citekey_made_up:
                    self.made_up.add(doc_id)
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


def _place(doc_id: str, entries: Mapping[str, ManifestEntry]) -> tuple[str, str]:
    entry = entries.get(doc_id)
    return (entry.path if entry else "", doc_id)


def _batches(items: Iterable[_T]) -> Iterator[list[_T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, _TOGETHER)):
        yield batch
