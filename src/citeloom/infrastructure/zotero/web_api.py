"""A Zotero account and its stored files, through the web API, with a copy of the library."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path, PureWindowsPath

import httpx

from citeloom.application.limits import ZOTERO_LIMITS
from citeloom.application.ports.sources import FileOutcome, ZoteroFiles, ZoteroLibrary
from citeloom.domain.errors import LibraryRefused
from citeloom.domain.zotero.items import (
    EVERYTHING,
    STORED,
    ContentScope,
    ZoteroAttachment,
    ZoteroContent,
    ZoteroLibraryRef,
)
from citeloom.infrastructure.remote.retries import AnswerTooLarge, Timing
from citeloom.infrastructure.whole_file import SHARED, replace_file
from citeloom.infrastructure.zotero.api_client import ApiClient, Changes, Json, RequestPolicy
from citeloom.infrastructure.zotero.api_content import content_of
from citeloom.infrastructure.zotero.places import FileLocations, is_key
from citeloom.infrastructure.zotero.webdav import WebDavStorage, unpacked

# Files downloaded from Zotero, kept as `<library>/<KEY>/<filename>` with what is known of each.

_LIBRARY = re.compile(r"library|groups/\d+")
_LONGEST_NAME = 250
"""Bytes; most file systems allow 255."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file as Zotero described it when it was downloaded; `mtime` in milliseconds."""

    filename: str
    md5: str
    mtime: int | None
    version: int


@dataclass(frozen=True, slots=True)
class FileStore:
    """A folder of downloaded files; beside each `<KEY>` lies its record, `<KEY>.json`.

    Both are written under another name and renamed, the record last: a file whose record has its
    checksum is whole.
    """

    folder: Path

    def path_of(self, attachment: ZoteroAttachment) -> Path | None:
        """Where the file of an attachment is, or would be; None where its name is none.

        The path is one below the folder, whatever Zotero calls library, attachment and file.
        """
        name = PureWindowsPath(attachment.stored_path.removeprefix("storage:")).name
        size = len(name.encode("utf-8", "replace"))
        is_valid = (
            name not in ("", ".", "..")
            and size <= _LONGEST_NAME
            and name.isprintable()
            and is_key(attachment.key)
            and _LIBRARY.fullmatch(attachment.library.path)
        )
        return self._place(attachment) / name if is_valid else None

    def holds(self, attachment: ZoteroAttachment, md5: str) -> bool:
        path = self.path_of(attachment)
        try:
            text = self._record(attachment).read_text(encoding="utf-8")
            record = StoredFile(**json.loads(text))
        except (OSError, ValueError, TypeError):
            return False
        return record.md5 == md5 and path is not None and path.is_file()

    def put(self, attachment: ZoteroAttachment, content: bytes, record: StoredFile) -> None:
        path, place = self.path_of(attachment), self._place(attachment)
        if path is None:
            raise ValueError(f"attachment {attachment.key} names no file")
        place.mkdir(parents=True, exist_ok=True)
        replace_file(path, content, mode=SHARED, durable=False)
        for other in place.iterdir():
            if other != path:
                other.unlink()
        text = json.dumps(asdict(record))
        replace_file(self._record(attachment), text.encode(), mode=SHARED, durable=False)

    def _place(self, attachment: ZoteroAttachment) -> Path:
        return self.folder / attachment.library.path / attachment.key

    def _record(self, attachment: ZoteroAttachment) -> Path:
        return self._place(attachment).with_suffix(".json")


# Cached copies of libraries on the web, so that only changes are requested.

_LAYOUT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryCopy:
    """A library's entries by key at a version; of the trash only later changes."""

    version: int = 0
    items: dict[str, Json] = field(default_factory=dict)
    collections: dict[str, Json] = field(default_factory=dict)

    def with_changes(self, changes: Changes) -> LibraryCopy:

        def changed(before: dict[str, Json], entries: tuple[Json, ...]) -> dict[str, Json]:
            after = {**before, **{entry["key"]: entry for entry in entries}}
            return {key: entry for key, entry in after.items() if changes.keeps(key)}

        return LibraryCopy(
            version=changes.version,
            items=changed(self.items, changes.items),
            collections=changed(self.collections, changes.collections),
        )


@dataclass(frozen=True, slots=True)
class LibraryCopies:
    """Copies in a folder, one file per user and library; an unreadable one counts as missing."""

    folder: Path

    def load(self, user: str, library: ZoteroLibraryRef) -> LibraryCopy:
        """The stored copy, or an empty one."""
        try:
            stored = json.loads(self._file(user, library).read_text(encoding="utf-8"))
            if stored.pop("layout") == _LAYOUT:
                return LibraryCopy(**stored)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return LibraryCopy()
        return LibraryCopy()

    def save(self, user: str, library: ZoteroLibraryRef, copy: LibraryCopy) -> None:
        """Replace the stored copy atomically."""
        file = self._file(user, library)
        file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"layout": _LAYOUT, **asdict(copy)})
        replace_file(file, text.encode(), mode=SHARED, durable=False)

    def _file(self, user: str, library: ZoteroLibraryRef) -> Path:
        name = f"group-{library.group_id}" if library.group_id else "library"
        return self.folder / f"user-{user}" / f"{name}.json"


# A Zotero account and its stored files, through the web API.

_SECONDS_BETWEEN = 0.5
_TRIES = 6
_FETCHES = 2
"""Of a file, where nothing else is said."""


@dataclass(frozen=True, slots=True)
class _RemoteFile:
    """A file that is stored elsewhere: its checksum, empty if unknown, the time of its change, and
    what fetches it: as it is, then as it came, nothing if it is damaged, and None without it.
    """

    md5: str
    mtime: int | None
    fetch: Callable[[], tuple[bytes, ...] | None]


class WebZotero(ZoteroLibrary, ZoteroFiles):
    """The libraries an API key gives access to; copies and files are kept in `folder`.

    Of a library that was read before, only the changes are requested. Files of the user's own
    library may be on a WebDAV server.
    """

    def __init__(  # noqa: PLR0913 - each of the last ones is given by name
        self,
        key: str,
        folder: Path,
        *,
        url: str,
        base_dir: Path | None = None,
        webdav: WebDavStorage | None = None,
        timeout: float = ZOTERO_LIMITS.timeout,
        most_bytes: int = ZOTERO_LIMITS.most_bytes,
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
        self._webdav = webdav
        self._client = ApiClient(url, policy, key=key, timing=timing)
        self._copies = LibraryCopies(folder / "libraries")
        self._store = FileStore(folder / "files")
        self._linked = FileLocations(data_dir=folder, base_dir=base_dir)
        self._read: dict[ZoteroLibraryRef, LibraryCopy] = {}
        self._refused: dict[ZoteroLibraryRef, str] = {}

    @property
    def source(self) -> str:
        return f"web API {self._client.url}, user {self._client.user}"

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(
            f"The library '{library.name or library.path}' ({library.path}) is left out: {why}."
            for library, why in self._refused.items()
        )

    @property
    def has_stamps(self) -> bool:
        return False

    def fingerprint(self) -> str:
        versions = list[tuple[ZoteroLibraryRef, int]]()
        for library in self.libraries():
            with suppress(LibraryRefused):
                versions.append((library, self._current(library).version))
        return hashlib.sha256(repr((self._client.user, versions)).encode()).hexdigest()

    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        return self._client.libraries()

    def read(self, library: ZoteroLibraryRef, scope: ContentScope = EVERYTHING) -> ZoteroContent:
        try:
            copy = self._current(library)
            searches = self._client.searches(library) if scope.searches else None
        except LibraryRefused as error:
            self._refused[library] = error.message
            raise
        return content_of(
            library,
            list(copy.items.values()),
            list(copy.collections.values()),
            where=self._path_of,
            citekeys={},
            searches=searches,
        )

    def fetch(self, attachment: ZoteroAttachment) -> FileOutcome:
        path = self._store.path_of(attachment)
        stored = self._stored(attachment, path.name) if path else None
        if path is None or stored is None:
            return FileOutcome.ABSENT
        if stored.md5 and self._store.holds(attachment, stored.md5):
            return FileOutcome.KEPT
        for _ in range(_FETCHES):
            try:
                forms = stored.fetch()
            except AnswerTooLarge:
                return FileOutcome.TOO_LARGE
            if forms is None:
                return FileOutcome.ABSENT
            if forms and (not stored.md5 or stored.md5 in map(_md5, forms)):
                record = StoredFile(
                    filename=path.name,
                    md5=stored.md5 or _md5(forms[0]),
                    mtime=stored.mtime,
                    version=attachment.version,
                )
                self._store.put(attachment, forms[0], record)
                return FileOutcome.FETCHED
        return FileOutcome.DAMAGED

    def _stored(self, attachment: ZoteroAttachment, name: str) -> _RemoteFile | None:
        """The file on the WebDAV server, which has none of groups, or else at Zotero."""
        key, webdav = attachment.key, self._webdav
        properties = webdav.properties(key) if webdav and not attachment.library.group_id else None
        if webdav is not None and properties is not None:

            def from_server() -> tuple[bytes, ...]:
                content = webdav.file(key, name)
                return () if content is None else (content,)

            return _RemoteFile(properties.md5, properties.mtime, from_server)
        data = self._known(attachment.library).items[key]["data"]

        def from_zotero() -> tuple[bytes, ...] | None:
            answer = self._client.file(attachment.library, key)
            content = _content(answer, name, self._most_bytes)
            return None if answer.status_code == 404 else (content, answer.content)

        if md5 := data.get("md5"):
            return _RemoteFile(md5, data.get("mtime"), from_zotero)
        return None

    def _current(self, library: ZoteroLibraryRef) -> LibraryCopy:
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

    def _path_of(self, attachment: ZoteroAttachment, _: Json) -> Path | None:
        mode, stored = attachment.link_mode, attachment.stored_path
        if mode in STORED:
            return self._store.path_of(attachment)
        return self._linked.path_of(attachment.key, mode, stored)


def _content(answer: httpx.Response, name: str, most: int) -> bytes:
    """The file itself: Zotero stores web pages as a zip archive with their resources."""
    packed = any(r.headers.get("Zotero-File-Compressed") == "Yes" for r in answer.history)
    file = unpacked(answer.content, name, most) if packed else None
    return answer.content if file is None else file


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()
