"""The running Zotero, read through its local API."""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from citeloom.application.ports.zotero_library import ZoteroLibrary
from citeloom.domain.errors import SourceUnavailable
from citeloom.domain.zotero import ZoteroAttachment, ZoteroContent, ZoteroLibraryRef
from citeloom.infrastructure.zotero.api_client import ApiClient, Json
from citeloom.infrastructure.zotero.api_content import content_of
from citeloom.infrastructure.zotero.json_rpc import RPC_PATH, BetterBibtexRpc
from citeloom.infrastructure.zotero.retrying_transport import RequestPolicy, Timing

_TRIES = 2


class LocalApiZotero(ZoteroLibrary):
    """A running Zotero 7 or later that allows other applications to communicate with it.

    Each library is read whole every time: its version changes only with synchronisation.
    Zotero 7 leaves annotations out.
    """

    def __init__(self, url: str, *, timeout: float = 20, timing: Timing | None = None) -> None:
        policy = RequestPolicy(
            interval=0,
            tries=_TRIES,
            timeout=timeout,
            refused="In Zotero's settings, under Advanced, allow other applications on this "
            "computer to communicate with Zotero.",
            unreachable="Start Zotero, version 7 or later.",
        )
        self._client = ApiClient(url, policy, timing=timing or Timing())
        rpc = self._client.url.removesuffix("/api") + RPC_PATH
        self._better_bibtex = BetterBibtexRpc(self._client.http, rpc)
        self._warnings: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        return f"local API {self._client.url}"

    @property
    def warnings(self) -> tuple[str, ...]:
        return self._warnings

    def fingerprint(self) -> str:
        state = repr([self._client.everything(library) for library in self.libraries()])
        return hashlib.sha256(state.encode()).hexdigest()

    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        return self._client.libraries()

    def read(self, library: ZoteroLibraryRef) -> ZoteroContent:
        found = self._client.everything(library)
        return content_of(
            library,
            found.items,
            found.collections,
            where=self._path_of,
            citekeys=self._citekeys(library, found.items),
        )

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
            if entry["data"]["itemType"] not in ("attachment", "note", "annotation")
            and not entry["data"].get("citationKey")
        ]
        try:
            return self._better_bibtex.citekeys(library, keys) if keys else {}
        except SourceUnavailable as error:
            self._warnings = (f"Better BibTeX's citekeys are missing: {error.message}.",)
            return {}
