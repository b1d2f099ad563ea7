"""Zotero's API, local or on the web, through pyzotero."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from pyzotero import zotero as pyzotero

from citeloom.domain.errors import SourceUnavailable
from citeloom.domain.zotero import ZoteroLibraryRef
from citeloom.infrastructure.zotero.retrying_transport import (
    MAY_BE_ABSENT,
    RequestPolicy,
    RetryingTransport,
    Timing,
)

Json = Mapping[str, Any]

_TRIES_FOR_CONSISTENCY = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes of a library up to `version`: current entries, and removed keys."""

    version: int
    items: tuple[Json, ...] = ()
    collections: tuple[Json, ...] = ()
    gone: frozenset[str] = frozenset()


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

    def __init__(self, url: str, policy: RequestPolicy, *, key: str = "", timing: Timing) -> None:
        headers = {"Zotero-API-Version": "3", "User-Agent": "citeloom"}
        self.url = url.rstrip("/")
        self.http = httpx.Client(
            transport=RetryingTransport(policy, timing),
            headers={**headers, "Authorization": f"Bearer {key}"} if key else headers,
            follow_redirects=True,
        )
        self._local = not key
        self._user = "0" if self._local else ""
        self._asked: dict[ZoteroLibraryRef, pyzotero.Zotero] = {}

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
        asked = self._library(ZoteroLibraryRef())
        groups = sorted(
            ZoteroLibraryRef(group_id=group["id"], name=group["data"]["name"])
            for page in self._pages(asked, asked.groups())
            for group in page
        )
        return (ZoteroLibraryRef(name="My Library"), *groups)

    @checked_answer()
    def everything(self, library: ZoteroLibraryRef) -> Changes:
        """The whole content of a local library, whose version does not reflect its changes."""
        asked = self._library(library)
        items = self._list(asked, asked.items(limit=None))
        collections = self._list(asked, asked.collections(limit=None))
        return Changes(version=0, items=items, collections=collections)

    @checked_answer()
    def changes(self, library: ZoteroLibraryRef, since: int) -> Changes:
        """A consistent set of changes of a library on the web since a version."""
        for _ in range(_TRIES_FOR_CONSISTENCY):
            asked, versions = self._library(library), set[int]()
            items = self._list(asked, asked.items(since=since, includeTrashed=1), versions)
            if versions == {since}:
                return Changes(version=since)
            collections = self._list(asked, asked.collections(since=since), versions)
            deleted = asked.deleted(since=since)
            versions.add(_version(asked))
            if len(versions) == 1:
                gone = frozenset((*deleted["items"], *deleted["collections"]))
                return Changes(
                    version=versions.pop(), items=items, collections=collections, gone=gone
                )
        raise SourceUnavailable(
            f"the library {library.path} kept changing while it was read",
            "Wait until Zotero has finished synchronising, and try again.",
        )

    def file(self, library: ZoteroLibraryRef, key: str, part: str = "file") -> httpx.Response:
        """The response to a request for an attachment's file; 404 if there is none."""
        asked = self._library(library)
        return self.http.get(
            f"{self.url}/{asked.library_type}/{asked.library_id}/items/{key}/{part}",
            extensions={MAY_BE_ABSENT: True},
        )

    def _library(self, library: ZoteroLibraryRef) -> pyzotero.Zotero:
        """The pyzotero client of a library, kept since it closes the connection when deleted."""
        if library not in self._asked:
            kind, number = ("group", library.group_id) if library.group_id else ("user", self.user)
            asked = pyzotero.Zotero(number, kind, local=self._local, client=self.http)
            asked.endpoint = self.url
            self._asked[library] = asked
        return self._asked[library]

    def _list(
        self, asked: pyzotero.Zotero, first: object, versions: set[int] | None = None
    ) -> tuple[Json, ...]:
        """The entries of all pages; `versions` collects the library versions of the pages."""
        entries: list[Json] = []
        for page in self._pages(asked, first):
            entries += page
            if versions is not None:
                versions.add(_version(asked))
        return tuple(entries)

    def _pages(self, asked: pyzotero.Zotero, first: object) -> Iterator[list[Json]]:
        yield self._page(first)
        for page in asked.iterfollow():
            yield self._page(page)

    def _page(self, answer: object) -> list[Json]:
        if not isinstance(answer, list):
            raise TypeError(f"no list of entries: {type(answer).__name__}")
        return answer


def _version(asked: pyzotero.Zotero) -> int:
    """The library's version in the last response."""
    return int(asked.request.headers.get("Last-Modified-Version", 0)) if asked.request else 0
