"""The OCR engines and the languages they read."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.application.models import AvailableEngine
from citeloom.application.ports.conversion import OcrEngine
from citeloom.domain.documents.language import KNOWN_LANGUAGES

_NEEDS = {
    "tesseract": "the `tesseract` program with data for {}",
    "rapidocr": "another engine for {}: its models lack that script",
}


def available_engines(
    engines: Sequence[OcrEngine], requested: tuple[str, ...], chosen: OcrEngine | None
) -> list[AvailableEngine]:
    """The engines in order, with what they lack for the requested languages."""
    return [_available(engine, requested, chosen=engine is chosen) for engine in engines]


def _available(engine: OcrEngine, requested: tuple[str, ...], *, chosen: bool) -> AvailableEngine:
    languages = engine.readable(KNOWN_LANGUAGES)
    name = engine.version.split("-")[0]
    readable = engine.readable(requested)
    missing = ", ".join(code for code in requested if code not in readable)
    return AvailableEngine(
        name=name,
        version=engine.version,
        usable=bool(languages),
        languages=languages,
        needs=_NEEDS.get(name, "data for {}").format(missing) if missing else "",
        chosen=chosen,
    )
