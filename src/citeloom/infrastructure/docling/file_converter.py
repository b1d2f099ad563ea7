"""What a worker process converts with."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from citeloom.domain.conversion import ConversionResult


class FileConverter(Protocol):
    """Converts one file at a time in this process."""

    @abstractmethod
    def convert(self, path: Path, doc_id: str, on_page: Callable[[int], None]) -> ConversionResult:
        """What the file says; raises a `CiteloomError` for a file that cannot be converted.

        `on_page(n)` is called as the work on page n begins, `on_page(0)` as work begins that is
        no page's.
        """
        ...


ConverterFactory = Callable[[], FileConverter]
