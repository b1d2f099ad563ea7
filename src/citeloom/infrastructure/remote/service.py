"""Requests to a service that runs a model, tried again when the failure may pass."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar
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

from citeloom.application.cancellation import Cancellation
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.remote.exchange import (
    CONNECT_SECONDS,
    InvalidAnswer,
    Reply,
    exchange,
    read_whole,
)
from citeloom.infrastructure.remote.time_limit import cut
from citeloom.infrastructure.remote.waits import asked_to_wait

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
    """The service takes the request for invalid or too large; the message is its own, `body` all
    that it said.
    """

    def __init__(self, reason: str, body: bytes = b"") -> None:
        super().__init__(reason)
        self.body = body


class _MayPass(Exception):
    """A failure after which the request is worth trying again, after so many seconds."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often a request is tried, how long each may take, and the longest wait in between."""

    tries: int
    seconds: float
    longest_wait: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Where a service is and the key to it; `variable` is where the key comes from, or may, and
    `table` that of the configuration which says so.
    """

    url: str
    table: str
    key: str = field(default="", repr=False)
    variable: str = ""


class Service:
    """A service at one address, for any number of threads.

    When it asks to wait, every request waits. The text of errors never holds the key.
    """

    def __init__(self, model_id: str, access: Access, *, first_pause: float = _FIRST_PAUSE) -> None:
        self._model_id = model_id
        self._access = access
        self._host = urlsplit(access.url).netloc
        self._pause = wait_exponential_jitter(
            multiplier=first_pause, max=_LONGEST_PAUSE, jitter=first_pause
        )
        self._not_before = 0.0

    def post(
        self,
        path: str,
        body: Mapping[str, object],
        patience: Patience,
        abandoned: threading.Event | None = None,
    ) -> bytes:
        """The body of a successful answer. Once `abandoned` is set, no request is tried again: what
        is under way ends with its present try.

        Raises `RequestRefused` for 400, 413 and 422, and `ModelUnavailable` where another try
        would not help, or the last one failed.
        """
        self._check_key()
        content = _encoded(body)
        stop = abandoned or threading.Event()
        return self._tried(lambda: self._once(path, content, patience, stop), patience, stop)

    @contextmanager
    def opened(
        self,
        path: str,
        body: Mapping[str, object],
        patience: Patience,
        cancellation: Cancellation | None = None,
    ) -> Iterator[httpx.Response]:
        """A successful answer of which the body is still to be read, closed at the end. A
        cancellation cuts the connection, whether the answer has begun or not.

        Raises as `post` does; a service that keeps silent is not asked again.
        """
        self._check_key()
        content = _encoded(body)
        asked = _Asked()
        with (cancellation or Cancellation()).ending(asked.end):
            response = self._tried(
                lambda: self._begun(path, content, patience, asked), patience, asked.stop
            )
            try:
                yield response
            finally:
                response.close()

    def said(self, body: bytes) -> str:
        """The beginning of what the service said, on one line and without the key."""
        text = _CONTROL.sub(" ", body[: 4 * _SAID].decode("utf-8", "replace")).strip()
        if self._access.key:
            text = text.replace(self._access.key, "…")
        return text[:_SAID] or "nothing more"

    def unavailable(self, reason: str, hint: str) -> ModelUnavailable:
        """An error that names the model and the host."""
        return ModelUnavailable(f"{self._model_id} at {self.host}: {reason}", hint)

    @property
    def host(self) -> str:
        """The host that requests go to, with its port where the address names one."""
        return self._host

    def _check_key(self) -> None:
        """Raise `ModelUnavailable` before anything is sent where the key that belongs to it is
        missing.
        """
        variable = self._access.variable
        if variable and not self._access.key:
            raise self.unavailable(
                f"its key is missing: {variable} is not set, so nothing was sent",
                f"Set {variable} in the environment, or name another variable: api_key_env under "
                f"{self._access.table}.",
            )

    def _tried(self, once: Callable[[], _T], patience: Patience, stop: threading.Event) -> _T:
        retrying = Retrying(
            retry=retry_if_exception_type(_MayPass),
            stop=stop_after_attempt(patience.tries) | stop_when_event_set(stop),
            wait=self._wait_of(patience),
            sleep=sleep_using_event(stop),
            reraise=True,
        )
        try:
            return retrying(once)
        except _MayPass as error:
            raise self.unavailable(str(error), self._hint_to_reach()) from error

    @cached_property
    def _http(self) -> httpx.Client:
        return httpx.Client(headers=self._headers(), follow_redirects=False)

    @cached_property
    def _streams(self) -> httpx.Client:
        """A client with a connection for each request, so that it is known which one to cut."""
        return httpx.Client(
            headers=self._headers(),
            follow_redirects=False,
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    def _headers(self) -> dict[str, str]:
        key = self._access.key
        headers = {"User-Agent": "citeloom"}
        return {**headers, "Authorization": f"Bearer {key}"} if key else headers

    def _once(self, path: str, content: bytes, patience: Patience, stop: threading.Event) -> bytes:
        self._wait_for_turn(patience, stop)
        try:
            reply = exchange(self._http, self._url(path), content, patience.seconds)
        except httpx.TimeoutException as error:
            raise _MayPass(f"it did not answer within {patience.seconds:g} s") from error
        except httpx.RequestError as error:
            raise _MayPass(f"the connection failed ({error})") from error
        if reply.status == httpx.codes.OK:
            return reply.body
        raise self._failure(reply, patience)

    def _begun(
        self, path: str, content: bytes, patience: Patience, asked: _Asked
    ) -> httpx.Response:
        self._wait_for_turn(patience, asked.stop)
        seconds = patience.seconds
        request = self._streams.build_request(
            "POST",
            self._url(path),
            content=content,
            headers={"Content-Type": "application/json", "Accept": "text/event-stream"},
            timeout=httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
            extensions={"trace": asked.trace},
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
        raise self._failure(reply, patience)

    def _url(self, path: str) -> str:
        return self._access.url.rstrip("/") + path

    def _failure(self, reply: Reply, patience: Patience) -> Exception:
        """What to raise for an answer that is no success."""
        status = reply.status
        if status == httpx.codes.PAYMENT_REQUIRED or _EXHAUSTED.search(reply.body):
            return self.unavailable(
                f"the quota of the key is used up ({status}: {self.said(reply.body)})",
                "Raise the limit or top up the account at the service, or use another model.",
            )
        if status in _UNAUTHORISED:
            return self._unauthorised(status)
        if status in _TOO_MUCH:
            return RequestRefused(f"{status}: {self.said(reply.body)}", reply.body)
        if 300 <= status < 400:
            target = urlsplit(reply.headers.get("location", "")).netloc or "elsewhere"
            return self.unavailable(
                f"it redirects to {target}, and text is sent only where the configuration says",
                f"Set base_url under {self._access.table} to the service itself.",
            )
        reason = f"it answered {status}: {self.said(reply.body)}"
        if status in _TEMPORARY:
            return self._may_pass(reason, asked_to_wait(reply.headers), patience)
        return self.unavailable(reason, self._hint_to_look())

    def _may_pass(self, reason: str, wait: float, patience: Patience) -> Exception:
        if wait > patience.longest_wait:
            return self.unavailable(
                f"{reason}; it asks to wait {wait:.0f} seconds",
                "Run it again after that time: nothing is lost.",
            )
        self._not_before = max(self._not_before, time.monotonic() + wait)
        return _MayPass(reason, wait)

    def _wait_for_turn(self, patience: Patience, stop: threading.Event) -> None:
        wait = self._not_before - time.monotonic()
        if wait > patience.longest_wait:
            raise self.unavailable(
                f"it asks to wait {wait:.0f} seconds", "Try again after that time."
            )
        if wait > 0:
            stop.wait(wait)

    def _wait_of(self, patience: Patience) -> Callable[[RetryCallState], float]:
        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            asked = error.wait if isinstance(error, _MayPass) else 0.0
            return asked or min(self._pause(state), patience.longest_wait)

        return wait

    def _unauthorised(self, status: int) -> ModelUnavailable:
        variable = self._access.variable
        if self._access.key:
            return self.unavailable(
                f"it refuses the key in {variable} ({status})", f"Check the key in {variable}."
            )
        return self.unavailable(
            f"it wants a key ({status})",
            f"Set {variable} in the environment."
            if variable
            else f"Name the variable that holds it: api_key_env under {self._access.table}.",
        )

    def _hint_to_reach(self) -> str:
        return f"See that {self._host} runs and can be reached, then try again: nothing is lost."

    def _hint_to_look(self) -> str:
        return f"Look at base_url and the model's name under {self._access.table}."


class _Asked:
    """A request that may be ended from another thread, in whatever state it is."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._connection: object = None

    def trace(self, event: str, known: Mapping[str, object]) -> None:
        """Take notice of the connection, once there is one."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._connection = known["return_value"]
            if self.stop.is_set():
                cut(self._connection)

    def end(self) -> None:
        """Try no more, and cut the connection."""
        self.stop.set()
        cut(self._connection)


def _encoded(body: Mapping[str, object]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
