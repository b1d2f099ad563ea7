"""Files that Zotero stores on a WebDAV server: of each attachment `KEY.zip` and, of what is in it,
`KEY.prop`.
"""

from __future__ import annotations

import base64
import io
import re
import zipfile
import zlib
from dataclasses import dataclass

import httpx

from citeloom.application.limits import ZOTERO_LIMITS
from citeloom.domain.errors import LibraryRefused, SourceUnavailable
from citeloom.infrastructure.remote.retries import EXPECTED, AnswerTooLarge, Timing
from citeloom.infrastructure.zotero.api_client import RequestPolicy, ZoteroTransport

_FOLDER = "zotero"
"""Zotero's own folder below the address in its settings."""
_ENCODED = "%ZB64"
"""The end of names of files that earlier versions of Zotero wrote in Base64."""
_OLD_PROPERTIES = re.compile(r"\d{9,10}")
"""The time of change alone, in seconds, as earlier versions wrote it."""
_MTIME = re.compile(r"<mtime>(\d{1,16})</mtime>")
_HASH = re.compile(r"<hash>([0-9a-f]{32})</hash>")
_TRIES = 4
_UNAUTHORIZED, _ABSENT = 401, 404


@dataclass(frozen=True, slots=True, kw_only=True)
class WebDavAccount:
    """The address, as in Zotero's settings, and who logs in there."""

    url: str
    user: str = ""
    password: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProperties:
    """What Zotero noted of a file when it stored it; `mtime` in milliseconds, `md5` empty where an
    earlier version noted none.
    """

    mtime: int
    md5: str


class WebDavStorage:
    """The files of the user's own library on a WebDAV server; groups' are never there.

    Every method raises `SourceUnavailable` if the server cannot be reached, or lets nobody in.
    """

    def __init__(
        self,
        account: WebDavAccount,
        *,
        timeout: float = ZOTERO_LIMITS.timeout,
        most_bytes: int = ZOTERO_LIMITS.most_bytes,
        timing: Timing | None = None,
    ) -> None:
        url = account.url.rstrip("/")
        self._root = url if url.endswith(f"/{_FOLDER}") else f"{url}/{_FOLDER}"
        self._most_bytes = most_bytes
        policy = RequestPolicy(
            interval=0,
            tries=_TRIES,
            timeout=timeout,
            refused="Check webdav_url and webdav_user under [zotero], and ZOTERO_WEBDAV_PASSWORD.",
            unreachable="Check webdav_url under [zotero], and the connection to that server.",
            most_bytes=most_bytes,
        )
        self._http = httpx.Client(
            transport=ZoteroTransport(policy, timing), headers={"User-Agent": "citeloom"}
        )
        credentials = account.user, account.password
        self._auth: httpx.Auth = httpx.BasicAuth(*credentials)
        self._digest = httpx.DigestAuth(*credentials)

    def properties(self, key: str) -> FileProperties | None:
        """What is stored of an attachment; None if nothing is."""
        answer = self._get(f"{key}.prop")
        if answer is None:
            return None
        text = answer.text.strip()
        if _OLD_PROPERTIES.fullmatch(text):
            return FileProperties(mtime=int(text) * 1000, md5="")
        mtime, md5 = _MTIME.search(text), _HASH.search(text)
        if mtime is None or md5 is None:
            raise SourceUnavailable(
                f"what the WebDAV server has at {key}.prop was not written by Zotero",
                "Check webdav_url under [zotero]: it is the address in Zotero's settings, Sync.",
            )
        return FileProperties(mtime=int(mtime[1]), md5=md5[1])

    def file(self, key: str, name: str) -> bytes | None:
        """The file of that name; None without one, or where the archive is damaged.

        Raises `AnswerTooLarge` for a larger file than is allowed, packed or unpacked.
        """
        answer = self._get(f"{key}.zip")
        return None if answer is None else unpacked(answer.content, name, self._most_bytes)

    def _get(self, name: str) -> httpx.Response | None:
        url, extensions = f"{self._root}/{name}", {EXPECTED: (_UNAUTHORIZED, _ABSENT)}
        answer = self._http.get(url, auth=self._auth, extensions=extensions)
        asks = answer.headers.get("WWW-Authenticate", "").lower()
        if answer.status_code == _UNAUTHORIZED and asks.startswith("digest"):
            self._auth = self._digest
            answer = self._http.get(url, auth=self._auth, extensions=extensions)
        if answer.status_code == _UNAUTHORIZED:
            raise LibraryRefused(
                "the WebDAV server lets nobody in with this name and password",
                "Set webdav_user under [zotero], and ZOTERO_WEBDAV_PASSWORD.",
            )
        return None if answer.status_code == _ABSENT else answer


def unpacked(archive: bytes, name: str, most: int) -> bytes | None:
    """The file of a name in an archive, or its only one; None without it, and if it is damaged.

    Nothing but this file is unpacked, and it is given back rather than written to where its name
    leads. Raises `AnswerTooLarge` behind `most` bytes, whatever the archive says of its size.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as packed:
            entries = [entry for entry in packed.infolist() if not entry.is_dir()]
            named = {_decoded(entry.filename): entry for entry in entries}
            entry = named.get(name) or (entries[0] if len(entries) == 1 else None)
            if entry is None:
                return None
            with packed.open(entry) as file:
                content = file.read(most + 1)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError):
        return None  # damaged, encrypted, or packed by a method that Zotero does not use
    if len(content) > most:
        raise AnswerTooLarge(f"{name} would unpack to more than {most} bytes")
    return content


def _decoded(name: str) -> str:
    if not name.endswith(_ENCODED):
        return name
    try:
        return base64.b64decode(name.removesuffix(_ENCODED)).decode()
    except ValueError:
        return name
