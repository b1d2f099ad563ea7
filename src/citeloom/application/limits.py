"""The limits of a call by another program, and the options of a server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from citeloom.domain.errors import InvalidFilter

# The limits of a call by another program.


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """How long a call may take, in seconds, how large it and its answer may be, and how many may
    run or wait at the same time.

    `answer_tokens` are estimated.
    """

    query_seconds: float = 8.0
    hybrid_seconds: float = 15.0
    ingest_seconds: float = 15.0
    inspect_seconds: float = 5.0
    ask_seconds: float = 120.0
    top_k: int = 20
    query_chars: int = 4000
    answer_tokens: int = 10_000
    calls: int = 8
    waiting_calls: int = 32

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be positive, not {getattr(self, name)}")

    @property
    def longest_seconds(self) -> float:
        """The time of the call that may take the longest."""
        return max(
            self.query_seconds,
            self.hybrid_seconds,
            self.ingest_seconds,
            self.inspect_seconds,
            self.ask_seconds,
        )

    def passages(self, requested: int | None, usual: int) -> int:
        """How many passages a query returns: those asked for, else as usual, as far as it may."""
        return min(usual, self.top_k) if requested is None else requested

    def check_query(self, text: str, top_k: int | None) -> None:
        """Raise `InvalidFilter` for a question that is too long, or too many passages."""
        if len(text) > self.query_chars:
            raise InvalidFilter(
                f"the question has {len(text)} characters, the limit is {self.query_chars}",
                "Ask for one thing at a time, in a sentence or two.",
            )
        if top_k is not None and not 1 <= top_k <= self.top_k:
            raise InvalidFilter(
                f"the number of passages must lie in 1..{self.top_k}, not {top_k}",
                "Ask another question rather than for more passages.",
            )


# Where the HTTP server listens, and whom it answers.


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """An address and a port to listen at. `hosts` are further names by which clients may call the
    server, `origins` the web pages elsewhere whose scripts may; `token_file` holds the token.
    """

    host: str = "127.0.0.1"
    port: int = 8484
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    token_file: Path | None = None
