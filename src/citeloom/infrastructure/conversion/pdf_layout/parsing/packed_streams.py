"""The packed streams of a PDF, and whether one is longer than PDFium unpacks."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from mmap import mmap

PDFIUM_LIMIT = 1 << 30
"""PDFium unpacks so many bytes of a stream, and reads the rest as if it were not there."""
_STREAM = re.compile(rb"/Filter\s*(\[[^\]]{0,200}\]|/\w+)[^>]{0,500}>>\s*stream\r?\n")
_DEFLATED = re.compile(rb"/(?:FlateDecode|Fl)\b")
_BLOCK = 1 << 20


def has_oversized_stream(content: mmap | bytes, limit: int) -> bool:
    """Whether a deflated stream unpacks to more than `limit` bytes; no more than a megabyte of it
    is ever held.
    """
    for found in _STREAM.finditer(content):
        layers = len(_DEFLATED.findall(found[1]))
        unpacked = 0
        for block in _unpacked(_blocks(content, found.end()), layers) if layers else ():
            unpacked += len(block)
            if unpacked > limit:
                return True
    return False


def _blocks(content: mmap | bytes, start: int) -> Iterator[bytes]:
    """The bytes from a place on; whoever inflates them knows where the stream ends."""
    yield from (content[at : at + _BLOCK] for at in range(start, len(content), _BLOCK))


def _unpacked(packed: Iterator[bytes], layers: int) -> Iterator[bytes]:
    for _ in range(layers):
        packed = _inflated(packed)
    return packed


def _inflated(packed: Iterator[bytes]) -> Iterator[bytes]:
    """What a stream unpacks to, up to its end or the first damage, in blocks."""
    inflater = zlib.decompressobj()
    for block in packed:
        rest = block
        while rest and not inflater.eof:
            try:
                piece = inflater.decompress(rest, _BLOCK)
            except zlib.error:
                return
            if piece:
                yield piece
            rest = inflater.unconsumed_tail
        if inflater.eof:
            return
