"""The citekeys Better BibTeX tells over JSON-RPC while Zotero runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx

from citeloom.domain.errors import SourceUnavailable
from citeloom.domain.zotero import ZoteroLibraryRef
from citeloom.infrastructure.zotero.api_client import understood
from citeloom.infrastructure.zotero.patient_transport import MAY_BE_ABSENT

RPC_PATH = "/better-bibtex/json-rpc"
_AT_ONCE = 1000


class BetterBibtexRpc:
    """Better BibTeX in the Zotero that answers at `url`."""

    def __init__(self, http: httpx.Client, url: str) -> None:
        self._http = http
        self._url = url

    @understood()
    def citekeys(self, library: ZoteroLibraryRef, keys: Sequence[str]) -> dict[str, str]:
        """The citekeys of a library's items; empty where Better BibTeX is not installed.

        It knows a group's library by a number of its own and tells it by the group's name. Raises
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
        """What stands before a key: nothing in the user's library, the number in a group's.

        None where no single group has that name, and where there is no Better BibTeX.
        """
        if not library.group_id:
            return ""
        groups = self._call("user.groups", []) or ()
        numbers = [group["id"] for group in groups if group["name"] == library.name]
        return f"{numbers[0]}:" if len(numbers) == 1 else None

    def _call(self, method: str, params: list[object]) -> Any:
        """The result, or None where nothing answers there."""
        answer = self._http.post(
            self._url,
            json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
            extensions={MAY_BE_ABSENT: True},
        )
        if answer.status_code == 404:
            return None
        reply = answer.json()
        if "result" not in reply:
            raise SourceUnavailable(f"Better BibTeX does not tell citekeys: {reply.get('error')}")
        return reply["result"]
