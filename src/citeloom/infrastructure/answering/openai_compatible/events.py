"""Server-sent events, as services stream replies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_LONGEST_LINE = 1_000_000
_LONGEST_STREAM = 8_000_000


class StreamTooLong(Exception):
    """The stream is longer than any reply."""


def data_of(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The data of each event; comments and other fields are left out.

    Raises `StreamTooLong` for a line of more than a megabyte and a stream of more than eight.
    """
    data: list[bytes] = []
    for line in _lines(parts):
        if line.startswith(b"data:"):
            data.append(line.removeprefix(b"data:").removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []
    if data:
        yield b"\n".join(data)


def _lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The lines without their ends, be these CRLF or LF; the last may have none."""
    rest, length = b"", 0
    for part in parts:
        length += len(part)
        *whole, rest = (rest + part).split(b"\n")
        if length > _LONGEST_STREAM or len(rest) > _LONGEST_LINE:
            raise StreamTooLong(f"{length:,} bytes")
        yield from (line.removesuffix(b"\r") for line in whole)
    if rest:
        yield rest.removesuffix(b"\r")
