"""Answers by any service with OpenAI's chat completions API: Ollama, llama.cpp, vLLM, OpenAI."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import httpx
import msgspec

from citeloom.application.ports.answer_model import AnswerModel, ModelPrompt, ModelReply
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.answers.answer import TokenUsage
from citeloom.domain.errors import CiteloomError, IncompleteReply, PromptTooLong
from citeloom.infrastructure.remote.retries import AnswerTooLarge, RetryPolicy, bounded
from citeloom.infrastructure.remote.service import RemoteService, RequestRefused
from citeloom.infrastructure.remote.transport import Exchange

# The request for a chat completion, and doing without what a service refuses.

Body = Mapping[str, object]
_LIMIT, _NEWER_LIMIT = "max_tokens", "max_completion_tokens"
"""A key of the request, and what newer models call it."""
_OPTIONAL = {
    "response_format": (b"response_format", b"json_schema", b"schema", b"grammar", b"structured"),
    "stream_options": (b"stream_options", b"include_usage"),
    "temperature": (b"temperature",),
    _NEWER_LIMIT: (_NEWER_LIMIT.encode(),),
}
"""What a request can do without, and how services name it in a refusal."""


def request_of(model: str, prompt: ModelPrompt, max_tokens: int) -> Body:
    """The request for a streamed reply in the form of the prompt's schema."""
    schema = {"name": "answer", "strict": True, "schema": dict(prompt.schema)}
    return {
        "model": model,
        "messages": [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0,
        "max_tokens": max_tokens,
        "response_format": {"type": "json_schema", "json_schema": schema},
    }


def without_refused(body: Body, body_text: bytes) -> Body | None:
    """The request without the option that a refusal names, or without `response_format` where it
    names none; None where the request has no such option.
    """
    refusal = body_text.lower()
    if _LIMIT in body and _LIMIT.encode() in refusal:
        return {**_without(body, _LIMIT), _NEWER_LIMIT: body[_LIMIT]}
    matching = (key for key, names in _OPTIONAL.items() if any(name in refusal for name in names))
    refused = next((key for key in matching if key in body), "response_format")
    return _without(body, refused) if refused in body else None


def _without(body: Body, key: str) -> Body:
    return {name: value for name, value in body.items() if name != key}


# What a chat completion says, whole or in pieces.

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
    """What the service sent is not part of a chat completion."""


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
    def __init__(self) -> None:
        self.usage: TokenUsage | None = None
        self.finish_reason: str | None = None
        self.ended = False

    def text_of(self, data: bytes) -> str:
        """The text that an event, or a whole completion, adds to the reply.

        Raises `ServiceError` for an error report, and `NoCompletion` for anything else that is not
        a completion.
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
        if read.usage is not None:
            prompt, reply = read.usage.prompt_tokens, read.usage.completion_tokens
            self.usage = TokenUsage(prompt=prompt, reply=reply)
        text = ""
        for choice in read.choices or ():
            if choice.index == 0:
                if choice.finish_reason:
                    self.finish_reason, self.ended = choice.finish_reason, True
                part = choice.delta or choice.message
                text += (part.content if part else None) or ""
        return text


def is_too_long(body: bytes) -> bool:
    """Whether a service refuses a prompt because it is longer than the model reads."""
    text = body.lower()
    return any(words in text for words in _TOO_LONG)


# Server-sent events, as services stream replies.

_LONGEST_LINE = 1_000_000
_LONGEST_STREAM = 8_000_000


class StreamTooLong(Exception):
    """The stream is longer than any reply."""


def data_of(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The data of each event; comments and other fields are left out.

    Raises `StreamTooLong` for a line of more than a megabyte and a stream of more than eight.
    """
    data: list[bytes] = []
    for line in _lines(parts):
        if line.startswith(b"data:"):
            data.append(line.removeprefix(b"data:").removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []
    if data:
        yield b"\n".join(data)


def _lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The lines without their ends, be these CRLF or LF; the last may have none."""
    rest, length = b"", 0
    for part in parts:
        length += len(part)
        *whole, rest = (rest + part).split(b"\n")
        if length > _LONGEST_STREAM or len(rest) > _LONGEST_LINE:
            raise StreamTooLong(f"{length:,} bytes")
        yield from (line.removesuffix(b"\r") for line in whole)
    if rest:
        yield rest.removesuffix(b"\r")


_PATH = "/chat/completions"
_TRIES = 4
_LONGEST_WAIT = 60.0
_MOST_BYTES = 8_000_000
_HINT = "Ask again; if it happens again, see the service's log."


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyLimits:
    """The most tokens of a reply, and the seconds until it begins and until it has ended."""

    tokens: int
    first_seconds: float
    seconds: float


class OpenAiAnswerModel(AnswerModel):
    """Streams replies of a model of a service.

    The reply's form is requested as a JSON schema; where the service refuses that, by the prompt
    alone. A request is retried only while no part of its answer has arrived.
    """

    def __init__(self, name: str, *, service: RemoteService, limits: ReplyLimits) -> None:
        self._name = name
        self.model_id = f"openai/{name}"
        self._service = service
        self.destination = service.host
        self._limits = limits
        self._retry_policy = RetryPolicy(
            tries=_TRIES,
            seconds=min(limits.first_seconds, limits.seconds),
            longest_wait=_LONGEST_WAIT,
            most_bytes=_MOST_BYTES,
            streamed=True,
        )

    def stream(self, prompt: ModelPrompt, cancellation: Cancellation | None = None) -> ModelReply:
        return ModelReply(self._pieces(prompt, cancellation))

    def _pieces(
        self, prompt: ModelPrompt, cancellation: Cancellation | None
    ) -> Generator[str | TokenUsage, None, None]:
        completion, has_begun = Completion(), False
        try:
            for data in self._answer(prompt, cancellation):
                if text := completion.text_of(data):
                    has_begun = True
                    yield text
        except _Broken as error:
            if not completion.ended:
                raise self._broken(str(error), has_begun) from error
        except (NoCompletion, StreamTooLong) as error:
            reason = (
                f"it sent what is no chat completion: {self._service.sentence(str(error).encode())}"
            )
            raise self._broken(reason, has_begun) from error
        except ServiceError as error:
            if is_too_long(error.body) and not has_begun:
                raise self._too_long(error.body) from error
            reason = f"it reports an error: {self._service.sentence(error.body)}"
            raise self._broken(reason, has_begun) from error
        if completion.usage:
            yield completion.usage
        self._check_end(completion, has_begun)

    def _check_end(self, completion: Completion, has_begun: bool) -> None:
        if not completion.ended:
            raise self._broken("the connection ended before the reply did", has_begun)
        if completion.finish_reason == "length":
            raise IncompleteReply(
                f"the reply of {self.model_id} reached the limit of tokens and was cut off",
                "Raise max_tokens under [answers], or ask for less.",
            )
        if completion.finish_reason == "content_filter":
            raise IncompleteReply(
                f"the filter of {self._service.host} cut off the reply of {self.model_id}",
                "Ask in other words, or another model.",
            )

    def _answer(self, prompt: ModelPrompt, cancellation: Cancellation | None) -> Iterator[bytes]:
        """The data of each event, or the whole answer of a service that does not stream."""
        until, exchange = time.monotonic() + self._limits.seconds, Exchange()
        with ExitStack() as stack:
            response = self._response(prompt, stack, exchange, cancellation)
            exchange.allow(min(until - time.monotonic(), self._retry_policy.seconds))
            try:
                for data in _data(response, self._retry_policy):
                    exchange.allow(until - time.monotonic())
                    yield data
            except httpx.TimeoutException as error:
                reason = f"it was silent for {self._retry_policy.seconds:g} s"
                if time.monotonic() >= until:
                    reason = f"its reply took longer than {self._limits.seconds:g} s"
                raise _Broken(reason) from error
            except (httpx.RequestError, httpx.StreamError) as error:
                raise _Broken(f"the connection broke ({error})") from error

    def _response(
        self,
        prompt: ModelPrompt,
        stack: ExitStack,
        exchange: Exchange,
        cancellation: Cancellation | None,
    ) -> httpx.Response:
        body = request_of(self._name, prompt, self._limits.tokens)
        while True:
            opened = self._service.opened(_PATH, body, self._retry_policy, exchange, cancellation)
            try:
                return stack.enter_context(opened)
            except RequestRefused as error:
                if is_too_long(error.body):
                    raise self._too_long(error.body) from error
                less = without_refused(body, error.body)
                if less is None:
                    raise self._service.unavailable(
                        f"it refuses the request: {error}",
                        "See the model's name and base_url under [answers].",
                    ) from error
                body = less

    def _too_long(self, body: bytes) -> PromptTooLong:
        return PromptTooLong(
            f"{self.model_id} does not read as much as the question and its passages: "
            f"{self._service.sentence(body)}",
            "Ask with fewer passages (--top-k), or a model with a larger context.",
        )

    def _broken(self, reason: str, has_begun: bool) -> CiteloomError:
        """The error for an answer that ended early; the part already read may be used."""
        if has_begun:
            host = self._service.host
            return IncompleteReply(
                f"the reply of {self.model_id} at {host} is cut off: {reason}", _HINT
            )
        return self._service.unavailable(reason, _HINT)


class _Broken(Exception):
    """The answer ended early."""


def _data(response: httpx.Response, policy: RetryPolicy) -> Iterator[bytes]:
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        yield from data_of(response.iter_bytes())
        return
    try:
        yield b"".join(bounded(response.iter_bytes(), policy.most_bytes))
    except AnswerTooLarge as error:
        raise NoCompletion(str(error)) from error
