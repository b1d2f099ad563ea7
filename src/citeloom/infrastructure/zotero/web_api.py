"""A Zotero account and its stored files, through the web API."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import httpx

from citeloom.application.ports.zotero_files import FileOutcome, ZoteroFiles
from citeloom.application.ports.zotero_library import ZoteroLibrary
from citeloom.domain.zotero import LinkMode, ZoteroAttachment, ZoteroContent, ZoteroLibraryRef
from citeloom.infrastructure.zotero.api_client import ApiClient, Json
from citeloom.infrastructure.zotero.api_content import content_of
from citeloom.infrastructure.zotero.file_store import FileStore, StoredFile
from citeloom.infrastructure.zotero.library_copy import LibraryCopies, LibraryCopy
from citeloom.infrastructure.zotero.places import Places
from citeloom.infrastructure.zotero.retrying_transport import AnswerTooLarge, RequestPolicy, Timing

_SECONDS_BETWEEN = 0.5
_TRIES = 6
_FETCHES = 2
MOST_BYTES = 500_000_000
"""Of a file, where nothing else is said."""
STORED = (LinkMode.IMPORTED_FILE, LinkMode.IMPORTED_URL)


class WebZotero(ZoteroLibrary, ZoteroFiles):
    """The libraries an API key gives access to; copies and files are kept in `folder`.

    Of a library that was read before, only the changes are requested.
    """

    def __init__(
        self,
        key: str,
        folder: Path,
        *,
        url: str,
        base_dir: Path | None = None,
        timeout: float = 20,
        most_bytes: int = MOST_BYTES,
        timing: Timing | None = None,
    ) -> None:
        policy = RequestPolicy(
            interval=_SECONDS_BETWEEN,
            tries=_TRIES,
            timeout=timeout,
            refused="Check that the key in ZOTERO_API_KEY is valid and may read the library: "
            "https://www.zotero.org/settings/keys.",
            unreachable="Check the connection to the internet, and try again.",
            most_bytes=most_bytes,
        )
        self._most_bytes = most_bytes
        self._client = ApiClient(url, policy, key=key, timing=timing or Timing())
        self._copies = LibraryCopies(folder / "libraries")
        self._store = FileStore(folder / "files")
        self._linked = Places(data_dir=folder, base_dir=base_dir)
        self._read: dict[ZoteroLibraryRef, LibraryCopy] = {}

    @property
    def source(self) -> str:
        return f"web API {self._client.url}, user {self._client.user}"

    @property
    def warnings(self) -> tuple[str, ...]:
        return ()

    def fingerprint(self) -> str:
        versions = [(library, self._current(library).version) for library in self.libraries()]
        return hashlib.sha256(repr((self._client.user, versions)).encode()).hexdigest()

    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        return self._client.libraries()

    def read(self, library: ZoteroLibraryRef) -> ZoteroContent:
        copy = self._current(library)
        return content_of(
            library,
            list(copy.items.values()),
            list(copy.collections.values()),
            where=self._path_of,
            citekeys={},
        )

    def fetch(self, attachment: ZoteroAttachment) -> FileOutcome:
        data = self._known(attachment.library).items[attachment.key]["data"]
        md5, path = data.get("md5"), self._store.path_of(attachment)
        if not md5 or path is None:
            return FileOutcome.ABSENT
        if self._store.holds(attachment, md5):
            return FileOutcome.KEPT
        try:
            return self._fetched(attachment, path.name, md5)
        except AnswerTooLarge:
            return FileOutcome.TOO_LARGE

    def _fetched(self, attachment: ZoteroAttachment, name: str, md5: str) -> FileOutcome:
        """Download the file, once more where it differs from its checksum."""
        data = self._known(attachment.library).items[attachment.key]["data"]
        for _ in range(_FETCHES):
            answer = self._client.file(attachment.library, attachment.key)
            if answer.status_code == 404:
                return FileOutcome.ABSENT
            content = _unpacked(answer, name, self._most_bytes)
            if md5 in (_md5(content), _md5(answer.content)):
                record = StoredFile(
                    filename=name,
                    md5=md5,
                    mtime=data.get("mtime"),
                    version=attachment.version,
                )
                self._store.put(attachment, content, record)
                return FileOutcome.FETCHED
        return FileOutcome.DAMAGED

    def _current(self, library: ZoteroLibraryRef) -> LibraryCopy:
        """The current library."""
        before = self._known(library)
        changes = self._client.changes(library, before.version)
        if changes.version == before.version:
            return before
        self._read[library] = before.with_changes(changes)
        self._copies.save(self._client.user, library, self._read[library])
        return self._read[library]

    def _known(self, library: ZoteroLibraryRef) -> LibraryCopy:
        """The library as it was last read."""
        if library not in self._read:
            self._read[library] = self._copies.load(self._client.user, library)
        return self._read[library]

    def _path_of(self, attachment: ZoteroAttachment, entry: Json) -> Path | None:
        del entry
        if attachment.link_mode in STORED:
            return self._store.path_of(attachment)
        mode, stored = attachment.link_mode, attachment.stored_path
        return self._linked.path_of(attachment.key, mode, stored)


def _unpacked(answer: httpx.Response, name: str, most: int) -> bytes:
    """The file itself: Zotero stores web pages as a zip archive with their resources."""
    packed = any(r.headers.get("Zotero-File-Compressed") == "Yes" for r in answer.history)
    if not packed:
        return answer.content
    try:
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            if archive.getinfo(name).file_size > most:
                raise AnswerTooLarge(f"{name} would unpack to more than {most} bytes")
            return archive.read(name)
    except (zipfile.BadZipFile, KeyError):
        return answer.content


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()
