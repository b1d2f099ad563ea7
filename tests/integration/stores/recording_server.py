"""A Qdrant server as far as collections and aliases go, which keeps every request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import httpx

from citeloom_qdrant.client import QdrantServer

Json = dict[str, Any]


@dataclass
class RecordingServer:
    """Answers as a server does; `keeps_metadata` is off for the old ones that drop it."""

    keeps_metadata: bool = True
    requests: list[tuple[str, str, Json]] = field(default_factory=list)
    collections: dict[str, Json] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    def server(self) -> QdrantServer:
        return QdrantServer(["http://qdrant"], transport=httpx.MockTransport(self.answer))

    def sent(self, method: str, ending: str = "") -> list[Json]:
        """The bodies of the requests made so."""
        return [
            body for verb, path, body in self.requests if verb == method and path.endswith(ending)
        ]

    def answer(self, request: httpx.Request) -> httpx.Response:
        path = unquote(request.url.path)
        body: Json = json.loads(request.content) if request.content else {}
        self.requests.append((request.method, path, body))
        result = self._result(request.method, path, body)
        if path.endswith(("/index", "/points")):
            result = {"operation_id": 1, "status": "completed"}
        if path.endswith("/points/query/batch"):
            result = [{"points": []}] * len(body["searches"])
        if result is None:
            return httpx.Response(404, json={"status": {"error": "Not found"}})
        return httpx.Response(200, json={"result": result, "status": "ok", "time": 0.0})

    def _result(self, method: str, path: str, body: Json) -> object:
        name = path.removeprefix("/collections/")
        if path in ("/aliases", "/collections"):
            return self._listed()
        if path == "/collections/aliases":
            return self._change(body)
        if method == "GET":
            return self._info(self.aliases.get(name, name))
        if method == "DELETE":
            return self.collections.pop(name) is not None
        if method == "PUT" and "/" not in name:
            self.collections[name] = body
        return True

    def _listed(self) -> Json:
        pairs = self.aliases.items()
        return {
            "aliases": [{"alias_name": a, "collection_name": c} for a, c in pairs],
            "collections": [{"name": name} for name in self.collections],
        }

    def _change(self, body: Json) -> bool:
        for action in _actions(body):
            if made := action.get("create_alias"):
                self.aliases[made["alias_name"]] = made["collection_name"]
            elif gone := action.get("delete_alias"):
                self.aliases.pop(gone["alias_name"])
        return True

    def _info(self, name: str) -> Json | None:
        if name not in self.collections:
            return None
        metadata = self.collections[name].get("metadata") if self.keeps_metadata else None
        config = {
            "params": {},
            "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
            "optimizer_config": {
                "deleted_threshold": 0.2,
                "vacuum_min_vector_number": 1000,
                "default_segment_number": 0,
                "flush_interval_sec": 5,
            },
            "metadata": metadata,
            "quantization_config": self.collections[name].get("quantization_config"),
        }
        return {
            "status": "green",
            "optimizer_status": "ok",
            "segments_count": 1,
            "payload_schema": {},
            "config": config,
        }


def _actions(body: Json) -> Iterator[dict[str, dict[str, str]]]:
    actions = body["actions"]
    assert isinstance(actions, list)
    yield from actions
