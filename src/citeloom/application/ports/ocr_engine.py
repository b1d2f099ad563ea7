"""The OCR engine, which turns the image of a page into lines of text."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Protocol

from citeloom.domain.conversion import Box

_POINTS = 72.0  # an inch


class OcrFailure(Exception):
    """OCR of an image failed; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageImage:
    """A greyscale page image: one byte per pixel, row by row from the top left corner."""

    width: int
    height: int
    pixels: bytes
    dpi: int

    def __post_init__(self) -> None:
        if len(self.pixels) != self.width * self.height:
            raise ValueError(f"{len(self.pixels)} pixels are not {self.width} x {self.height}")

    def box(self, left: float, top: float, right: float, bottom: float) -> Box:
        """A rectangle of pixels as a box in points, clipped to the image."""
        scale = _POINTS / self.dpi
        return Box(
            left=scale * max(0.0, left),
            top=scale * max(0.0, top),
            right=scale * min(float(self.width), right),
            bottom=scale * min(float(self.height), bottom),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrLine:
    """A line of text, or the part of a line before a wide gap.

    The box is in points from the image's top left corner, `size` the size of its font in points,
    `confidence` the engine's own, from 0 to 1.
    """

    text: str
    box: Box
    size: float
    confidence: float

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError("a line must have text")
        if not 0.0 <= self.confidence <= 1.0:
            raise ValueError(f"confidence must lie in 0..1, not {self.confidence}")


class OcrEngine(Protocol):
    """Reads images of pages.

    Guarantees: the same image, languages and `version` give the same lines; an image without text
    gives none. An unused engine can be pickled; models are loaded with the first image.
    """

    @property
    @abstractmethod
    def version(self) -> str:
        """The engine and its version: everything that can change the lines."""
        ...

    @abstractmethod
    def readable(self, languages: tuple[str, ...]) -> tuple[str, ...]:
        """The languages (BCP 47 tags) that are installed here, in the given order."""
        ...

    @abstractmethod
    def read(self, image: PageImage, languages: tuple[str, ...]) -> tuple[OcrLine, ...]:
        """The lines of the image; all languages must be `readable`. Raises `OcrFailure`."""
        ...
