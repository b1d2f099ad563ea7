"""Dividing a converted document into chunks by one of several strategies.

`document` lists the strategies. Each makes drafts in steps, a module each: pieces, headings, runs,
drafts (filled by packing); `chunks` makes chunks of all drafts alike.
"""

from citeloom.domain.chunking.chunks import ChunkedDocument, FilterReason, NoisyPart
from citeloom.domain.chunking.document import chunk_document

__all__ = ["ChunkedDocument", "FilterReason", "NoisyPart", "chunk_document"]
