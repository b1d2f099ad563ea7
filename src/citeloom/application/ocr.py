"""The choice of an OCR engine and its languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeloom.application.ports.ocr_engine import OcrEngine
from citeloom.domain.policies import OcrOptions


@dataclass(frozen=True, slots=True)
class OcrChoice:
    """An OCR engine and the languages it reads in."""

    engine: OcrEngine
    languages: tuple[str, ...]

    @property
    def fingerprint(self) -> str:
        """Changes whenever the recognised text can change."""
        return f"{self.engine.version}:{'+'.join(self.languages)}"


def choose_engine(engines: Sequence[OcrEngine], wanted: OcrOptions | None) -> OcrChoice | None:
    """The engine that reads most of the wanted languages; the first one if several do.

    None if OCR is off, or no engine reads any of the languages.
    """
    if wanted is None:
        return None
    choices = [OcrChoice(engine, engine.readable(wanted.languages)) for engine in engines]
    best = max(choices, key=lambda choice: len(choice.languages), default=None)
    return best if best is not None and best.languages else None


def ocr_fingerprint(engines: Sequence[OcrEngine], wanted: OcrOptions | None) -> str:
    """Engine and languages; changes whenever the recognised text can change."""
    choice = choose_engine(engines, wanted)
    if choice is not None:
        return choice.fingerprint
    return "off" if wanted is None else "none"
