"""Citekeys from Better BibTeX's JSON-RPC interface while Zotero runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx

from citeloom.domain.errors import SourceUnavailable
from citeloom.domain.zotero import ZoteroLibraryRef
from citeloom.infrastructure.zotero.api_client import checked_answer
from citeloom.infrastructure.zotero.retrying_transport import MAY_BE_ABSENT

RPC_PATH = "/better-bibtex/json-rpc"
_AT_ONCE = 1000


class BetterBibtexRpc:
    """Better BibTeX in the running Zotero at `url`."""

    def __init__(self, http: httpx.Client, url: str) -> None:
        self._http = http
        self._url = url

    @checked_answer()
    def citekeys(self, library: ZoteroLibraryRef, keys: Sequence[str]) -> dict[str, str]:
        """The citekeys of a library's items; empty where Better BibTeX is not installed.

        Better BibTeX has its own ids of groups, which are looked up by the group's name. Raises
        `SourceUnavailable` when it answers with an error.
        """
        prefix = self._prefix(library)
        if prefix is None:
            return {}
        found: dict[str, str] = {}
        for start in range(0, len(keys), _AT_ONCE):
            asked = [prefix + key for key in keys[start : start + _AT_ONCE]]
            answer = self._call("item.citationkey", [asked]) or {}
            found |= {name.removeprefix(prefix): key for name, key in answer.items() if key}
        return found

    def _prefix(self, library: ZoteroLibraryRef) -> str | None:
        """The prefix of a key: empty in the user's library, the id in a group's.

        None if not exactly one group has that name, or without Better BibTeX.
        """
        if not library.group_id:
            return ""
        groups = self._call("user.groups", []) or ()
        numbers = [group["id"] for group in groups if group["name"] == library.name]
        return f"{numbers[0]}:" if len(numbers) == 1 else None

    def _call(self, method: str, params: list[object]) -> Any:
        """The result, or None if there is no such interface."""
        answer = self._http.post(
            self._url,
            json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
            extensions={MAY_BE_ABSENT: True},
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
