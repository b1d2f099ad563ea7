"""One request to a service and its answer, bounded in time and size."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import httpx

_MOST_BYTES = 64_000_000
CONNECT_SECONDS = 10.0


class InvalidAnswer(Exception):
    """The service's answer is not what was asked for; the message says how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A service's answer, read whole."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def exchange(
    http: httpx.Client, url: str, content: bytes, seconds: float, most_bytes: int = _MOST_BYTES
) -> Reply:
    """Post JSON and read the whole answer within `seconds`.

    Raises `httpx.TransportError` for a connection that fails, ends early or is too slow, and
    `InvalidAnswer` for an answer of more than `most_bytes`.
    """
    until = time.monotonic() + seconds
    timeout = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    with http.stream("POST", url, content=content, headers=headers, timeout=timeout) as response:
        return read_whole(response, until, most_bytes)


def read_whole(response: httpx.Response, until: float, most_bytes: int = _MOST_BYTES) -> Reply:
    """What is left of an answer, until a time of the monotonic clock. Raises as `exchange` does."""
    body = b"".join(bounded(response, until, most_bytes))
    return Reply(status=response.status_code, headers=response.headers, body=body)


def bounded(response: httpx.Response, until: float, most_bytes: int) -> Iterator[bytes]:
    """The parts of an answer as they come. Raises as `exchange` does."""
    read = 0
    for part in response.iter_bytes():
        read += len(part)
        if read > most_bytes:
            raise InvalidAnswer(f"it is longer than {most_bytes // 1_000_000} MB")
        if time.monotonic() > until:
            raise httpx.ReadTimeout("the whole answer took too long")
        yield part
