"""Works made of a few sentences, for tests of quotations."""

from __future__ import annotations

from citeloom.domain.chunks.chunk import Chunk, ChunkKind
from citeloom.domain.manuscript.work_text import WorkText
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import StoredChunk


def stored(
    text: str,
    index: int = 0,
    *,
    citekey: str = "doe2020",
    pages: tuple[int, int] | None = (1, 1),
    page_starts: tuple[int, ...] = (),
    labels: tuple[str, ...] = (),
    kind: ChunkKind = ChunkKind.TEXT,
    reference_pages: str | None = None,
) -> StoredChunk:
    chunk = Chunk(
        id=f"{citekey}-{index}",
        doc_id=f"doc-{citekey}",
        text=text,
        page_span=pages,
        page_starts=page_starts,
        page_labels=labels,
        chunk_idx=index,
        token_count=1,
        signal_to_noise=1.0,
        kind=kind,
    )
    citation = CitationMeta(citekey=citekey, title="Work", pages=reference_pages)
    return StoredChunk(
        project_id="lab/thesis", chunk=chunk, source_path=f"{citekey}.pdf", citation=citation
    )


def work(*texts: str, citekey: str = "doe2020") -> WorkText:
    """A work with one chunk a page."""
    return WorkText.of(
        [stored(text, at, citekey=citekey, pages=(at + 1, at + 1)) for at, text in enumerate(texts)]
    )
