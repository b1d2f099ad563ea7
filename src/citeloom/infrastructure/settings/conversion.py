"""The keys of `[conversion]`."""

from __future__ import annotations

import os
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from citeloom.domain.policies import DEFAULT_OCR_LANGUAGES
from citeloom.infrastructure.settings.values import (
    Count,
    Seconds,
    Share,
    Table,
    Text,
    language,
    one_or_many,
)

Language = Annotated[Text, AfterValidator(language)]
MOST_WORKERS = 4


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _default_workers() -> int:
    return min(MOST_WORKERS, max(1, processors() - 1))


class ConversionTable(Table):
    """How files are converted to text."""

    document_timeout_seconds: Seconds = Field(
        default=120,
        description=(
            "Processor time for each 100 pages of a document, or part of 100: a book of 950"
            " pages has ten times as long as an article. A document over the limit, or over six"
            " times the limit by the clock, is stopped and reported."
        ),
    )
    page_timeout_seconds: Seconds = Field(
        default=10,
        description=(
            "Processor time for a page. A page over the limit, or over six times the limit by"
            " the clock, stops its document."
        ),
    )
    ocr: bool = Field(
        default=True, description="Whether pages that are images, such as scans, are read by OCR."
    )
    ocr_engine: Literal["auto", "tesseract", "rapidocr"] = Field(
        default="auto",
        description="The OCR engine. auto is Tesseract if it is installed with the languages, else "
        "RapidOCR.",
    )
    ocr_languages: Annotated[tuple[Language, ...], BeforeValidator(one_or_many)] = Field(
        default=(),
        examples=[list(DEFAULT_OCR_LANGUAGES)],
        description="OCR languages if the reference names none. Unset, English and German.",
    )
    ocr_timeout_seconds: Seconds = Field(
        default=120,
        description="Processor time for OCR of a page. A page over it stops its document.",
    )
    ocr_min_confidence: Share = Field(
        default=0.8, description="Pages with a lower OCR confidence are listed in the report."
    )
    page_window: Count = Field(
        default=25, description="Pages converted at a time; fewer need less memory."
    )
    follow_links: bool = Field(
        default=False,
        description="Follow symbolic links that lead out of the folder named as source.",
    )
    workers: Count = Field(
        default_factory=_default_workers,
        examples=[2],
        description="Documents converted at once. Unset, the number of processors less one, "
        f"1 to {MOST_WORKERS}.",
    )
