"""What a chunking strategy is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from citeloom.domain.chunking.budget import TokenBudget
from citeloom.domain.chunking.drafts import Draft
from citeloom.domain.chunking.pieces import Piece
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.metadata import MetadataValue

Metadata = Mapping[str, MetadataValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """A document divided: the drafts of its chunks in reading order, and the pieces of its body.

    `split` is the number of sections that were divided because they are too long for one chunk;
    `hidden` are the drafts of text that no reader sees, which are kept whatever they are.
    """

    pieces: Sequence[Piece]
    drafts: Sequence[Draft]
    split: int = 0
    hidden: Sequence[Draft] = ()


class ChunkingStrategy(Protocol):
    """Divides a document into drafts that hold all of its body, none larger than the budget."""

    def __call__(
        self, result: ConversionResult, metadata: Metadata, budget: TokenBudget, /
    ) -> Division:
        """The drafts of the document, of whose front matter `metadata` is known."""
        ...
