"""The port through which source files become text with structure."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from citeloom.domain.conversion import ConversionResult
from citeloom.domain.errors import CiteloomError
from citeloom.domain.policies import OcrOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file to convert. `doc_id` derives from `content_hash`, the SHA-256 of its bytes.

    `ocr` says in which languages pages that are images are read; without it they are not.
    """

    path: Path
    doc_id: str
    content_hash: str
    ocr: OcrOptions | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A source and what became of it: a result, or the error that stopped it. Never both."""

    source: Source
    result: ConversionResult | None = None
    error: CiteloomError | None = None
    seconds: float = 0.0
    cached: bool = False

    def __post_init__(self) -> None:
        if (self.result is None) == (self.error is None):
            raise ValueError("a conversion has either a result or an error")


class DocumentConverter(Protocol):
    """Converts files to `ConversionResult`s.

    Guarantees: one outcome for every source, in the order of the sources; a bad file gives an
    outcome with `UnreadableDocument`, `EncryptedDocument`, `EmptyDocument`, `UnsupportedFormat`
    or `DeadlineExceeded` and never raises; the same bytes and `ocr` give the same result under
    the same `version`. Outcomes may be computed ahead of the consumer, in bounded number.
    """

    @property
    @abstractmethod
    def version(self) -> str:
        """Names the engine, its version and its options: whatever may change a result."""
        ...

    @property
    @abstractmethod
    def suffixes(self) -> frozenset[str]:
        """The file suffixes it reads, lower case with the dot."""
        ...

    @abstractmethod
    def convert(self, sources: Iterable[Source]) -> Generator[Converted, None, None]:
        """Convert each source. Closing the generator stops the work that is under way."""
        ...
