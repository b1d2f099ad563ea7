"""An OCR engine that reads what a test says, and images that tests draw themselves."""

from __future__ import annotations

from collections.abc import Iterable

from PIL import Image, ImageDraw, ImageFont

from citeloom.application.ports.conversion import OcrEngine, OcrLine, PageImage


class ScriptedOcr(OcrEngine):
    """Reads the same lines, top down, on every image that is not blank."""

    def __init__(
        self,
        *lines: str,
        languages: Iterable[str] = ("en", "de"),
        confidence: float = 0.9,
        version: str = "scripted-ocr-1",
    ) -> None:
        self._lines = lines
        self._languages = frozenset(languages)
        self._confidence = confidence
        self._version = version

    @property
    def version(self) -> str:
        return self._version

    def readable(self, languages: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(code for code in languages if code in self._languages)

    def read(self, image: PageImage, languages: tuple[str, ...]) -> tuple[OcrLine, ...]:
        if not image.pixels or min(image.pixels) == max(image.pixels):
            return ()
        return tuple(
            OcrLine(
                text=line,
                box=image.box(100, 100 + 60 * n, 100 + 20 * len(line), 145 + 60 * n),
                size=11.0,
                confidence=self._confidence,
            )
            for n, line in enumerate(self._lines)
        )


def image_of(*lines: str, size: tuple[int, int] = (1000, 300), dpi: int = 200) -> PageImage:
    """A white page with these lines printed on it, 80 pixels apart."""
    picture = Image.new("L", size, 255)
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        draw.text((100, 100 + 80 * number), line, fill=0, font=ImageFont.load_default(44))
    return PageImage(width=size[0], height=size[1], pixels=picture.tobytes(), dpi=dpi)
