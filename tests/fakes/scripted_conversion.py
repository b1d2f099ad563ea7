"""A file converter for worker processes that does what the file says, be it to crash."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.ports.conversion import PlainPages
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import EmptyDocument
from citeloom.infrastructure.conversion.file_converter import (
    FileConverter,
    FileTask,
    ImageReading,
)
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
        self._held: list[bytearray] = []

    def convert(self, task: FileTask) -> ConversionResult:
        lines = _without_harm(task.path.read_text(encoding="utf-8").splitlines(), task.plain)
        said = [said for line in lines if (said := self._obey(line, task.on_page, task.reading))]
        if not said:
            raise EmptyDocument(f"{task.path.name} holds no text")
        return conversion_of("\n\n".join(said), doc_id=task.doc_id)

    def _obey(self, line: str, on_page: Callable[[int], None], reading: ImageReading | None) -> str:
        match line.split():
            case ["image", number] if reading is not None:
                reading.begins(int(number))
            case ["page", number]:
                on_page(int(number))
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
