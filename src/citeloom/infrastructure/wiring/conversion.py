"""Converters, and the engines that read images for them, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from citeloom.application.ocr import choose_engine, ocr_fingerprint
from citeloom.application.ports.document_converter import DocumentConverter
from citeloom.application.ports.ocr_engine import OcrEngine
from citeloom.domain.policies import OcrOptions
from citeloom.infrastructure.wiring.registry import Registry

if TYPE_CHECKING:
    from citeloom.application.available import AvailableEngine
    from citeloom.infrastructure.settings import Settings

_HERE = "citeloom.infrastructure.wiring.conversion"
_OCR = "citeloom.infrastructure.conversion.ocr"
DOCLING = "docling"

CONVERTERS: Registry[DocumentConverter] = Registry("converter", {DOCLING: f"{_HERE}:docling"})
OCR_ENGINES: Registry[OcrEngine] = Registry(
    "OCR engine",
    {
        "tesseract": f"{_OCR}.tesseract:TesseractEngine",
        "rapidocr": f"{_OCR}.rapidocr:RapidOcrEngine",
    },
)
"""The preferred one first."""


def open_converter(settings: Settings) -> DocumentConverter:
    """What reads documents."""
    return CONVERTERS[DOCLING](settings)


def docling(settings: Settings) -> DocumentConverter:
    """Docling in worker processes, behind the cache of conversions."""
    from citeloom.infrastructure.conversion.by_suffix import SUFFIXES, AnyConversion
    from citeloom.infrastructure.conversion.cache.cached_converter import CachedConverter
    from citeloom.infrastructure.conversion.pdf_layout.factory import PdfConversion
    from citeloom.infrastructure.conversion.version import converter_version
    from citeloom.infrastructure.conversion.workers.pool import ConversionPool
    from citeloom.infrastructure.conversion.workers.worker_process import WorkerLimits

    conversion = settings.conversion
    cache = settings.data_dir / "cache"
    pdf = PdfConversion(
        page_window=conversion.page_window,
        windows=cache / "windows",
        engines=open_ocr_engines(settings),
    )
    pool = ConversionPool(
        factory=AnyConversion(pdf=pdf),
        version=converter_version(),
        suffixes=SUFFIXES,
        workers=conversion.workers,
        limits=WorkerLimits(
            document_seconds=conversion.document_timeout_seconds,
            page_seconds=conversion.page_timeout_seconds,
            image_seconds=conversion.ocr_timeout_seconds,
        ),
    )
    return CachedConverter(pool, cache / "conversions", reading=image_reading(settings))


def readable_suffixes() -> frozenset[str]:
    """The suffixes of the files that can be converted."""
    from citeloom.infrastructure.conversion.by_suffix import SUFFIXES

    return SUFFIXES


def open_ocr_engines(settings: Settings) -> tuple[OcrEngine, ...]:
    """The engines that may read images, the preferred one first."""
    chosen = settings.conversion.ocr_engine
    names = tuple(OCR_ENGINES) if chosen == "auto" else (chosen,)
    return tuple(OCR_ENGINES[name]() for name in names)


def image_reading(settings: Settings) -> Callable[[OcrOptions | None], str]:
    """Names how images would be read."""
    engines = open_ocr_engines(settings)
    return lambda wanted: ocr_fingerprint(engines, wanted)


def list_ocr_engines(settings: Settings) -> list[AvailableEngine]:
    """The engines there are to read images, and which of them does."""
    from citeloom.infrastructure.conversion.ocr.catalogue import available_engines

    conversion, engines = settings.conversion, open_ocr_engines(settings)
    wanted = OcrOptions.choose(zotero=None, configured=conversion.ocr_languages)
    choice = choose_engine(engines, wanted if conversion.ocr else None)
    return available_engines(engines, wanted.languages, choice.engine if choice else None)
