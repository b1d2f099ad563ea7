"""A file converter for worker processes that does what the file says, be it to crash."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.ports.conversion import FileConverter, PlainPages, SourceFile
from citeloom.application.ports.runtime import EmitEvent, ImageBegun, PageBegun
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import EmptyDocument
from tests.fakes.document_converter import conversion_of

_HARMFUL = ("sleep", "work", "stick", "signal", "exit", "hold")


class ScriptedConversion(FileConverter):
    """Obeys a command a line: `page 3`, `image 3`, `sleep 0.5`, `work 0.5` (seconds of the
    processor), `stick` (in a call that never comes back to Python), `signal SIGSEGV`, `exit 3`,
    `hold 200` (MB), `raise WORD`, `print WORD`, `touch PATH`, `pid`. Every other line is text of
    the document. On a plain page nothing is done that could stop it but after `still`, and on a
    lost one nothing at all.
    """

    def __init__(self) -> None:
        super().__init__()
        self._held: list[bytearray] = []

    def convert(self, source: SourceFile, emit: EmitEvent = lambda _: None, /) -> ConversionResult:
        lines = source.path.read_text(encoding="utf-8").splitlines()
        obeyed = (
            self._obey(line, emit, source) for line in _without_harm(lines, source.plain_pages)
        )
        texts = [text for text in obeyed if text]
        if not texts:
            raise EmptyDocument(f"{source.path.name} holds no text")
        return conversion_of("\n\n".join(texts), doc_id=source.doc_id)

    def _obey(self, line: str, emit: EmitEvent, source: SourceFile) -> str:
        match line.split():
            case ["image", number] if source.ocr is not None:
                emit(ImageBegun(int(number)))
            case ["page", number]:
                emit(PageBegun(int(number)))
            case ["hold", megabytes]:
                self._held.append(bytearray(b"x" * (int(megabytes) << 20)))
            case ["pid"]:
                return str(os.getpid())
            case _:
                return _obey_roughly(line)
        return ""


def _without_harm(lines: Iterable[str], plain: PlainPages) -> Iterator[str]:
    page = 0
    for line in lines:
        if line.startswith("page "):
            page = int(line.split()[1])
            yield line
        elif plain.is_lost(page):
            continue
        elif page not in plain or not line.startswith(_HARMFUL):
            yield line.removeprefix("still ")


def _obey_roughly(line: str) -> str:
    match line.split():
        case ["sleep", seconds]:
            time.sleep(float(seconds))
        case ["work", seconds]:
            end = time.process_time() + float(seconds)
            while time.process_time() < end:
                pass
        case ["stick"]:
            re.match("(a+)+$", "a" * 60 + "b")
        case ["signal", name]:
            os.kill(os.getpid(), signal.Signals[name])
            time.sleep(60)
        case ["exit", status]:
            os._exit(int(status))
        case ["raise", word]:
            raise RuntimeError(word)
        case ["print", word]:
            print(word, flush=True)  # noqa: T201
        case ["touch", path]:
            Path(path).touch()
        case _:
            return line
    return ""


@dataclass(frozen=True)
class ScriptedStart:
    """Builds the converter after `seconds`, or fails to with `failure`, or dies of it: always,
    or until the file `dies_until` exists, which it makes.
    """

    seconds: float = 0.0
    failure: str = ""
    dies: bool = False
    dies_until: Path | None = None

    def __call__(self) -> FileConverter:
        time.sleep(self.seconds)
        if self.dies:
            sys.exit(7)
        if self.dies_until is not None and not self.dies_until.exists():
            self.dies_until.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if self.failure:
            raise ImportError(self.failure)
        return ScriptedConversion()
