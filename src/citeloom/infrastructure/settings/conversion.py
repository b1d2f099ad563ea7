"""The keys of `[conversion]`, and what the machine has for workers."""

from __future__ import annotations

import os
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from citeloom.application.limits import DocumentLimits
from citeloom.domain.policies import DEFAULT_OCR_LANGUAGES
from citeloom.infrastructure.settings.derived import TableOf
from citeloom.infrastructure.settings.values import (
    Count,
    Text,
    language,
    one_or_many,
)

Language = Annotated[Text, AfterValidator(language)]
_MEGABYTE = 1 << 20
_LEAST_MEMORY, _MOST_MEMORY = 1536, 4096  # megabytes a worker needs, and may have unasked
_SHARE_OF_MEMORY = 0.8  # of the machine's that all workers together may have


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def machine_memory() -> int:
    """The megabytes of memory this machine has; where it does not say, enough for one worker a
    processor.
    """
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _MEGABYTE
    except (AttributeError, OSError, ValueError):
        return int(processors() * _MOST_MEMORY / _SHARE_OF_MEMORY)


class ConversionTable(TableOf[DocumentLimits]):
    """How files are converted to text."""

    layout: Literal["auto", "rules", "docling"] = Field(
        default="auto",
        description="What analyses the layout of PDFs: citeloom's rules, or the models of a"
        " full Docling. auto is Docling if its packages and weights are "
        "installed, else rules.",
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
    follow_links: bool = Field(
        default=False,
        description="Follow symbolic links that lead out of the folder named as source.",
    )
    workers: Count | None = Field(
        default=None,
        examples=[2],
        description="Number of documents processed at once, each in a worker process with "
        "its own models. Unset, one per processor, as far as memory allows.",
    )
    worker_memory_mb: Count | None = Field(
        default=None,
        examples=[_MOST_MEMORY],
        description="A document that needs more memory is stopped and reported. Unset, "
        f"{_MOST_MEMORY}, or less where all workers together would not fit the machine.",
    )

    @property
    def worker_count(self) -> int:
        """How many documents are worked on at once."""
        if self.workers is not None:
            return self.workers
        fitting = int(machine_memory() * _SHARE_OF_MEMORY) // (
            self.worker_memory_mb or _LEAST_MEMORY
        )
        return max(1, min(processors(), fitting))

    @property
    def worker_memory_bytes(self) -> int:
        """The bytes a worker may need."""
        share = int(machine_memory() * _SHARE_OF_MEMORY) // self.worker_count
        fitting = max(_LEAST_MEMORY, min(_MOST_MEMORY, share))
        return (self.worker_memory_mb or fitting) * _MEGABYTE

    @property
    def limits(self) -> str:
        """The bounds that documents are held to; another text where any of them is another."""
        limits = self.value()
        return (
            f"{limits.document_timeout_seconds:g} {limits.page_timeout_seconds:g} "
            f"{limits.ocr_timeout_seconds:g} {self.worker_memory_bytes} {limits.max_text_mb} "
            f"{limits.max_table_cells}"
        )

    def threads_of_worker(self, most: int) -> int:
        """How many threads a model has in each worker."""
        return max(1, min(most, processors() // self.worker_count))
