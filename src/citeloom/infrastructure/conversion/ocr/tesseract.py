"""The installed Tesseract with its installed languages."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from tempfile import TemporaryFile
from typing import NamedTuple
from xml.etree import ElementTree as ET

from citeloom.application.ports.conversion import OcrEngine, OcrFailure, OcrLine, PageImage
from citeloom.infrastructure.conversion.processor_time import processor_clock

_SECONDS = 120.0  # of processor time, so that a busy machine loses no page
_LONGEST = 5 * _SECONDS  # by the clock: before the limit of the worker that waits for it
_LOOK_SECONDS = 1.0
_WIDE_GAP = 1.3  # of the font size: what is farther apart is not one line
# a word's confidence: of the words of made scans that no list has 226 of 308 below it were misread,
# and 46 of 423 above
_UNSURE = 0.8
_EM = 1.1  # of the height from descenders to ascenders: the size of the usual book fonts
_BOX = re.compile(r"\bbbox (\d+) (\d+) (\d+) (\d+)")
_SIZE = re.compile(r"\bx_size ([\d.]+)")
_CONFIDENCE = re.compile(r"\bx_wconf (\d+)")
_LINES = frozenset({"ocr_line", "ocr_header", "ocr_textfloat", "ocr_caption"})
# ISO 639-1 to the names of Tesseract's data; a language of three letters is its own name
_NAMES = dict(
    pair.split(":")
    for pair in (
        "ar:ara bg:bul ca:cat cs:ces da:dan de:deu el:ell en:eng es:spa et:est eu:eus fa:fas "
        "fi:fin fr:fra ga:gle gl:glg he:heb hi:hin hr:hrv hu:hun id:ind is:isl it:ita ja:jpn "
        "ko:kor la:lat lt:lit lv:lav mk:mkd ms:msa mt:mlt nb:nor nl:nld nn:nor no:nor pl:pol "
        "pt:por ro:ron ru:rus sk:slk sl:slv sq:sqi sr:srp sv:swe th:tha tr:tur uk:ukr vi:vie "
        "zh:chi_sim"
    ).split()
)


class _Word(NamedTuple):
    text: str
    left: int
    top: int
    right: int
    bottom: int
    confidence: float


class TesseractEngine(OcrEngine):
    """Reads with the `tesseract` program; without the program it reads no language."""

    def __init__(self, command: str = "tesseract") -> None:
        self._command = command

    @cached_property
    def version(self) -> str:
        try:
            printed = self._run(["--version"]).decode().split("\n")[0]
        except OcrFailure:
            return "tesseract"
        return "-".join(printed.split())

    def readable(self, languages: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(code for code in languages if _name(code) in self.installed)

    def read(self, image: PageImage, languages: tuple[str, ...]) -> tuple[OcrLine, ...]:
        names = "+".join(dict.fromkeys(map(_name, languages)))
        header = f"P5 {image.width} {image.height} 255\n".encode()
        options = ["-", "-", "-l", names, "--dpi", str(image.dpi), "hocr"]
        page = self._run(options, header + image.pixels)
        return tuple(_read_lines(page, image))

    @cached_property
    def installed(self) -> frozenset[str]:
        """The installed languages by Tesseract's names; none if the program is missing."""
        try:
            listed = self._run(["--list-langs"]).decode().splitlines()[1:]
        except OcrFailure:
            return frozenset()
        return frozenset(map(str.strip, listed)) - {"osd"}

    def _run(self, options: Sequence[str], content: bytes = b"") -> bytes:
        try:
            with TemporaryFile() as given:
                given.write(content)
                given.seek(0)
                with subprocess.Popen(  # noqa: S603 - the command is the configured program
                    [self._command, *options],
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env={**os.environ, "OMP_THREAD_LIMIT": "1"},
                ) as program:
                    printed, errors = _printed(program)
        except OSError as error:
            raise OcrFailure(f"tesseract: {error}") from error
        if program.returncode:
            messages = errors.decode(errors="replace").strip().splitlines()
            ended = f"it ended with exit status {program.returncode}"
            raise OcrFailure(f"tesseract: {messages[-1] if messages else ended}")
        return printed


def _printed(program: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """What a program prints; raises `OcrFailure` if that takes too long."""
    worked, last = processor_clock(program.pid), time.monotonic() + _LONGEST
    while worked() < _SECONDS and time.monotonic() < last:
        with suppress(subprocess.TimeoutExpired):
            return program.communicate(timeout=_LOOK_SECONDS)
    program.kill()
    raise OcrFailure(f"tesseract: it took longer than {_SECONDS:g} s")


def _name(language: str) -> str:
    primary, *rest = language.lower().replace("_", "-").split("-")
    if primary == "zh" and {"hant", "tw", "hk"} & set(rest):
        return "chi_tra"
    return _NAMES.get(primary, primary)


def _read_lines(page: bytes, image: PageImage) -> Iterator[OcrLine]:
    try:
        tree = ET.fromstring(page)  # noqa: S314 - our own subprocess printed it
    except ET.ParseError as error:
        raise OcrFailure(f"tesseract: {error}") from error
    for element in tree.iter():
        if element.get("class") in _LINES:
            described = _SIZE.search(element.get("title", ""))
            words = list(_words(element))
            if words:
                size = float(described[1]) if described else float(words[0].bottom - words[0].top)
                yield from _parts(words, size * _EM, image)


def _words(line: ET.Element) -> Iterator[_Word]:
    for element in line.iter():
        title, text = element.get("title", ""), "".join(element.itertext()).strip()
        place, confidence = _BOX.search(title), _CONFIDENCE.search(title)
        if element.get("class") == "ocrx_word" and text and place and confidence:
            left, top, right, bottom = map(int, place.groups())
            yield _Word(text, left, top, right, bottom, int(confidence[1]) / 100)


def _parts(words: Sequence[_Word], size: float, image: PageImage) -> Iterator[OcrLine]:
    """The line split at gaps as wide as those of columns or tables."""
    first = 0
    for index in range(1, len(words) + 1):
        if index == len(words) or words[index].left - words[index - 1].right > _WIDE_GAP * size:
            yield _line(words[first:index], size, image)
            first = index


def _line(words: Sequence[_Word], size: float, image: PageImage) -> OcrLine:
    letters = sum(len(word.text) for word in words)
    return OcrLine(
        text=" ".join(word.text for word in words),
        box=image.box(
            min(word.left for word in words),
            min(word.top for word in words),
            max(word.right for word in words),
            max(word.bottom for word in words),
        ),
        size=size * 72.0 / image.dpi,
        confidence=sum(word.confidence * len(word.text) for word in words) / letters,
        unsure=tuple(word.text for word in words if word.confidence < _UNSURE),
    )
