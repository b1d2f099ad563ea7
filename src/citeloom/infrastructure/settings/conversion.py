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
    """How files become text."""

    document_timeout_seconds: Seconds = Field(
        default=120,
        description=(
            "A document that takes more processor time for each 100 pages, or part of 100, is"
            " stopped and reported, and so is one that is not done after six times as long:"
            " a book of 950 pages has ten times as long as an article."
        ),
    )
    page_timeout_seconds: Seconds = Field(
        default=10,
        description=(
            "A page that takes more processor time stops its document, and so does one"
            " that is not done after six times as long."
        ),
    )
    ocr: bool = Field(
        default=True, description="Read the text of pages that are images, such as scans."
    )
    ocr_engine: Literal["auto", "tesseract", "rapidocr"] = Field(
        default="auto",
        description="What reads them: Tesseract where it is installed with the languages, else "
        "RapidOCR; or only the one that is named.",
    )
    ocr_languages: Annotated[tuple[Language, ...], BeforeValidator(one_or_many)] = Field(
        default=(),
        examples=[list(DEFAULT_OCR_LANGUAGES)],
        description="Languages of images whose reference names none. Unset, English and German.",
    )
    ocr_timeout_seconds: Seconds = Field(
        default=120,
        description="A page whose image takes more processor time to read stops its document.",
    )
    ocr_min_confidence: Share = Field(
        default=0.8, description="Pages read with less confidence are named in the report."
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
        description="Documents converted at once. Unset, one for each processor save one, "
        f"1 to {MOST_WORKERS}.",
    )
