"""What a worker process converts with."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from citeloom.application.ports.document_converter import PlainPages
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.policies import OcrOptions

NO_PLAIN_PAGES = PlainPages()


@dataclass(frozen=True, slots=True)
class ImageReading:
    """Pages that are images are to be read; `begins(n)` is called as that of page n begins."""

    wanted: OcrOptions
    begins: Callable[[int], None]


class FileConverter(Protocol):
    """Converts one file at a time in this process."""

    @abstractmethod
    def convert(
        self,
        path: Path,
        doc_id: str,
        on_page: Callable[[int], None],
        reading: ImageReading | None = None,
        plain: PlainPages = NO_PLAIN_PAGES,
    ) -> ConversionResult:
        """What the file says; raises a `CiteloomError` for a file that cannot be converted.

        `on_page(n)` is called as the work on page n begins, `on_page(0)` as work begins that is
        no page's. Without `reading`, images are not read. Of `plain` pages only the text is read,
        of lost ones among them nothing.
        """
        ...


ConverterFactory = Callable[[], FileConverter]
