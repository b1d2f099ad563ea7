"""Services that run models: one request, and its failures in the words of citeloom."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from urllib.parse import urlsplit

import httpx

from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.remote.endpoint import ServiceEndpoint
from citeloom.infrastructure.remote.retries import (
    POLICY,
    QUOTA,
    TEMPORARY,
    AnswerTooLarge,
    RetryingTransport,
    RetryPolicy,
    WaitTooLong,
    sentence_of,
)
from citeloom.infrastructure.remote.transport import EXCHANGE, Exchange

_UNAUTHORISED = frozenset({401, 403, 498})
_TOO_MUCH = frozenset({400, 413, 422})
_ONCE = RetryPolicy(tries=1, seconds=math.inf, longest_wait=0)


class InvalidAnswer(Exception):
    """The service's answer does not have the requested form; the message says how."""


class RequestRefused(Exception):
    """The service refuses the request as invalid or too large; the message is the service's, `body`
    its whole answer.
    """

    def __init__(self, reason: str, body: bytes = b"") -> None:
        super().__init__(reason)
        self.body = body


class RemoteService:
    """A service at one address, for any number of threads.

    When the service asks to wait, every request waits. Error messages never contain the key.
    """

    def __init__(
        self, endpoint: ServiceEndpoint, *, first_pause: float = _ONCE.first_pause
    ) -> None:
        self._endpoint = endpoint
        self._first_pause = first_pause

    def post(
        self,
        path: str,
        body: Mapping[str, object],
        policy: RetryPolicy,
        abandoned: threading.Event | None = None,
    ) -> bytes:
        """The body of a successful answer. Once `abandoned` is set, no request is retried; a
        running one ends with its current try.

        Raises `InvalidAnswer` for an answer that is too long, `RequestRefused` for 400, 413 and
        422, and `ModelUnavailable` where a retry would not help or the last one failed.
        """
        return self._answer(path, body, policy, Exchange(stop=abandoned)).content

    @contextmanager
    def opened(
        self,
        path: str,
        body: Mapping[str, object],
        policy: RetryPolicy,
        exchange: Exchange,
        cancellation: Cancellation | None = None,
    ) -> Iterator[httpx.Response]:
        """A successful answer whose body is still to be read, closed at the end. A cancellation
        closes the connection, before or during the answer. Raises as `post` does.
        """
        with (cancellation or Cancellation()).ending(exchange.cancel):
            response = self._answer(path, body, policy, exchange)
            try:
                yield response
            finally:
                response.close()

    def sentence(self, body: bytes) -> str:
        """The service's own sentence in a report of an error, on one line and without the key."""
        return sentence_of(body, [self._endpoint.key]) or "nothing more"

    def unavailable(self, reason: str, hint: str) -> ModelUnavailable:
        """An error that names the model and the host."""
        return ModelUnavailable(f"{self._endpoint.model} at {self.host}: {reason}", hint)

    @property
    def host(self) -> str:
        """The host that requests go to, with its port where the address names one."""
        return self._endpoint.host

    @cached_property
    def _http(self) -> httpx.Client:
        key = self._endpoint.key
        headers = {"User-Agent": "citeloom", "Content-Type": "application/json"}
        return httpx.Client(
            headers={**headers, "Authorization": f"Bearer {key}"} if key else headers,
            transport=RetryingTransport(_ONCE),
        )

    def _answer(
        self, path: str, body: Mapping[str, object], policy: RetryPolicy, exchange: Exchange
    ) -> httpx.Response:
        self._check_key()
        request = self._http.build_request(
            "POST",
            self._endpoint.base_url.rstrip("/") + path,
            content=json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
            headers={"Accept": "text/event-stream" if policy.streamed else "application/json"},
            extensions={
                POLICY: replace(policy, first_pause=self._first_pause),
                EXCHANGE: exchange,
            },
        )
        try:
            response = self._http.send(request, stream=True)
        except AnswerTooLarge as error:
            if not policy.streamed:
                raise InvalidAnswer(str(error)) from error
            reason = f"it refuses the request at length: {error}"
            raise self.unavailable(reason, self._hint_to_look()) from error
        except WaitTooLong as error:
            hint = "Run it again after that time: nothing is lost."
            raise self.unavailable(str(error), hint) from error
        except httpx.HTTPError as error:
            reason = f"the connection failed ({error})"
            if isinstance(error, httpx.TimeoutException):
                reason = f"it did not answer within {policy.seconds:g} s"
            raise self.unavailable(reason, self._hint_to_reach()) from error
        if response.status_code != httpx.codes.OK:
            raise self._failure(response)
        return response

    def _check_key(self) -> None:
        """Raise `ModelUnavailable` before anything is sent if the service's key is missing."""
        variable = self._endpoint.variable
        if variable and not self._endpoint.key:
            raise self.unavailable(
                f"its key is missing: {variable} is not set, so nothing was sent",
                f"Set {variable} in the environment, or name another variable: api_key_env under "
                f"{self._endpoint.table}.",
            )

    def _failure(self, response: httpx.Response) -> Exception:
        """The error to raise for an unsuccessful answer."""
        status, body = response.status_code, response.content
        if status == httpx.codes.PAYMENT_REQUIRED or QUOTA.search(body):
            return self.unavailable(
                f"the quota of the key is used up ({status}: {self.sentence(body)})",
                "Raise the limit or top up the account at the service, or use another model.",
            )
        if status in _UNAUTHORISED:
            return self._unauthorised(status)
        if status in _TOO_MUCH:
            return RequestRefused(f"{status}: {self.sentence(body)}", body)
        if response.is_redirect:
            target = urlsplit(response.headers.get("location", "")).netloc or "elsewhere"
            return self.unavailable(
                f"it redirects to {target}, and text is sent only where the configuration says",
                f"Set base_url under {self._endpoint.table} to the service itself.",
            )
        return self.unavailable(
            f"it answered {status}: {self.sentence(body)}",
            self._hint_to_reach() if status in TEMPORARY else self._hint_to_look(),
        )

    def _unauthorised(self, status: int) -> ModelUnavailable:
        variable = self._endpoint.variable
        if self._endpoint.key:
            return self.unavailable(
                f"it refuses the key in {variable} ({status})", f"Check the key in {variable}."
            )
        return self.unavailable(
            f"it wants a key ({status})",
            f"Set {variable} in the environment."
            if variable
            else f"Name the variable that holds it: api_key_env under {self._endpoint.table}.",
        )

    def _hint_to_look(self) -> str:
        return f"Look at base_url and the model's name under {self._endpoint.table}."

    def _hint_to_reach(self) -> str:
        return f"See that {self.host} runs and can be reached, then try again: nothing is lost."
