"""Checks of each stored chunk, and of a document's chunks together."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from citeloom.application.ports.embedders import TokenCounter
from citeloom.application.validate.findings import Finding, Severity
from citeloom.domain.chunk import chunk_id
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.passage import StoredChunk
from citeloom.domain.policies import ValidationPolicy
from citeloom.domain.project import Project

_COUNTED_TOGETHER = 256
_EXAMPLES = 5


class ChunkChecks:
    """Looks at chunks as they come, a bounded number at a time, and sums up at the end."""

    def __init__(
        self,
        *,
        project: Project,
        policy: ValidationPolicy,
        counter: TokenCounter,
        entries: Iterable[ManifestEntry],
    ) -> None:
        self._project = project
        self._policy = policy
        self._counter = counter
        self._pages = {entry.doc_id: entry.pages for entry in entries}
        self._indexes: dict[str, list[int]] = defaultdict(list)
        self._texts: dict[bytes, str] = {}
        self._overflowing: list[str] = []
        self._headed: dict[str, bool] = {}
        self.seen = 0

    def look(self, chunks: Iterable[StoredChunk]) -> Iterator[Finding]:
        """Check every chunk, then what only all of them show."""
        batch: list[StoredChunk] = []
        for stored in chunks:
            self.seen += 1
            batch.append(stored)
            yield from self._one(stored)
            if len(batch) == _COUNTED_TOGETHER:
                yield from self._lengths(batch)
                batch = []
        yield from self._lengths(batch)
        yield from self._overflow()
        yield from self._order()
        yield from self._headings()

    def _one(self, stored: StoredChunk) -> Iterator[Finding]:
        chunk = stored.chunk
        least = self._project.chunking.min_signal_to_noise
        if chunk.signal_to_noise < least:
            yield _finding(stored, "signal", f"says little: {chunk.signal_to_noise} < {least}")
        pages = self._pages.get(chunk.doc_id, 0)
        if pages and chunk.page_span and chunk.page_span[1] > pages:
            yield _finding(
                stored, "pages", f"ends on page {chunk.page_span[1]} of a document of {pages}"
            )
        if chunk.id != self._id(stored):
            yield _finding(stored, "id", "does not have the id its place gives it")
        if stored.embed_model != self._project.embedding_model:
            yield _finding(stored, "models", f"was embedded with {stored.embed_model}")
        digest = hashlib.sha256(f"{chunk.doc_id}\n{chunk.text}".encode()).digest()
        twin = self._texts.setdefault(digest, chunk.id)
        if twin != chunk.id:
            yield _finding(stored, "duplicates", f"has the text of chunk {twin}")
        if "\ufffd" in chunk.text or "(cid:" in chunk.text:
            yield _finding(stored, "encoding", "has characters that could not be decoded")
        self._indexes[chunk.doc_id].append(chunk.chunk_idx)
        path = stored.source_path
        self._headed[path] = self._headed.get(path, False) or bool(chunk.section_path)

    def _id(self, stored: StoredChunk) -> str:
        chunk = stored.chunk
        return chunk_id(
            doc_id=chunk.doc_id,
            page_span=chunk.page_span,
            section_path=chunk.section_path,
            embedding_model=stored.embed_model,
            index=chunk.chunk_idx,
        )

    def _lengths(self, batch: Sequence[StoredChunk]) -> Iterator[Finding]:
        """Token counts as the model's tokenizer has them, not as they were stored."""
        special, window = self._counter.special_tokens, self._counter.window
        chunking = self._project.chunking
        fitted = chunking if chunking.max_tokens else chunking.fitted(window)
        least = fitted.min_chunk_tokens
        counts = self._counter.count_all([stored.chunk.text for stored in batch])
        for stored, count in zip(batch, counts):
            if count < least:
                yield _finding(stored, "length", f"has {count} tokens, fewer than {least}")
            if max(count + special, stored.chunk.token_count) > window:
                self._overflowing.append(stored.chunk.id)

    def _overflow(self) -> Iterator[Finding]:
        number = len(self._overflowing)
        if number > self._policy.max_window_overflow:
            yield Finding(
                check="window",
                subject=", ".join(self._overflowing[:_EXAMPLES]),
                message=f"{number} chunks are longer than the {self._counter.window} tokens "
                "the model reads: their ends cannot be found",
                hint="Set chunking.max_tokens to the model's window, and ingest --force.",
            )

    def _order(self) -> Iterator[Finding]:
        for doc_id, indexes in self._indexes.items():
            if sorted(indexes) != list(range(len(indexes))):
                yield Finding(
                    check="order",
                    subject=doc_id,
                    message=f"its {len(indexes)} chunks are not numbered 0..{len(indexes) - 1}",
                    hint="Run ingest --force on the document.",
                )

    def _headings(self) -> Iterator[Finding]:
        for path, headed in self._headed.items():
            if not headed:
                yield Finding(
                    check="headings",
                    subject=path,
                    message="none of its chunks has a section",
                    severity=Severity.WARNING,
                )


def _finding(stored: StoredChunk, check: str, message: str) -> Finding:
    return Finding(check=check, subject=f"{stored.source_path}#{stored.chunk.id}", message=message)
