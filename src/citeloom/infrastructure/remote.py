"""Requests to services that run models: one exchange, its time limit, and retries when the failure
may pass.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    sleep_using_event,
    stop_after_attempt,
    wait_exponential_jitter,
)
from tenacity.stop import stop_when_event_set

from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.endpoint import ServiceEndpoint
from citeloom.infrastructure.transport import SECONDS, DeadlineTransport

# One request to a service and its answer, bounded in time and size.

_MOST_BYTES = 64_000_000
CONNECT_SECONDS = 10.0


class InvalidAnswer(Exception):
    """The service's answer does not have the requested form; the message says how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceReply:
    """A service's answer, read whole."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def exchange(
    http: httpx.Client, url: str, content: bytes, seconds: float, most_bytes: int = _MOST_BYTES
) -> ServiceReply:
    """Post JSON and read the whole answer within `seconds`, by a client of `DeadlineTransport`
    even if its headers come byte by byte.

    Raises `httpx.TransportError` for a connection that fails, ends early or is too slow, and
    `InvalidAnswer` for an answer of more than `most_bytes`.
    """
    until = time.monotonic() + seconds
    timeout = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    with http.stream(
        "POST",
        url,
        content=content,
        headers=headers,
        timeout=timeout,
        extensions={SECONDS: seconds},
    ) as response:
        return read_whole(response, until, most_bytes)


def read_whole(
    response: httpx.Response, until: float, most_bytes: int = _MOST_BYTES
) -> ServiceReply:
    """The rest of an answer, read until a monotonic time. Raises as `exchange` does."""
    body = b"".join(bounded(response, until, most_bytes))
    return ServiceReply(status=response.status_code, headers=response.headers, body=body)


def bounded(response: httpx.Response, until: float, most_bytes: int) -> Iterator[bytes]:
    """The parts of an answer as they arrive. Raises as `exchange` does."""
    read = 0
    for part in response.iter_bytes():
        read += len(part)
        if read > most_bytes:
            raise InvalidAnswer(f"it is longer than {most_bytes // 1_000_000} MB")
        if time.monotonic() > until:
            raise httpx.ReadTimeout("the whole answer took too long")
        yield part


# A limit on the time of an answer that comes piece by piece.


class TimeLimit:
    """Closes the connection of an answer after `seconds`, whichever thread is reading it.

    Reading then fails or ends as if the service had closed the connection; `passed` tells. The
    timeouts of httpx begin again with every byte.
    """

    def __init__(self, response: httpx.Response, seconds: float) -> None:
        self._response = response
        self._passed = threading.Event()
        self._timer = threading.Timer(max(0.0, seconds), self._cut)
        self._timer.daemon = True

    @property
    def passed(self) -> bool:
        """Whether the time limit passed before the answer was complete."""
        return self._passed.is_set()

    def lift(self) -> None:
        """Remove the time limit."""
        self._timer.cancel()

    def __enter__(self) -> TimeLimit:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.lift()

    def _cut(self) -> None:
        self._passed.set()
        cut(self._response.extensions.get("network_stream"))


def cut(stream: Any) -> None:
    """Cut the connection of a network stream, if there is one, also while a thread reads it."""
    connection = stream.get_extra_info("socket") if stream else None
    with suppress(OSError):
        if connection is not None:
            connection.shutdown(socket.SHUT_RDWR)


# The pause that a service requests.


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float:
    """The seconds to wait by `Retry-After-Ms` or `Retry-After`, which is a number or a date; 0
    without either, and for a value that cannot be read.
    """
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    header = headers.get("retry-after", "")
    if (seconds := _number(header)) is not None:
        return seconds
    return max(0.0, _until(header, now or datetime.now(UTC)))


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _until(date: str, now: datetime) -> float:
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return 0.0
    return (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp() - now.timestamp()


# Requests to a service that runs a model, tried again when the failure may pass.

_TEMPORARY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_UNAUTHORISED = frozenset({401, 403, 498})
_TOO_MUCH = frozenset({400, 413, 422})
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 20.0
_SAID = 300
_LONGEST_REFUSAL = 1_000_000
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_T = TypeVar("_T")
_EXHAUSTED = re.compile(
    rb"insufficient_quota|billing_hard_limit|quota_exceeded|exceeded your current quota"
    rb"|credit balance|limited to \d+ API calls / month",
    re.IGNORECASE,
)


class RequestRefused(Exception):
    """The service refuses the request as invalid or too large; the message is the service's, `body`
    its whole answer.
    """

    def __init__(self, reason: str, body: bytes = b"") -> None:
        super().__init__(reason)
        self.body = body


class _MayPass(Exception):
    """A temporary failure; the request may be retried after `wait` seconds."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """The number of tries of a request, the seconds each may take, and the longest wait between
    them.
    """

    tries: int
    seconds: float
    longest_wait: float


class RemoteService:
    """A service at one address, for any number of threads.

    When the service asks to wait, every request waits. Error messages never contain the key.
    """

    def __init__(self, endpoint: ServiceEndpoint, *, first_pause: float = _FIRST_PAUSE) -> None:
        self._endpoint = endpoint
        self._pause = wait_exponential_jitter(
            multiplier=first_pause, max=_LONGEST_PAUSE, jitter=first_pause
        )
        self._not_before = 0.0

    def post(
        self,
        path: str,
        body: Mapping[str, object],
        policy: RetryPolicy,
        abandoned: threading.Event | None = None,
    ) -> bytes:
        """The body of a successful answer. Once `abandoned` is set, no request is retried; a
        running one ends with its current try.

        Raises `RequestRefused` for 400, 413 and 422, and `ModelUnavailable` where a retry would not
        help or the last one failed.
        """
        self._check_key()
        content = _encoded(body)
        stop = abandoned or threading.Event()
        return self._with_retries(
            lambda: self._post_once(path, content, policy, stop), policy, stop
        )

    @contextmanager
    def opened(
        self,
        path: str,
        body: Mapping[str, object],
        policy: RetryPolicy,
        cancellation: Cancellation | None = None,
    ) -> Iterator[httpx.Response]:
        """A successful answer whose body is still to be read, closed at the end. A cancellation
        closes the connection, before or during the answer.

        Raises as `post` does; a request that times out is not retried.
        """
        self._check_key()
        content = _encoded(body)
        pending = _PendingRequest()
        with (cancellation or Cancellation()).ending(pending.end):
            response = self._with_retries(
                lambda: self._begin(path, content, policy, pending),
                policy,
                pending.stop,
            )
            try:
                yield response
            finally:
                response.close()

    def excerpt(self, body: bytes) -> str:
        """The beginning of a service's message, on one line and without the key."""
        text = _CONTROL.sub(" ", body[: 4 * _SAID].decode("utf-8", "replace")).strip()
        if self._endpoint.key:
            text = text.replace(self._endpoint.key, "…")
        return text[:_SAID] or "nothing more"

    def unavailable(self, reason: str, hint: str) -> ModelUnavailable:
        """An error that names the model and the host."""
        return ModelUnavailable(f"{self._endpoint.model} at {self.host}: {reason}", hint)

    @property
    def host(self) -> str:
        """The host that requests go to, with its port where the address names one."""
        return self._endpoint.host

    def _check_key(self) -> None:
        """Raise `ModelUnavailable` before anything is sent if the service's key is missing."""
        variable = self._endpoint.variable
        if variable and not self._endpoint.key:
            raise self.unavailable(
                f"its key is missing: {variable} is not set, so nothing was sent",
                f"Set {variable} in the environment, or name another variable: api_key_env under "
                f"{self._endpoint.table}.",
            )

    def _with_retries(
        self, once: Callable[[], _T], policy: RetryPolicy, stop: threading.Event
    ) -> _T:
        retrying = Retrying(
            retry=retry_if_exception_type(_MayPass),
            stop=stop_after_attempt(policy.tries) | stop_when_event_set(stop),
            wait=self._wait_of(policy),
            sleep=sleep_using_event(stop),
            reraise=True,
        )
        try:
            return retrying(once)
        except _MayPass as error:
            raise self.unavailable(str(error), self._hint_to_reach()) from error

    @cached_property
    def _http(self) -> httpx.Client:
        return httpx.Client(
            headers=self._headers(), follow_redirects=False, transport=DeadlineTransport()
        )

    @cached_property
    def _streams(self) -> httpx.Client:
        """A client with a connection for each request, so that it is known which one to cut."""
        return httpx.Client(
            headers=self._headers(),
            follow_redirects=False,
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    def _headers(self) -> dict[str, str]:
        key = self._endpoint.key
        headers = {"User-Agent": "citeloom"}
        return {**headers, "Authorization": f"Bearer {key}"} if key else headers

    def _post_once(
        self, path: str, content: bytes, policy: RetryPolicy, stop: threading.Event
    ) -> bytes:
        self._wait_for_turn(policy, stop)
        try:
            reply = exchange(self._http, self._url(path), content, policy.seconds)
        except httpx.TimeoutException as error:
            raise _MayPass(f"it did not answer within {policy.seconds:g} s") from error
        except httpx.RequestError as error:
            raise _MayPass(f"the connection failed ({error})") from error
        if reply.status == httpx.codes.OK:
            return reply.body
        raise self._failure(reply, policy)

    def _begin(
        self, path: str, content: bytes, policy: RetryPolicy, pending: _PendingRequest
    ) -> httpx.Response:
        self._wait_for_turn(policy, pending.stop)
        seconds = policy.seconds
        request = self._streams.build_request(
            "POST",
            self._url(path),
            content=content,
            headers={"Content-Type": "application/json", "Accept": "text/event-stream"},
            timeout=httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
            extensions={"trace": pending.trace},
        )
        try:
            response = self._streams.send(request, stream=True)
            if response.status_code == httpx.codes.OK:
                return response
            with closing(response):
                reply = read_whole(response, time.monotonic() + seconds, _LONGEST_REFUSAL)
        except (httpx.ReadTimeout, httpx.WriteTimeout) as error:
            reason = f"it did not begin to answer within {seconds:g} s"
            raise self.unavailable(reason, self._hint_to_reach()) from error
        except httpx.RequestError as error:
            raise _MayPass(f"the connection failed ({error})") from error
        except InvalidAnswer as error:
            raise self.unavailable(
                f"it refuses the request at length: {error}", self._hint_to_look()
            ) from error
        raise self._failure(reply, policy)

    def _url(self, path: str) -> str:
        return self._endpoint.base_url.rstrip("/") + path

    def _failure(self, reply: ServiceReply, policy: RetryPolicy) -> Exception:
        """The error to raise for an unsuccessful answer."""
        status = reply.status
        if status == httpx.codes.PAYMENT_REQUIRED or _EXHAUSTED.search(reply.body):
            return self.unavailable(
                f"the quota of the key is used up ({status}: {self.excerpt(reply.body)})",
                "Raise the limit or top up the account at the service, or use another model.",
            )
        if status in _UNAUTHORISED:
            return self._unauthorised(status)
        if status in _TOO_MUCH:
            return RequestRefused(f"{status}: {self.excerpt(reply.body)}", reply.body)
        if 300 <= status < 400:
            target = urlsplit(reply.headers.get("location", "")).netloc or "elsewhere"
            return self.unavailable(
                f"it redirects to {target}, and text is sent only where the configuration says",
                f"Set base_url under {self._endpoint.table} to the service itself.",
            )
        reason = f"it answered {status}: {self.excerpt(reply.body)}"
        if status in _TEMPORARY:
            return self._may_pass(reason, retry_after(reply.headers), policy)
        return self.unavailable(reason, self._hint_to_look())

    def _may_pass(self, reason: str, wait: float, policy: RetryPolicy) -> Exception:
        if wait > policy.longest_wait:
            return self.unavailable(
                f"{reason}; it asks to wait {wait:.0f} seconds",
                "Run it again after that time: nothing is lost.",
            )
        self._not_before = max(self._not_before, time.monotonic() + wait)
        return _MayPass(reason, wait)

    def _wait_for_turn(self, policy: RetryPolicy, stop: threading.Event) -> None:
        wait = self._not_before - time.monotonic()
        if wait > policy.longest_wait:
            raise self.unavailable(
                f"it asks to wait {wait:.0f} seconds", "Try again after that time."
            )
        if wait > 0:
            stop.wait(wait)

    def _wait_of(self, policy: RetryPolicy) -> Callable[[RetryCallState], float]:
        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            requested_wait = error.wait if isinstance(error, _MayPass) else 0.0
            return requested_wait or min(self._pause(state), policy.longest_wait)

        return wait

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

    def _hint_to_reach(self) -> str:
        return f"See that {self.host} runs and can be reached, then try again: nothing is lost."

    def _hint_to_look(self) -> str:
        return f"Look at base_url and the model's name under {self._endpoint.table}."


class _PendingRequest:
    """A request that another thread can cancel in any state."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._connection: object = None

    def trace(self, event: str, known: Mapping[str, object]) -> None:
        """Record the connection once it is open."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._connection = known["return_value"]
            if self.stop.is_set():
                cut(self._connection)

    def end(self) -> None:
        """Stop retrying and close the connection."""
        self.stop.set()
        cut(self._connection)


def _encoded(body: Mapping[str, object]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
