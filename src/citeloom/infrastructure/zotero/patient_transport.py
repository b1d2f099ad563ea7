"""Requests to Zotero at the pace it asks for, tried again when they fail in passing."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx

from citeloom.domain.errors import SourceUnavailable

_PASSING = frozenset({429, 500, 502, 503, 504})
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 30.0
_LONGEST_WAIT = 300.0
MAY_BE_ABSENT = "citeloom_may_be_absent"
"""Extension of a request whose answer 404 is no failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """What tells the time, sleeps, and draws a number from 0 to 1."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.SystemRandom().random


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """Seconds between two requests, tries of each, seconds to wait for an answer; the most bytes
    that an answer may have.

    `refused` and `unreachable` are hints for those two failures.
    """

    interval: float
    tries: int
    timeout: float
    refused: str
    unreachable: str
    most_bytes: int = 500_000_000


class AnswerTooLarge(httpx.HTTPError):
    """More comes than was agreed to take; the rest is not read."""


class PatientTransport(httpx.BaseTransport):
    """Sends requests no faster than wanted, and waits as long as `Backoff` and `Retry-After` say.

    Answers are read whole. Cut connections, timeouts, 429 and 5xx are tried again, each time
    after a longer pause. Raises `AnswerTooLarge` before more is read than may be, and
    `SourceUnavailable` when the last try fails, when Zotero wants
    more than five minutes, and for every other refusal.
    """

    def __init__(self, manners: Manners, timing: Timing) -> None:
        self._manners = manners
        self._timing = timing
        self._inner = httpx.HTTPTransport()
        self._not_before = 0.0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        seconds = httpx.Timeout(self._manners.timeout)
        request.extensions = {**request.extensions, "timeout": seconds.as_dict()}
        for left in range(self._manners.tries - 1, -1, -1):
            self._wait()
            try:
                response = self._inner.handle_request(request)
                _read(response, self._manners.most_bytes)
            except httpx.TransportError as error:
                if not left:
                    raise self._unreachable(request, error) from error
            else:
                self._heed(response)
                if response.status_code not in _PASSING or not left:
                    return self._accepted(request, response)
            self._pause(self._manners.tries - 1 - left)
        raise AssertionError("the last try returns or raises")

    def close(self) -> None:
        self._inner.close()

    def _wait(self) -> None:
        wait = self._not_before - self._timing.now()
        if wait > _LONGEST_WAIT:
            raise SourceUnavailable(
                f"Zotero asks to be left alone for {wait:.0f} seconds",
                "Try again then; what was read or downloaded so far is kept.",
            )
        if wait > 0:
            self._timing.sleep(wait)
        self._not_before = self._timing.now() + self._manners.interval

    def _heed(self, response: httpx.Response) -> None:
        """Note how long Zotero wants no request, and take the header away: it is dealt with."""
        for name in ("Backoff", "Retry-After"):
            seconds = response.headers.pop(name, "")
            if seconds.isdecimal():
                self._hold(float(seconds))

    def _pause(self, tries: int) -> None:
        """Twice as long after each failure, give or take, lest many clients return at once."""
        longest = min(_FIRST_PAUSE * 2**tries, _LONGEST_PAUSE)
        self._hold(longest * (0.5 + self._timing.chance() / 2))

    def _hold(self, seconds: float) -> None:
        self._not_before = max(self._not_before, self._timing.now() + seconds)

    def _accepted(self, request: httpx.Request, response: httpx.Response) -> httpx.Response:
        status, path = response.status_code, request.url.path
        if status < 400 or (status == 404 and MAY_BE_ABSENT in request.extensions):
            return response
        if status in (401, 403):
            raise SourceUnavailable(f"Zotero refuses to give {path}", self._manners.refused)
        if status == 404:
            raise SourceUnavailable(
                f"Zotero has nothing at {path}",
                "The library may be gone, or the key not allowed to see it.",
            )
        raise SourceUnavailable(
            f"Zotero answered {status} to a request for {path}",
            "Try again later." if status in _PASSING else "Update citeloom and Zotero.",
        )

    def _unreachable(
        self, request: httpx.Request, error: httpx.TransportError
    ) -> SourceUnavailable:
        reason = "did not answer in time" if isinstance(error, httpx.TimeoutException) else "failed"
        host = request.url.netloc.decode()
        return SourceUnavailable(
            f"the connection to Zotero at {host} {reason}: {error}".rstrip(": "),
            self._manners.unreachable,
        )


def _read(response: httpx.Response, most: int) -> None:
    """Read the answer, up to so many bytes; Zotero may have announced more, or just send them."""
    announced = response.headers.get("Content-Length", "")
    if announced.isdecimal() and int(announced) > most:
        response.close()
        raise AnswerTooLarge(f"{int(announced)} bytes were announced, {most} are taken")
    assert isinstance(response.stream, httpx.SyncByteStream)
    response.stream = _Bounded(response.stream, most)
    try:
        response.read()
    finally:
        response.close()


class _Bounded(httpx.SyncByteStream):
    """A stream that ends with `AnswerTooLarge` behind so many bytes."""

    def __init__(self, stream: httpx.SyncByteStream, most: int) -> None:
        self._stream = stream
        self._most = most

    def __iter__(self) -> Iterator[bytes]:
        read = 0
        for part in self._stream:
            read += len(part)
            if read > self._most:
                raise AnswerTooLarge(f"more than {self._most} bytes came")
            yield part

    def close(self) -> None:
        self._stream.close()
