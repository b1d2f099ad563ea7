"""Cutting a converted document into chunks along its headings."""

from citeloom.domain.chunking.chunker import ChunkedDocument, FilterReason, chunk_document

__all__ = ["ChunkedDocument", "FilterReason", "chunk_document"]
