"""One request to a service and its answer, bounded in time and size."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import httpx

from citeloom.infrastructure.embedding.remote.dialect import InvalidAnswer

_MOST_BYTES = 64_000_000
_CONNECT_SECONDS = 10.0


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
    timeout = httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    with http.stream("POST", url, content=content, headers=headers, timeout=timeout) as response:
        body = b"".join(_bounded(response, until, most_bytes))
        return Reply(status=response.status_code, headers=response.headers, body=body)


def _bounded(response: httpx.Response, until: float, most_bytes: int) -> Iterator[bytes]:
    read = 0
    for part in response.iter_bytes():
        read += len(part)
        if read > most_bytes:
            raise InvalidAnswer(f"it is longer than {most_bytes // 1_000_000} MB")
        if time.monotonic() > until:
            raise httpx.ReadTimeout("the whole answer took too long")
        yield part
