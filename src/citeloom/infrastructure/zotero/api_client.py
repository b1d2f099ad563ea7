"""Zotero's API, version 3, local or on the web, with retries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx

from citeloom.application.limits import ZOTERO_LIMITS
from citeloom.domain.errors import LibraryRefused, SourceUnavailable
from citeloom.domain.zotero.items import ZoteroLibraryRef
from citeloom.infrastructure.remote.retries import (
    EXPECTED,
    TEMPORARY,
    RetryingTransport,
    RetryPolicy,
    Timing,
    WaitTooLong,
    secrets_of,
    sentence_of,
)

# Requests to Zotero, at a limited rate, and the errors of those that fail.

_VERSION = "3"
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
        spoken = response.headers.get("Zotero-API-Version", _VERSION)
        if spoken != _VERSION or status == 501:
            raise SourceUnavailable(
                f"Zotero at {request.url.netloc.decode()} has no version {_VERSION} of its API",
                'Update citeloom and Zotero, or read Zotero\'s database: access = "local".',
            )
        if status < 400 or status in request.extensions.get(EXPECTED, ()):
            return response
        if status in (401, 403):
            raise LibraryRefused(f"Zotero refuses access to {path}", self._hints.refused)
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


# Zotero's API, local or on the web.

Json = Mapping[str, Any]

T = TypeVar("T")

_TRIES_FOR_CONSISTENCY = 3
_PAGE = 100
_BEFORE_THE_LOG = 409
"""What Zotero answers where what was deleted is asked of a time before it noted that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes of a library up to `version`: current entries, and removed keys. Where Zotero no
    longer knows what was removed, `left` has the keys of all that is still there.
    """

    version: int
    items: tuple[Json, ...] = ()
    collections: tuple[Json, ...] = ()
    deleted: frozenset[str] = frozenset()
    left: frozenset[str] | None = None

    def keeps(self, key: str) -> bool:
        """Whether an entry that was there before still is."""
        return key not in self.deleted and (self.left is None or key in self.left)


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


@dataclass(frozen=True, slots=True)
class _Reading:
    """A reading of one library, and the versions of it that the answers name."""

    http: httpx.Client
    root: str
    versions: set[int] = field(default_factory=set)

    def pages(
        self, path: str, *, known: int = 0, expected: tuple[int, ...] = (), **query: object
    ) -> Iterator[Any]:
        """The pages of an answer, each the one that the `Link` of the one before names; none where
        the library still has the version `known`, and for a status that is `expected`.
        """
        url = httpx.URL(f"{self.root}/{path}")
        extensions = {EXPECTED: expected}
        answer = self.http.get(
            url,
            params={name: str(value) for name, value in query.items()},
            headers={"If-Modified-Since-Version": str(known)} if known else {},
            extensions=extensions,
        )
        while answer.status_code not in (304, *expected):
            self.versions.add(int(answer.headers.get("Last-Modified-Version", 0)))
            if "json" not in answer.headers.get("Content-Type", ""):
                raise TypeError("it is not JSON")
            yield answer.json()
            following = answer.links.get("next")
            if following is None:
                return
            # the key goes to the host of the settings, whatever a link says
            query_of_next = httpx.URL(following["url"]).query
            answer = self.http.get(url.copy_with(query=query_of_next), extensions=extensions)
        if answer.status_code == 304:
            self.versions.add(known)

    def entries(self, path: str, **query: Any) -> tuple[Json, ...]:
        pages = (_of_type(list, page) for page in self.pages(path, **query))
        return tuple(entry for page in pages for entry in page)

    def deleted(self, since: int) -> frozenset[str] | None:
        """The keys of items and collections that were deleted since a version, None where Zotero's
        log begins later.
        """
        pages = [*self.pages("deleted", since=since, expected=(_BEFORE_THE_LOG,))]
        return frozenset((*pages[0]["items"], *pages[0]["collections"])) if pages else None

    def keys(self, path: str) -> frozenset[str]:
        pages = self.pages(path, format="versions", includeTrashed=1)
        return frozenset(key for page in pages for key in _of_type(dict, page))


class ApiClient:
    """A client of one Zotero API for one user. Every method may raise `SourceUnavailable`, and
    those that read a library `LibraryRefused`.
    """

    def __init__(
        self, url: str, policy: RequestPolicy, *, key: str = "", timing: Timing | None = None
    ) -> None:
        headers = {"Zotero-API-Version": _VERSION, "User-Agent": "citeloom"}
        self.url = url.rstrip("/")
        self.http = httpx.Client(
            transport=ZoteroTransport(policy, timing),
            headers={**headers, "Authorization": f"Bearer {key}"} if key else headers,
            follow_redirects=True,
        )
        self._user = "" if key else "0"

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
        groups = self._reading(ZoteroLibraryRef()).entries("groups", limit=_PAGE)
        refs = (
            ZoteroLibraryRef(group_id=group["id"], name=group["data"]["name"]) for group in groups
        )
        return (ZoteroLibraryRef(name="My Library"), *sorted(refs))

    @checked_answer()
    def everything(self, library: ZoteroLibraryRef) -> Changes:
        """The whole content of a local library, whose version does not reflect its changes."""
        reading = self._reading(library)
        items, collections = reading.entries("items"), reading.entries("collections")
        return Changes(version=0, items=items, collections=collections)

    @checked_answer()
    def changes(self, library: ZoteroLibraryRef, since: int) -> Changes:
        """A consistent set of changes of a library on the web since a version."""
        query = {"since": since, "includeTrashed": 1, "limit": _PAGE}
        for _ in range(_TRIES_FOR_CONSISTENCY):
            reading = self._reading(library)
            items = reading.entries("items", known=since, **query)
            if reading.versions == {since}:
                return Changes(version=since)
            collections = reading.entries("collections", **query)
            deleted, left = reading.deleted(since) if since else frozenset[str](), None
            if deleted is None:
                left = reading.keys("items") | reading.keys("collections")
            if len(reading.versions) == 1:
                return Changes(
                    version=reading.versions.pop(),
                    items=items,
                    collections=collections,
                    deleted=deleted or frozenset(),
                    left=left,
                )
        raise SourceUnavailable(
            f"the library {library.path} kept changing while it was read",
            "Wait until Zotero has finished synchronising, and try again.",
        )

    @checked_answer()
    def searches(self, library: ZoteroLibraryRef) -> tuple[Json, ...]:
        """The saved searches of a library."""
        return self._reading(library).entries("searches", limit=_PAGE)

    def file(self, library: ZoteroLibraryRef, key: str, part: str = "file") -> httpx.Response:
        """The response to a request for an attachment's file; 404 if there is none."""
        return self.http.get(
            f"{self._root(library)}/items/{key}/{part}", extensions={EXPECTED: (404,)}
        )

    def _reading(self, library: ZoteroLibraryRef) -> _Reading:
        return _Reading(self.http, self._root(library))

    def _root(self, library: ZoteroLibraryRef) -> str:
        whose = f"groups/{library.group_id}" if library.group_id else f"users/{self.user}"
        return f"{self.url}/{whose}"


def _of_type(kind: type[T], page: object) -> T:
    if not isinstance(page, kind):
        raise TypeError(f"no {kind.__name__} of entries: {type(page).__name__}")
    return page
