"""What a chat completion says, whole or in pieces."""

from __future__ import annotations

import msgspec

from citeloom.domain.answers.usage import TokenUsage

_END = b"[DONE]"
_TOO_LONG = (
    b"context_length",
    b"context length",
    b"context size",
    b"context_size",
    b"context window",
    b"prompt is too long",
    b"too many tokens",
)


class NoCompletion(Exception):
    """What the service sent is no part of a chat completion."""


class ServiceError(Exception):
    """The service reports an error in the middle of its answer; `body` is its report."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.body = body


class _Content(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    index: int = 0
    delta: _Content | None = None
    message: _Content | None = None
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int
    completion_tokens: int = 0


class _Completion(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: object = None


class Completion:
    """A completion as far as it has been read."""

    def __init__(self) -> None:
        self.usage: TokenUsage | None = None
        self.finish_reason: str | None = None
        self.ended = False

    def text_of(self, data: bytes) -> str:
        """The text that an event, or a whole completion, adds to the reply.

        Raises `ServiceError` for a report of an error, and `NoCompletion` for anything else that is
        no completion.
        """
        if data.strip() == _END:
            self.ended = True
            return ""
        try:
            read = msgspec.json.decode(data, type=_Completion)
        except (msgspec.DecodeError, RecursionError) as error:
            raise NoCompletion(str(error)) from error
        if read.error is not None:
            raise ServiceError(data)
        if read.choices is None and read.usage is None:
            raise NoCompletion("it has no choices")
        self._count(read.usage)
        return "".join(self._of(choice) for choice in read.choices or () if choice.index == 0)

    def _of(self, choice: _Choice) -> str:
        if choice.finish_reason:
            self.finish_reason, self.ended = choice.finish_reason, True
        said = choice.delta or choice.message
        return (said.content if said else None) or ""

    def _count(self, usage: _Usage | None) -> None:
        if usage is not None:
            self.usage = TokenUsage(prompt=usage.prompt_tokens, reply=usage.completion_tokens)


def is_too_long(body: bytes) -> bool:
    """Whether a service refuses a prompt because it is longer than the model reads."""
    said = body.lower()
    return any(words in said for words in _TOO_LONG)
