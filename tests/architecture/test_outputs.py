"""The outputs that two commits are compared by: of everything there is, and the same each time."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from scripts.outputs.cases import COMMANDS, FIRST, HTTP, LAST, MCP
from scripts.outputs.library import make_compared_library
from scripts.outputs.volatile import Cleaner

from citeloom.infrastructure.interfaces.mcp.mcp_server import TOOLS
from tests.architecture.repository import ROOT

SESSIONS = {"lsp", "watch"}
"""Commands that are no case: one has a session of its own, one never ends by itself."""


def test_every_command_is_a_case() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    commands = set(re.findall(r"(?m)^## citeloom (.+)$", page)) - SESSIONS
    every = (*FIRST, *(case for family in COMMANDS.values() for case in family), *LAST)
    lines = [re.sub(r"^--config \S+ ", "", case.line) for case in every]
    assert {name for name in commands if not any(f"{x} ".startswith(name) for x in lines)} == set()


def test_every_tool_is_a_case() -> None:
    called = {call.params.get("name") for call in MCP if call.method == "tools/call"}
    assert set(TOOLS) <= called


def test_every_route_of_the_page_is_a_case() -> None:
    page = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
    routes = re.findall(r"`(GET|POST|DELETE) ((?:[a-z]+)(?:/ID|/sessions)?[^` ]*)`", page)
    assert len(routes) > 20
    asked = [
        f"{case.method} {re.sub(r'{[a-z]+}|nothing|nowhere', 'ID', case.path)}" for case in HTTP
    ]
    for method, path in routes:
        route = f"{method} /api/v1/{path.removeprefix('/api/v1/')}"
        assert any(one.partition("?")[0] == route for one in asked), route


def test_what_differs_each_time_is_left_out_and_the_rest_stays() -> None:
    now = datetime.now(UTC)
    clean = Cleaner({"/home/me/library": "<library>"})
    assert clean(
        f'{{"correlation_id": "d75bf610e5c3", "at": "{now:%Y-%m-%dT%H:%M:%S}Z",'
        ' "duration_ms": 12.5, "added": "2024-03-01T12:00:00Z", "score": 0.7867832779884338,'
        ' "path": "/home/me/library/a.pdf", "chunk_id": "f3445c12c31c1705"}'
    ) == (
        '{"correlation_id": "<id>", "at": "<now>",'
        ' "duration_ms": "<time>", "added": "2024-03-01T12:00:00Z", "score": 0.78678,'
        ' "path": "<library>/a.pdf", "chunk_id": "f3445c12c31c1705"}'
    )
    key = "5f" * 32
    assert clean(f"set-cookie: citeloom_session=1796000000.{key[:32]}.{key}; Path=/") == (
        "set-cookie: citeloom_session=<id>; Path=/"
    )
    assert clean(f'{{"X-CSRF-Token": "{key}"}} <input name="csrf" value="{key}">') == (
        '{"X-CSRF-Token": "<id>"} <input name="csrf" value="<id>">'
    )
    assert clean("[2/2] b.pdf  failed\n[1/2] a.pdf  indexed\n") == (
        "[<n>] a.pdf  indexed\n[<n>] b.pdf  failed\n"
    )


def test_the_library_is_the_same_each_time(tmp_path: Path) -> None:
    made = []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        make_compared_library(folder)
        made.append(
            {
                path.relative_to(folder): (path.stat().st_mtime, path.read_bytes())
                for path in folder.rglob("*")
                if path.is_file()
            }
        )
    assert len(made[0]) > 30
    assert made[0] == made[1]
