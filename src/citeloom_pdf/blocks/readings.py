"""Readings of Chinese characters (ruby): small kana above a line, or to the right of one that goes
down.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import DOWNWARDS, Line
from citeloom_pdf.parsing.lines import joined_line

_READING = re.compile(r"[\u3041-\u30ff\u3105-\u312f\s]+")
_READ = re.compile("[\u3005\u3400-\u9fff\uf900-\ufaff]")
_SMALL = 0.7  # of the size of the line that they read
_FARTHEST, _DEEPEST = 0.5, 0.6  # of that size: how far from the line, and how far into it
_OVER = 0.5  # of a reading's width is over its line: at the ends it reaches out


def without_readings(lines: Sequence[Line]) -> tuple[tuple[Line, ...], list[str]]:
    """The lines without the readings over others, and these without the spaces that a reading
    wider than its characters makes between them; and the readings.
    """
    kept, readings = list(lines), list[str]()
    for reading in (line for line in lines if _READING.fullmatch(line.text)):
        read = [line for line in kept if _reads(reading, line)]
        if sum(_shared(reading, line) for line in read) >= _OVER * _length(reading):
            whole = joined_line(sorted(read, key=lambda line: line.box.left))
            gone = {id(reading), *map(id, read)}
            kept = [line for line in kept if id(line) not in gone]
            kept.append(_closed(whole, reading.box))
            readings.append(reading.text)
    return tuple(kept), readings


def _reads(reading: Line, line: Line) -> bool:
    """Whether a small line stands above another, or to the right of one that goes down."""
    if reading.size > _SMALL * line.size or not _READ.search(line.text):
        return False
    small, box = reading.box, line.box
    goes_down = line.angle == DOWNWARDS
    gap = small.left - box.right if goes_down else box.top - small.bottom
    near = -_DEEPEST * reading.size <= gap <= _FARTHEST * line.size
    return near and _shared(reading, line) > 0


def _shared(reading: Line, line: Line) -> float:
    goes_down = line.angle == DOWNWARDS
    return reading.box.shared_height(line.box) if goes_down else reading.box.shared_width(line.box)


def _length(reading: Line) -> float:
    return max(reading.box.width, reading.box.height)


def _closed(line: Line, reading: Rect) -> Line:
    """The line without the spaces between characters that are read as one word."""
    text, end = line.text, 0
    for first, second in pairwise(line.words):
        end = max(text.find(first.text, end), 0) + len(first.text)
        is_one = reading.left < first.box.right and reading.right > second.box.left
        if is_one and text[end : end + 1] == " ":
            text = text[:end] + text[end + 1 :]
    return line if text == line.text else replace(line, text=text)
