"""The bundle for hosts of MCP servers: whole, the same each time, and what it starts is there."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import zipfile
from pathlib import Path

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from scripts.make_bundle import ROOT, make

from citeloom.infrastructure.interfaces.mcp.tools import TOOLS

NAME = "com.example/citeloom"


def test_a_bundle_has_all_sources_and_names_every_tool(tmp_path: Path) -> None:
    bundle, _ = make(tmp_path / "one", NAME)
    with zipfile.ZipFile(bundle) as archive:
        names = set(archive.namelist())
        manifest = json.loads(archive.read("manifest.json"))
    sources = ROOT / "src" / "citeloom"
    expected = {path.relative_to(ROOT).as_posix() for path in sources.rglob("*.py")}
    assert expected | {"pyproject.toml", "LICENSE", "README.md", "manifest.json"} <= names
    assert manifest["server"]["entry_point"] in names
    assert [tool["name"] for tool in manifest["tools"]] == list(TOOLS)
    again, _ = make(tmp_path / "two", NAME)
    assert again.read_bytes() == bundle.read_bytes()


def test_what_the_bundle_starts_is_the_command_and_its_settings(tmp_path: Path) -> None:
    """The host puts the folder and the user's settings in the place of the names in braces."""
    bundle, _ = make(tmp_path, NAME)
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(unpacked)
    manifest = json.loads((unpacked / "manifest.json").read_text(encoding="utf-8"))
    arguments = manifest["server"]["mcp_config"]["args"]
    named = {name for argument in arguments for name in re.findall(r"\$\{(.*?)\}", argument)}
    assert named == {"__dirname", *(f"user_config.{name}" for name in manifest["user_config"])}
    command = arguments[arguments.index("citeloom") :]
    settings = tmp_path / "citeloom.toml"
    settings.write_text('[project."lab/rye"]\n', encoding="utf-8")
    filled = [word.replace("${user_config.config}", str(settings)) for word in command[1:]]
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "citeloom", *filled],
        env={**os.environ, "PYTHONPATH": str(unpacked / "src")},
    )

    async def listed() -> list[str]:
        async with Client(stdio_client(server)) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert asyncio.run(asyncio.wait_for(listed(), 120)) == list(TOOLS)


def test_the_entry_of_a_registry_starts_the_package(tmp_path: Path) -> None:
    _, server = make(tmp_path, NAME)
    entry = json.loads(server.read_text(encoding="utf-8"))
    [package] = entry["packages"]
    assert entry["name"] == NAME
    assert len(entry["description"]) <= 100
    assert entry["version"] == package["version"]
    assert package["transport"] == {"type": "stdio"}
    assert [one.get("name") or one["value"] for one in package["packageArguments"]] == [
        "--config",
        "mcp",
    ]
