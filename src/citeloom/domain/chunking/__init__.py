"""Dividing a converted document into chunks along its headings.

`document` reads it as a list of steps, a module each: pieces, headings, runs, drafts (filled by
packing), chunks.
"""

from citeloom.domain.chunking.chunks import ChunkedDocument, FilterReason
from citeloom.domain.chunking.document import chunk_document

__all__ = ["ChunkedDocument", "FilterReason", "chunk_document"]
