"""The running Zotero, read through its local API and Better BibTeX's JSON-RPC."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import httpx

from citeloom.application.limits import ZOTERO_LIMITS
from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.domain.errors import SourceUnavailable
from citeloom.domain.zotero.items import (
    EVERYTHING,
    ContentScope,
    ZoteroAttachment,
    ZoteroContent,
    ZoteroLibraryRef,
)
from citeloom.infrastructure.remote.retries import EXPECTED, Timing
from citeloom.infrastructure.zotero.api_client import (
    ApiClient,
    Json,
    RequestPolicy,
    checked_answer,
)
from citeloom.infrastructure.zotero.api_content import CHILDREN, content_of

# Citekeys from Better BibTeX's JSON-RPC interface while Zotero runs.

RPC_PATH = "/better-bibtex/json-rpc"
_AT_ONCE = 1000


class BetterBibtexRpc:
    def __init__(self, http: httpx.Client, url: str) -> None:
        self._http = http
        self._url = url

    @checked_answer()
    def citekeys(self, library: ZoteroLibraryRef, keys: Sequence[str]) -> dict[str, str]:
        """The citekeys of a library's items; empty where Better BibTeX is not installed.

        Better BibTeX has its own ids of groups, which are looked up by the group's name. Raises
        `SourceUnavailable` when it answers with an error.
        """
        prefix = ""
        if library.group_id:
            groups = self._call("user.groups", []) or ()
            numbers = [group["id"] for group in groups if group["name"] == library.name]
            if len(numbers) != 1:
                return {}
            prefix = f"{numbers[0]}:"
        citekeys: dict[str, str] = {}
        for start in range(0, len(keys), _AT_ONCE):
            batch = [prefix + key for key in keys[start : start + _AT_ONCE]]
            answer = self._call("item.citationkey", [batch]) or {}
            citekeys |= {name.removeprefix(prefix): key for name, key in answer.items() if key}
        return citekeys

    def _call(self, method: str, params: list[object]) -> Any:
        """The result, or None if there is no such interface."""
        answer = self._http.post(
            self._url,
            json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
            extensions={EXPECTED: (404,)},
        )
        if answer.status_code == 404:
            return None
        reply = answer.json()
        if "result" not in reply:
            raise SourceUnavailable(
                f"Better BibTeX refuses to list citekeys: {reply.get('error')}",
                "Restart Zotero, and update Better BibTeX if that does not help.",
            )
        return reply["result"]


# The running Zotero, read through its local API.

_TRIES = 2


class LocalApiZotero(ZoteroLibrary):
    """A running Zotero 7 or later that allows other applications to communicate with it.

    Each library is read whole every time, as its version changes only with synchronisation; items
    by their keys are those of the last time. Zotero 7 leaves annotations out.
    """

    def __init__(
        self, url: str, *, timeout: float = ZOTERO_LIMITS.timeout, timing: Timing | None = None
    ) -> None:
        policy = RequestPolicy(
            interval=0,
            tries=_TRIES,
            timeout=timeout,
            refused="In Zotero's settings, under Advanced, allow other applications on this "
            "computer to communicate with Zotero.",
            unreachable="Start Zotero, version 7 or later.",
        )
        self._client = ApiClient(url, policy, timing=timing)
        rpc = self._client.url.removesuffix("/api") + RPC_PATH
        self._better_bibtex = BetterBibtexRpc(self._client.http, rpc)
        self._warnings: tuple[str, ...] = ()
        self._latest: dict[ZoteroLibraryRef, ZoteroContent] = {}

    @property
    def source(self) -> str:
        return f"local API {self._client.url}"

    @property
    def warnings(self) -> tuple[str, ...]:
        return self._warnings

    @property
    def has_stamps(self) -> bool:
        return False

    def fingerprint(self) -> str:
        state = repr([self._client.everything(library) for library in self.libraries()])
        return hashlib.sha256(state.encode()).hexdigest()

    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        return self._client.libraries()

    def read(self, library: ZoteroLibraryRef, scope: ContentScope = EVERYTHING) -> ZoteroContent:
        if scope.items is not None and library in self._latest:
            return self._latest[library]
        content = self._client.everything(library)
        self._latest[library] = content_of(
            library,
            content.items,
            content.collections,
            where=self._path_of,
            citekeys=self._citekeys(library, content.items),
            searches=self._client.searches(library) if scope.searches else None,
        )
        return self._latest[library]

    def _path_of(self, attachment: ZoteroAttachment, entry: Json) -> Path | None:
        """The file that Zotero names; for a linked file it takes a request of its own."""
        url = entry["links"].get("enclosure", {}).get("href", "")
        if not url:
            answer = self._client.file(attachment.library, attachment.key, "file/view/url")
            url = answer.text.strip() if answer.status_code == 200 else ""
        parts = urlsplit(url)
        return Path(url2pathname(parts.path)) if parts.scheme == "file" else None

    def _citekeys(self, library: ZoteroLibraryRef, items: tuple[Json, ...]) -> dict[str, str]:
        """Better BibTeX's citekeys of items without one of their own; none without it."""
        keys = [
            entry["key"]
            for entry in items
            if entry["data"]["itemType"] not in CHILDREN and not entry["data"].get("citationKey")
        ]
        try:
            return self._better_bibtex.citekeys(library, keys) if keys else {}
        except SourceUnavailable as error:
            self._warnings = (f"Better BibTeX's citekeys are missing: {error.message}.",)
            return {}
