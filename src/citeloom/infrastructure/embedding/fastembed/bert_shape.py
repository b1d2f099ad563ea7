"""The dimensions of a BERT encoder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BertShape:
    """`hidden` is the size of a state and of the vectors; the heads share it evenly."""

    layers: int
    heads: int
    hidden: int
    epsilon: float

    @property
    def head_size(self) -> int:
        """The part of a state one head attends to."""
        return self.hidden // self.heads
