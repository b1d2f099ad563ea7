"""What an answer cost, in tokens."""

from __future__ import annotations

from dataclasses import dataclass

_BYTES_A_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage:
    """The tokens of a prompt and of its reply: as the model counted them, or `estimated`."""

    prompt: int
    reply: int
    estimated: bool = False

    def __add__(self, other: TokenUsage) -> TokenUsage:
        """Both together, estimated if one of them is."""
        return TokenUsage(
            prompt=self.prompt + other.prompt,
            reply=self.reply + other.reply,
            estimated=self.estimated or other.estimated,
        )


def estimated_usage(prompt: str, reply: str) -> TokenUsage:
    """An estimate for a model that does not say: a token for every four bytes of UTF-8."""
    return TokenUsage(prompt=_tokens(prompt), reply=_tokens(reply), estimated=True)


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)
