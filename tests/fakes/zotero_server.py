"""A Zotero API on the loopback interface, after its documentation, for what a test puts into it."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from citeloom.domain.zotero.items import ZoteroContent
from tests.fakes.zotero_json import collection_json, item_jsons

KEY = "secretKEYofTheUser"
USER = 475425
_VERSIONS = count(10, 10)
_LIBRARY = re.compile(r"/(users|groups)/(\d+)/(.+)")
_FULL_TEXT = re.compile(r"items/([A-Z0-9]{8})/fulltext")
_FILE = re.compile(r"items/([A-Z0-9]{8})/(file|file/view/url)")


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """How the next request that has `path` in it goes wrong: a status, a late or a cut answer."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    path: str = ""
    body: bytes | None = None
    cut: bool = False
    delay: float = 0.0


@dataclass(kw_only=True)
class ServedLibrary:
    """A library's entries by key, with the version each was last changed in."""

    name: str
    version: int = 0
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    collections: dict[str, dict[str, Any]] = field(default_factory=dict)
    searches: dict[str, dict[str, Any]] = field(default_factory=dict)
    fulltext: dict[str, str] = field(default_factory=dict)
    deleted: dict[str, tuple[str, int]] = field(default_factory=dict)
    log_begins: int = 0
    """What was deleted up to this version is no longer known."""
    refuses: bool = False
    """Whether the key gives no access to it."""

    def put(self, content: ZoteroContent, files: Mapping[str, bytes]) -> None:
        """Everything of a library, as of its next version."""
        self.version = next(_VERSIONS)
        for entry in item_jsons(content):
            self.items[entry["key"]] = entry
        for collection in content.collections:
            self.collections[collection.key] = collection_json(collection)
        for entry in (*self.items.values(), *self.collections.values()):
            entry["version"] = self.version
            file = files.get(entry["key"])
            if file is not None:
                entry["data"] |= {"md5": hashlib.md5(file).hexdigest(), "mtime": 1_700_000_000_000}

    def change(self, key: str, **data: object) -> None:
        """Change what an item says, in a new version."""
        self.version += 1
        self.items[key]["data"] |= data
        self.items[key]["version"] = self.version

    def delete(self, key: str) -> None:
        """Delete an item or a collection for good."""
        self.version += 1
        kind = "items" if self.items.pop(key, None) else "collections"
        self.collections.pop(key, None)
        self.deleted[key] = (kind, self.version)


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


_NOT_FOUND = Answer(status=404, body=b"Not found")
_FORBIDDEN = Answer(status=403, body=b"Forbidden")
_MOST = 100
_EVERY_ANSWER = {"Zotero-API-Version": "3", "Zotero-Schema-Version": "36"}


class ZoteroServer:
    """Zotero's API: the web's, or with `local` the one of the program, below `/api`.

    `requests` has every request as method, path and query. Better BibTeX tells `citekeys` by the
    name it knows an item by: the key, or the number of a group's library, a colon and the key.
    """

    def __init__(self, *contents: ZoteroContent, local: bool = False) -> None:
        self.local = local
        self.announces_length = True
        self.files: dict[str, bytes] = {}
        self.packed: set[str] = set()
        self.file_urls: dict[str, str] = {}
        self.citekeys: dict[str, str] | None = None
        self.troubles: deque[Trouble] = deque()
        self.requests: list[str] = []
        self.statuses: list[int] = []
        self.keys_sent: list[str] = []
        self.on_request: Callable[[str], None] = lambda path: None
        self.libraries: dict[int, ServedLibrary] = {}
        for content in contents:
            self.put(content)
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True

    @property
    def url(self) -> str:
        """Where the API begins."""
        host = f"http://127.0.0.1:{self._http.server_port}"
        return f"{host}/api" if self.local else host

    def put(self, content: ZoteroContent) -> ServedLibrary:
        """Serve a library, or put more into it."""
        group = content.library.group_id
        library = self.libraries.setdefault(group, ServedLibrary(name=content.library.name))
        library.put(content, self.files)
        return library

    def start(self) -> None:
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self._http.shutdown()
        self.close()

    def close(self) -> None:
        """Stop listening, or never begin to."""
        self._http.server_close()

    def answer(self, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """What is said to a request."""
        parts = urlsplit(target)
        path = parts.path.removeprefix("/api") if self.local else parts.path
        if path.startswith("/better-bibtex/"):
            return self._better_bibtex(json.loads(body))
        if path.startswith("/storage/"):
            return Answer(body=self.files[path.removeprefix("/storage/")])
        if self.local and headers.get("Zotero-API-Version", "3") != "3":
            return Answer(status=501, body=b"API version not implemented")
        if not self.local and headers.get("Authorization") != f"Bearer {KEY}":
            return _FORBIDDEN
        if path == "/keys/current":
            return _json({"userID": USER, "username": "ada", "access": {"user": {"files": True}}})
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        return self._in_library(path, query, headers)

    def _in_library(
        self, path: str, query: Mapping[str, str], headers: Mapping[str, str]
    ) -> Answer:
        match = _LIBRARY.fullmatch(path)
        if match is None:
            return _NOT_FOUND
        kind, number, rest = match.groups()
        if rest == "groups":
            return self._page(self._groups(), path, query, headers, version=None)
        own = kind == "users" and int(number) == (0 if self.local else USER)
        library = self.libraries.get(0 if own else int(number)) if own or kind == "groups" else None
        if library is None:
            return _NOT_FOUND
        return self._of_library(library, rest, path, query, headers)

    def _of_library(
        self,
        library: ServedLibrary,
        rest: str,
        path: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
    ) -> Answer:
        if match := _FILE.fullmatch(rest):
            return self._file(*match.groups())
        if library.refuses:
            return _FORBIDDEN
        if match := _FULL_TEXT.fullmatch(rest):
            text = library.fulltext.get(match[1])
            whole = {"content": text, "indexedPages": 1, "totalPages": 1}
            return _json(whole, {"Last-Modified-Version": "1"}) if text else _NOT_FOUND
        if rest in ("deleted", "fulltext") and not self.local:
            return self._since(library, rest, query)
        kinds = {
            "items": library.items,
            "collections": library.collections,
            "searches": library.searches,
        }
        if rest not in kinds:
            return _NOT_FOUND
        since = int(query.get("since", 0))
        wanted = [
            entry
            for entry in kinds[rest].values()
            if (not since or entry["version"] > since)
            and (query.get("includeTrashed") or not entry["data"].get("deleted"))
        ]
        return self._page(wanted, path, query, headers, version=library.version)

    def _since(self, library: ServedLibrary, rest: str, query: Mapping[str, str]) -> Answer:
        """What was deleted since a version, or which full texts are newer than it."""
        if "since" not in query:
            return Answer(status=400, body=b"'since' parameter must be provided")
        since, said = int(query["since"]), {"Last-Modified-Version": str(library.version)}
        if rest == "fulltext":
            return _json(dict.fromkeys(library.fulltext, library.version), said)
        if since < library.log_begins:
            return Answer(status=409, body=b"'since' is before the beginning of the delete log")
        gone: dict[str, list[str]] = {
            name: [] for name in ("items", "collections", "searches", "tags", "settings")
        }
        for key, (kind, version) in library.deleted.items():
            if version > since:
                gone[kind].append(key)
        return _json(gone, said)

    def _page(
        self,
        entries: list[dict[str, Any]],
        path: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        *,
        version: int | None,
    ) -> Answer:
        known = int(headers.get("If-Modified-Since-Version", 0))
        said = {"Total-Results": str(len(entries))}
        if version is not None:
            said["Last-Modified-Version"] = str(version)
            if known and version <= known:
                return Answer(status=304, headers=said)
        form = query.get("format", "json")
        unbounded = self.local or form in ("versions", "keys")
        start = int(query.get("start", 0))
        limit = int(query.get("limit", len(entries) if unbounded else 25))
        limit = limit if unbounded else min(limit, _MOST)
        prefix = "/api" if self.local else ""
        host = f"http://{headers['Host']}{prefix}{path}"
        starts = {"first": 0, "prev": start - limit} if start else {}
        if start + limit < len(entries):
            starts |= {"next": start + limit, "last": (len(entries) - 1) // limit * limit}
        links = [
            f'<{host}?{urlencode({**query, "start": at})}>; rel="{rel}"'
            for rel, at in starts.items()
        ]
        said["Link"] = ", ".join([*links, f'<https://www.zotero.org{path}>; rel="alternate"'])
        page = entries[start : start + limit]
        if form == "versions":
            return _json({entry["key"]: entry["version"] for entry in page}, said)
        if form == "keys":
            return Answer(body="\n".join(entry["key"] for entry in page).encode(), headers=said)
        return _json(page, said)

    def _groups(self) -> list[dict[str, Any]]:
        return [
            {"id": number, "version": 3, "data": {"id": number, "name": library.name}}
            for number, library in self.libraries.items()
            if number
        ]

    def _file(self, key: str, part: str) -> Answer:
        if part == "file/view/url":
            url = self.file_urls.get(key)
            return Answer(body=url.encode()) if url else _NOT_FOUND
        if key not in self.files:
            return _NOT_FOUND
        packed = {"Zotero-File-Compressed": "Yes"} if key in self.packed else {}
        port = self._http.server_port
        return Answer(
            status=302, headers={"Location": f"http://localhost:{port}/storage/{key}", **packed}
        )

    def _better_bibtex(self, call: Mapping[str, Any]) -> Answer:
        if self.citekeys is None:
            return Answer(status=404, body=b"No endpoint found")
        if call["method"] == "user.groups":
            own = [{"id": 1, "name": "My Library"}]
            groups = [
                {"id": number % 100 + 2, "name": library.name}
                for number, library in self.libraries.items()
                if number
            ]
            return _json({"jsonrpc": "2.0", "id": call["id"], "result": own + groups})
        if call["method"] != "item.citationkey":
            error = {"code": -32601, "message": "Method not found"}
            return _json({"jsonrpc": "2.0", "id": call["id"], "error": error})
        result = {name: self.citekeys.get(name) for name in call["params"][0]}
        return _json({"jsonrpc": "2.0", "id": call["id"], "result": result})

    def trouble(self, path: str) -> Trouble | None:
        """What goes wrong with this request, if anything does."""
        for trouble in self.troubles:
            if trouble.path in path:
                self.troubles.remove(trouble)
                return trouble
        return None


@contextmanager
def serving(server: ZoteroServer) -> Iterator[ZoteroServer]:
    """The server, while it answers."""
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _json(value: object, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(
        body=json.dumps(value).encode(),
        headers={"Content-Type": "application/json", **(headers or {})},
    )


def _handler(server: ZoteroServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._speak(b"")

        def do_POST(self) -> None:
            self._speak(self.rfile.read(int(self.headers["Content-Length"])))

        def log_message(self, *args: object) -> None: ...

        def _speak(self, body: bytes) -> None:
            server.requests.append(f"{self.command} {self.path}")
            server.keys_sent.append(f"{self.headers['Host']} {self.headers['Authorization']}")
            server.on_request(self.path)
            trouble = server.trouble(self.path)
            if trouble is not None and trouble.delay:
                time.sleep(trouble.delay)
            answer = server.answer(self.path, dict(self.headers.items()), body)
            status = trouble.status if trouble and trouble.status else answer.status
            headers = {**_EVERY_ANSWER, **answer.headers, **(trouble.headers if trouble else {})}
            said = trouble.body if trouble and trouble.body is not None else answer.body
            server.statuses.append(status)
            self._send(status, headers.items(), said, cut=bool(trouble and trouble.cut))

        def _send(
            self, status: int, headers: Iterable[tuple[str, str]], body: bytes, *, cut: bool
        ) -> None:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            if server.announces_length:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body[: len(body) // 2] if cut else body)
            except ConnectionError:
                return
            self.close_connection = True

    return Handler
