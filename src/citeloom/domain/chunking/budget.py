"""How many tokens a chunk may have, and how they are counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from citeloom.domain.policies import ChunkingPolicy

CountAll = Callable[[Sequence[str]], list[int]]
"""Counts the tokens of each text as the embedding model does, special tokens not included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBudget:
    """A chunking policy with the counting of the model that reads the chunks.

    `limit` is a smaller size than the policy's. Counts may be an estimate.
    """

    policy: ChunkingPolicy
    special_tokens: int
    count_all: CountAll
    limit: int | None = None
    is_estimate: bool = False

    @property
    def size(self) -> int:
        """The largest chunk in tokens."""
        return self.policy.size if self.limit is None else self.limit

    def up_to(self, size: int) -> TokenBudget:
        """This budget for chunks of at most `size` tokens."""
        return replace(self, limit=min(size, self.size))

    def room(self, context: int) -> int:
        """The tokens left for a text after a heading context of `context` tokens, at least one."""
        return max(self.size - self.special_tokens - context, 1)

    def longest_piece(self, context: int) -> int:
        """The longest piece that leaves room for one below the minimum."""
        room = self.room(context)
        return max(room - self.policy.min_chunk_tokens, room // 2, 1)
