"""The supported models and OCR engines, and which of them are installed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ModelKind(StrEnum):
    """What a model is for: dense or sparse vectors, or putting passages in order."""

    DENSE = "dense"
    SPARSE = "sparse"
    RERANKER = "reranker"


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailableModel:
    """A model, and whether it is usable without a download.

    `dimension` is None but for dense vectors; `needs` says what is missing, if anything. A model
    that a service runs `sends_text_to` an address.
    """

    name: str
    kind: ModelKind
    dimension: int | None
    size_gb: float
    usable: bool
    needs: str
    sends_text_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailableEngine:
    """An OCR engine, and the languages installed for it.

    It is `usable` if there are any; `needs` says what is missing for the configured languages, if
    anything. The `chosen` engine is the one that ingests use.
    """

    name: str
    version: str
    usable: bool
    languages: tuple[str, ...]
    needs: str
    chosen: bool
