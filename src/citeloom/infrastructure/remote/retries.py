"""Requests to services, sent again while their failure may pass, and what a service says itself."""

from __future__ import annotations

import json
import math
import random
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from citeloom.infrastructure.remote.transport import EXCHANGE, DeadlineTransport, Exchange

EXPECTED = "citeloom_expected"
"""Request extension: statuses that are answers to this request, and no failures."""
POLICY = "citeloom_policy"
"""Request extension: a `RetryPolicy` other than the transport's."""
TEMPORARY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""The statuses of answers that a later try may change."""
QUOTA = re.compile(
    rb"insufficient_quota|billing_hard_limit|quota_exceeded|exceeded your current quota"
    rb"|credit balance|limited to \d+ API calls / month",
    re.IGNORECASE,
)
"""How services say that a quota is used up, which no later try changes."""

_CONNECT_SECONDS = 10.0
_LONGEST_PAUSE = 30.0
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often and how long a request is tried; times are in seconds.

    Each of the `tries` may take `seconds` until its answer is whole, and `silence` between two
    bytes of it. `longest_wait` is the longest time that a service may ask to wait; without such a
    time pauses grow from `first_pause` to 30. Requests are `interval` apart. With `streamed` the
    body of a successful answer is left to be read, and a request that times out is not sent again.
    """

    tries: int
    seconds: float
    longest_wait: float
    silence: float = math.inf
    interval: float = 0.0
    first_pause: float = 0.5
    most_bytes: int = 64 * _MEGABYTE
    streamed: bool = False

    def is_final(self, outcome: httpx.Response | Exception) -> bool:
        """Whether another try would change nothing."""
        if isinstance(outcome, httpx.Response):
            return outcome.status_code not in TEMPORARY or bool(QUOTA.search(outcome.content))
        return self.streamed and isinstance(outcome, httpx.ReadTimeout | httpx.WriteTimeout)

    @property
    def timeout(self) -> httpx.Timeout:
        """The timeouts of each step, as httpx has them."""
        seconds = min(self.seconds, self.silence)
        return httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The clock, random source (0 to 1) and sleep of retries, which ends when its event is set."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[threading.Event, float], object] = threading.Event.wait
    chance: Callable[[], float] = random.SystemRandom().random


class AnswerTooLarge(httpx.HTTPError):
    """An answer is larger than allowed; the rest of it is not read."""


class WaitTooLong(httpx.HTTPError):
    """The service asks to wait `seconds` before the next request; `reason` is its own sentence,
    empty where an earlier answer asked for it.
    """

    def __init__(self, seconds: float, reason: str = "") -> None:
        super().__init__(f"{reason}; it asks to wait {seconds:.0f} seconds".removeprefix("; "))
        self.seconds = seconds
        self.reason = reason


class RetryingTransport(httpx.BaseTransport):
    """Sends a request again while its failure may pass: a connection that fails, and the statuses
    408, 409, 425, 429, 500, 502 to 504 and 529. When a service asks to wait, by `Retry-After`,
    `Retry-After-Ms` or Zotero's `Backoff`, every request waits.

    The answer of the last try is returned whatever it says, and read whole. Raises
    `httpx.TransportError` when the last try has none, `AnswerTooLarge`, and `WaitTooLong`.
    """

    def __init__(self, policy: RetryPolicy, timing: Timing | None = None) -> None:
        self._policy = policy
        self._timing = timing or Timing()
        self._inner = DeadlineTransport()
        self._not_before = 0.0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        policy: RetryPolicy = request.extensions.get(POLICY, self._policy)
        exchange = request.extensions.get(EXCHANGE) or Exchange()
        timeout = policy.timeout.as_dict()
        request.extensions = {**request.extensions, EXCHANGE: exchange, "timeout": timeout}
        self._wait(0.0, policy, exchange.stop)
        for attempt in range(policy.tries):
            is_last, pause = attempt == policy.tries - 1, self._backoff(attempt, policy)
            exchange.allow(policy.seconds)
            try:
                response = _read(self._inner.handle_request(request), policy)
            except (httpx.TransportError, httpx.DecodingError) as error:
                if is_last or policy.is_final(error) or self._wait(pause, policy, exchange.stop):
                    raise
            else:
                requested = self._note_wait(response)
                expected = request.extensions.get(EXPECTED, ())
                if response.status_code in expected or policy.is_final(response):
                    return response
                if requested > policy.longest_wait:
                    sentence = sentence_of(response.content, secrets_of(request))
                    answer = f"it answered {response.status_code}: {sentence}"
                    raise WaitTooLong(requested, answer.removesuffix(": "))
                if is_last or self._wait(requested or pause, policy, exchange.stop):
                    return response
        raise AssertionError("the last try returns or raises")

    def close(self) -> None:
        self._inner.close()

    def _wait(self, pause: float, policy: RetryPolicy, stop: threading.Event) -> bool:
        """Wait for the pause, and as long as the service asked; return whether to stop instead."""
        until = self._timing.now() + pause
        while (wait := max(until, self._not_before) - self._timing.now()) > 0:
            if wait > policy.longest_wait:
                raise WaitTooLong(wait)
            if stop.is_set():
                break
            self._timing.sleep(stop, wait)
        self._not_before = max(self._not_before, self._timing.now() + policy.interval)
        return stop.is_set()

    def _note_wait(self, response: httpx.Response) -> float:
        """The seconds that an answer asks to wait; the header goes, since it is handled."""
        seconds = requested_wait(response.headers)
        for name in ("Backoff", "Retry-After", "Retry-After-Ms"):
            response.headers.pop(name, None)
        self._not_before = max(self._not_before, self._timing.now() + seconds)
        return seconds

    def _backoff(self, attempt: int, policy: RetryPolicy) -> float:
        """A pause that grows, with jitter, so that clients do not return all at once."""
        longest: float = min(policy.first_pause * 2**attempt, _LONGEST_PAUSE, policy.longest_wait)
        return longest * (0.5 + self._timing.chance() / 2)


def _read(response: httpx.Response, policy: RetryPolicy) -> httpx.Response:
    """The answer with its whole body, of at most `most_bytes` as declared and as unpacked; that of
    an error may have a megabyte.
    """
    if policy.streamed and response.is_success:
        return response
    with closing(response):
        declared = response.headers.get("Content-Length", "")
        most = policy.most_bytes if response.is_success else min(policy.most_bytes, _MEGABYTE)
        if declared.isdecimal() and int(declared) > most:
            raise _too_large(most)
        body = b"".join(bounded(response.iter_bytes(), most))
    headers = [
        (name, value)
        for name, value in response.headers.multi_items()
        if name not in ("content-encoding", "content-length", "transfer-encoding")
    ]
    return httpx.Response(response.status_code, headers=headers, content=body)


def bounded(parts: Iterable[bytes], most: int) -> Iterator[bytes]:
    """The parts of a body as they arrive; raises `AnswerTooLarge` behind so many bytes."""
    size = 0
    for part in parts:
        size += len(part)
        if size > most:
            raise _too_large(most)
        yield part


def _too_large(most: int) -> AnswerTooLarge:
    return AnswerTooLarge(f"it is longer than {most // _MEGABYTE} MB")


def requested_wait(headers: Mapping[str, str], now: datetime | None = None) -> float:
    """The seconds to wait by `Retry-After-Ms`, `Retry-After`, which is a number or a date, or
    `Backoff`; 0 without them, and for a value that cannot be read.
    """
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    header = headers.get("retry-after", "")
    if (seconds := _number(header)) is None:
        seconds = _until(header, now or datetime.now(UTC))
    return max(seconds, _number(headers.get("backoff", "")) or 0.0)


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < math.inf else None


def _until(date: str, now: datetime) -> float:
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return 0.0
    known = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, known.timestamp() - now.timestamp())


# What a service says itself.

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_TAG = re.compile(r"<[^>]*>")
_LONGEST_SENTENCE = 300
_SECRETS = ("authorization", "api-key", "zotero-api-key")
_SENTENCE_KEYS = ("message", "error", "detail")


def sentence_of(body: bytes, secrets: Iterable[str] = (), most: int = _LONGEST_SENTENCE) -> str:
    """The service's own sentence in a report of an error, on one line, without control characters
    and secrets: that of the usual keys of JSON, else the beginning of the text.
    """
    try:
        known = json.loads(body) if len(body) < _MEGABYTE else None
    except (ValueError, RecursionError):
        known = None
    text = _sentence_in(known) or body[: 16 * most].decode("utf-8", "replace")
    if text.lstrip().startswith("<"):
        text = _TAG.sub(" ", text)
    for secret in filter(None, secrets):
        text = text.replace(secret, "…")
    return " ".join(_CONTROL.sub(" ", text).split())[:most]


def _sentence_in(known: object) -> str:
    if isinstance(known, str):
        return known
    if not isinstance(known, dict):
        return ""
    status = known.get("status")
    places = [known.get(key) for key in _SENTENCE_KEYS] + [
        status if isinstance(status, dict) else ""
    ]
    return next(filter(None, map(_sentence_in, places)), "")


def secrets_of(request: httpx.Request) -> tuple[str, ...]:
    """The keys that a request carries in its headers."""
    values = (request.headers.get(name, "") for name in _SECRETS)
    return tuple(value.removeprefix("Bearer ") for value in values if value)
