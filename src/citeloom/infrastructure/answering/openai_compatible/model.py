"""Answers by any service with OpenAI's chat completions API: Ollama, llama.cpp, vLLM, OpenAI."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import httpx

from citeloom.application.cancellation import Cancellation
from citeloom.application.ports.answer_model import AnswerModel, Prompt, Reply
from citeloom.domain.answers.usage import TokenUsage
from citeloom.domain.errors import CiteloomError, IncompleteReply, PromptTooLong
from citeloom.infrastructure.answering.openai_compatible.completion import (
    Completion,
    NoCompletion,
    ServiceError,
    is_too_long,
)
from citeloom.infrastructure.answering.openai_compatible.events import StreamTooLong, data_of
from citeloom.infrastructure.answering.openai_compatible.request import (
    request_of,
    without_refused,
)
from citeloom.infrastructure.remote.exchange import InvalidAnswer, read_whole
from citeloom.infrastructure.remote.service import Patience, RequestRefused, Service
from citeloom.infrastructure.remote.time_limit import TimeLimit

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

    The form of the reply is asked for as a JSON schema, and by the prompt alone where the service
    refuses that. Only a request that was not begun to be answered is tried again.
    """

    def __init__(self, name: str, *, service: Service, limits: ReplyLimits) -> None:
        self._name = name
        self._service = service
        self._limits = limits
        self._patience = Patience(
            tries=_TRIES,
            seconds=min(limits.first_seconds, limits.seconds),
            longest_wait=_LONGEST_WAIT,
        )

    @property
    def model_id(self) -> str:
        return f"openai/{self._name}"

    @property
    def destination(self) -> str:
        return self._service.host

    def stream(self, prompt: Prompt, cancellation: Cancellation | None = None) -> Reply:
        return Reply(self._pieces(prompt, cancellation))

    def _pieces(
        self, prompt: Prompt, cancellation: Cancellation | None
    ) -> Generator[str | TokenUsage, None, None]:
        completion, begun = Completion(), False
        try:
            for data in self._answer(prompt, cancellation):
                if text := completion.text_of(data):
                    begun = True
                    yield text
        except _Broken as error:
            if not completion.ended:
                raise self._broken(str(error), begun) from error
        except (NoCompletion, StreamTooLong) as error:
            reason = (
                f"it sent what is no chat completion: {self._service.said(str(error).encode())}"
            )
            raise self._broken(reason, begun) from error
        except ServiceError as error:
            if is_too_long(error.body) and not begun:
                raise self._too_long(error.body) from error
            reason = f"it reports an error: {self._service.said(error.body)}"
            raise self._broken(reason, begun) from error
        if completion.usage:
            yield completion.usage
        self._check_end(completion, begun)

    def _check_end(self, completion: Completion, begun: bool) -> None:
        if not completion.ended:
            raise self._broken("the connection ended before the reply did", begun)
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

    def _answer(self, prompt: Prompt, cancellation: Cancellation | None) -> Iterator[bytes]:
        """The data of each event, or the whole answer of a service that does not stream."""
        until = time.monotonic() + self._limits.seconds
        with ExitStack() as stack:
            response = self._begun(prompt, stack, cancellation)
            whole = stack.enter_context(TimeLimit(response, until - time.monotonic()))
            first = stack.enter_context(TimeLimit(response, self._patience.seconds))
            try:
                for data in _data(response, until):
                    first.lift()
                    yield data
            except httpx.TimeoutException as error:
                raise _Broken(f"it was silent for {self._patience.seconds:g} s") from error
            except (httpx.RequestError, httpx.StreamError) as error:
                reason = self._late(first, whole) or f"the connection broke ({error})"
                raise _Broken(reason) from error
            if reason := self._late(first, whole):
                raise _Broken(reason)

    def _late(self, first: TimeLimit, whole: TimeLimit) -> str:
        if whole.passed:
            return f"its reply took longer than {self._limits.seconds:g} s"
        return f"it was silent for {self._patience.seconds:g} s" if first.passed else ""

    def _begun(
        self, prompt: Prompt, stack: ExitStack, cancellation: Cancellation | None
    ) -> httpx.Response:
        """The answer to a request that the service accepts."""
        body = request_of(self._name, prompt, self._limits.tokens)
        while True:
            opened = self._service.opened(_PATH, body, self._patience, cancellation)
            try:
                return stack.enter_context(opened)
            except RequestRefused as error:
                if is_too_long(error.body):
                    raise self._too_long(error.body) from error
                less = without_refused(body, error.body)
                if less is None:
                    raise self._refused(error) from error
                body = less

    def _too_long(self, body: bytes) -> PromptTooLong:
        return PromptTooLong(
            f"{self.model_id} does not read as much as the question and its passages: "
            f"{self._service.said(body)}",
            "Ask with fewer passages (--top-k), or a model with a larger context.",
        )

    def _refused(self, error: RequestRefused) -> CiteloomError:
        return self._service.unavailable(
            f"it refuses the request: {error}",
            "See the model's name and base_url under [answers].",
        )

    def _broken(self, reason: str, begun: bool) -> CiteloomError:
        """The error for an answer that cannot be read on; what was read before it may be used."""
        if begun:
            host = self._service.host
            return IncompleteReply(
                f"the reply of {self.model_id} at {host} is cut off: {reason}", _HINT
            )
        return self._service.unavailable(reason, _HINT)


class _Broken(Exception):
    """The answer ended before its time."""


def _data(response: httpx.Response, until: float) -> Iterator[bytes]:
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        yield from data_of(response.iter_bytes())
        return
    try:
        yield read_whole(response, until, _MOST_BYTES).body
    except InvalidAnswer as error:
        raise NoCompletion(str(error)) from error
