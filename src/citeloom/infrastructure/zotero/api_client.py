"""Zotero's API, local or on the web, through pyzotero, with retries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from pyzotero import zotero as pyzotero

from citeloom.application.limits import ZOTERO_LIMITS
from citeloom.domain.errors import SourceUnavailable
from citeloom.domain.zotero.items import ZoteroLibraryRef
from citeloom.infrastructure.remote.retries import (
    TEMPORARY,
    RetryingTransport,
    RetryPolicy,
    Timing,
    WaitTooLong,
    secrets_of,
    sentence_of,
)

# Requests to Zotero, at a limited rate, and the errors of those that fail.

MAY_BE_ABSENT = "citeloom_may_be_absent"
"""Request extension: a 404 is an answer, not a failure."""
_FIRST_PAUSE = 1.0
_LONGEST_WAIT = 300.0
_LONGEST_ANSWER = 3600.0
"""Seconds until the largest file has been read whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPolicy:
    """Seconds between requests, tries of each, the timeout in seconds, and the largest response
    in bytes.

    `refused` and `unreachable` are the hints for these two failures.
    """

    interval: float
    tries: int
    timeout: float
    refused: str
    unreachable: str
    most_bytes: int = ZOTERO_LIMITS.most_bytes


class ZoteroTransport(RetryingTransport):
    """Requests that raise `SourceUnavailable` when the last try fails, when Zotero asks to wait
    more than five minutes, and for the status of an error.
    """

    def __init__(self, policy: RequestPolicy, timing: Timing | None = None) -> None:
        retries = RetryPolicy(
            tries=policy.tries,
            seconds=_LONGEST_ANSWER,
            silence=policy.timeout,
            longest_wait=_LONGEST_WAIT,
            interval=policy.interval,
            first_pause=_FIRST_PAUSE,
            most_bytes=policy.most_bytes,
        )
        super().__init__(retries, timing)
        self._hints = policy

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            response = super().handle_request(request)
        except WaitTooLong as error:
            raise SourceUnavailable(
                f"Zotero asks to wait {error.seconds:.0f} seconds before the next request",
                "Try again after that time; what was read or downloaded so far is kept.",
            ) from error
        except (httpx.TransportError, httpx.DecodingError) as error:
            late = isinstance(error, httpx.TimeoutException)
            reason = "did not answer in time" if late else "failed"
            host = request.url.netloc.decode()
            raise SourceUnavailable(
                f"the connection to Zotero at {host} {reason}: {error}".rstrip(": "),
                self._hints.unreachable,
            ) from error
        status, path = response.status_code, request.url.path
        if status < 400 or (status == 404 and MAY_BE_ABSENT in request.extensions):
            return response
        if status in (401, 403):
            raise SourceUnavailable(f"Zotero refuses access to {path}", self._hints.refused)

        if status == 404:
            raise SourceUnavailable(
                f"Zotero has nothing at {path}",
                "The library may have been deleted, or the key may not have access to it.",
            )
        sentence = sentence_of(response.content, secrets_of(request))
        raise SourceUnavailable(
            f"Zotero answered {status} to a request for {path}: {sentence}".removesuffix(": "),
            "Try again later." if status in TEMPORARY else "Update citeloom and Zotero.",
        )


# Zotero's API, local or on the web, through pyzotero.

Json = Mapping[str, Any]

_TRIES_FOR_CONSISTENCY = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes of a library up to `version`: current entries, and removed keys."""

    version: int
    items: tuple[Json, ...] = ()
    collections: tuple[Json, ...] = ()
    deleted: frozenset[str] = frozenset()


@contextmanager
def checked_answer() -> Iterator[None]:
    """Raise `SourceUnavailable` when an answer is not one of Zotero's API."""
    try:
        yield
    except (ValueError, KeyError, TypeError, httpx.HTTPError, httpx.InvalidURL) as error:
        raise SourceUnavailable(
            "the answer is not from Zotero's API",
            "Another program may use its port, a proxy may have answered, or an address in "
            "[zotero] may be wrong.",
        ) from error


class ApiClient:
    """A client of one Zotero API for one user. Every method may raise `SourceUnavailable`."""

    def __init__(
        self, url: str, policy: RequestPolicy, *, key: str = "", timing: Timing | None = None
    ) -> None:
        headers = {"Zotero-API-Version": "3", "User-Agent": "citeloom"}
        self.url = url.rstrip("/")
        self.http = httpx.Client(
            transport=ZoteroTransport(policy, timing),
            headers={**headers, "Authorization": f"Bearer {key}"} if key else headers,
            follow_redirects=True,
        )
        self._local = not key
        self._user = "0" if self._local else ""
        self._clients: dict[ZoteroLibraryRef, pyzotero.Zotero] = {}

    @property
    @checked_answer()
    def user(self) -> str:
        """The user's id: 0 for the local API, on the web that of the API key's owner."""
        if not self._user:
            owner = self.http.get(f"{self.url}/keys/current").json()
            self._user = str(owner["userID"])
        return self._user

    @checked_answer()
    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        """The user's own library and the groups by id."""
        api = self._library(ZoteroLibraryRef())
        groups = sorted(
            ZoteroLibraryRef(group_id=group["id"], name=group["data"]["name"])
            for page in self._pages(api, api.groups())
            for group in page
        )
        return (ZoteroLibraryRef(name="My Library"), *groups)

    @checked_answer()
    def everything(self, library: ZoteroLibraryRef) -> Changes:
        """The whole content of a local library, whose version does not reflect its changes."""
        api = self._library(library)
        items = self._list(api, api.items(limit=None))
        collections = self._list(api, api.collections(limit=None))
        return Changes(version=0, items=items, collections=collections)

    @checked_answer()
    def changes(self, library: ZoteroLibraryRef, since: int) -> Changes:
        """A consistent set of changes of a library on the web since a version."""
        for _ in range(_TRIES_FOR_CONSISTENCY):
            api, versions = self._library(library), set[int]()
            items = self._list(api, api.items(since=since, includeTrashed=1), versions)
            if versions == {since}:
                return Changes(version=since)
            collections = self._list(api, api.collections(since=since), versions)
            removed = api.deleted(since=since)
            versions.add(_version(api))
            if len(versions) == 1:
                deleted = frozenset((*removed["items"], *removed["collections"]))
                return Changes(
                    version=versions.pop(), items=items, collections=collections, deleted=deleted
                )
        raise SourceUnavailable(
            f"the library {library.path} kept changing while it was read",
            "Wait until Zotero has finished synchronising, and try again.",
        )

    def file(self, library: ZoteroLibraryRef, key: str, part: str = "file") -> httpx.Response:
        """The response to a request for an attachment's file; 404 if there is none."""
        api = self._library(library)
        return self.http.get(
            f"{self.url}/{api.library_type}/{api.library_id}/items/{key}/{part}",
            extensions={MAY_BE_ABSENT: True},
        )

    def _library(self, library: ZoteroLibraryRef) -> pyzotero.Zotero:
        """The pyzotero client of a library, kept since it closes the connection when deleted."""
        if library not in self._clients:
            kind, number = ("group", library.group_id) if library.group_id else ("user", self.user)
            api = pyzotero.Zotero(number, kind, local=self._local, client=self.http)
            api.endpoint = self.url
            self._clients[library] = api
        return self._clients[library]

    def _list(
        self, api: pyzotero.Zotero, first: object, versions: set[int] | None = None
    ) -> tuple[Json, ...]:
        """The entries of all pages; `versions` collects the library versions of the pages."""
        entries: list[Json] = []
        for page in self._pages(api, first):
            entries += page
            if versions is not None:
                versions.add(_version(api))
        return tuple(entries)

    def _pages(self, api: pyzotero.Zotero, first: object) -> Iterator[list[Json]]:
        yield self._page(first)
        for page in api.iterfollow():
            yield self._page(page)

    def _page(self, answer: object) -> list[Json]:
        if not isinstance(answer, list):
            raise TypeError(f"no list of entries: {type(answer).__name__}")
        return answer


def _version(api: pyzotero.Zotero) -> int:
    return int(api.request.headers.get("Last-Modified-Version", 0)) if api.request else 0
