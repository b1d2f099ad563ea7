"""What can be chosen from here: embedding models, and engines that read images."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ModelKind(StrEnum):
    """Which of a chunk's two vectors a model makes."""

    DENSE = "dense"
    SPARSE = "sparse"


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailableModel:
    """A model, and whether it can be used here and now without a download.

    `dimension` is None where vectors have no fixed one; `needs` says what is missing, and is
    empty when nothing is.
    """

    name: str
    kind: ModelKind
    dimension: int | None
    size_gb: float
    usable: bool
    needs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailableEngine:
    """An engine, and which of the known languages it reads here.

    It is `usable` when it reads any; `needs` says what it lacks for the wanted ones, and is empty
    when it lacks nothing. The one that is `chosen` reads them.
    """

    name: str
    version: str
    usable: bool
    languages: tuple[str, ...]
    needs: str
    chosen: bool
