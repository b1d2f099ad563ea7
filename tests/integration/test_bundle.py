"""The bundle for hosts of MCP servers: whole, the same each time, and what it starts is there."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import zipfile
from pathlib import Path

import jsonschema_rs
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from scripts.make_bundle import ROOT, main, make

from citeloom.infrastructure.interfaces.mcp.mcp_server import TOOLS

NAME = "com.example/citeloom"
TEXT = {"type": "string", "minLength": 1}


def only(must: str = "", **properties: object) -> dict[str, object]:
    """The schema of an object with these properties and no other."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": must.split(),
        "properties": properties,
    }


def listed(items: object) -> dict[str, object]:
    return {"type": "array", "items": items}


ARGUMENT = {
    "oneOf": [
        only(
            "type name",
            type={"const": "named"},
            name=TEXT,
            description=TEXT,
            format={"enum": ["string", "number", "boolean", "filepath"]},
            isRequired={"type": "boolean"},
        ),
        only("type value", type={"const": "positional"}, value=TEXT),
    ]
}
# What the registry's schema of 2025-12-11 asks of an entry for a package of PyPI.
ENTRY = only(
    "name description version packages",
    **{
        "$schema": {
            "pattern": r"^https://static\.modelcontextprotocol\.io/schemas/\d{4}-\d\d-\d\d/"
        }
    },
    name={"pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "minLength": 3, "maxLength": 200},
    title={**TEXT, "maxLength": 100},
    description={**TEXT, "maxLength": 100},
    version={"pattern": r"^\d+\.\d+\.\d+[^<>=^~*x ]*$", "maxLength": 255},
    packages=listed(
        only(
            "registryType identifier version transport",
            registryType={"const": "pypi"},
            identifier=TEXT,
            version={"pattern": r"^\d+\.\d+\.\d+[^<>=^~*x ]*$"},
            runtimeHint={"const": "uvx"},
            transport=only("type", type={"const": "stdio"}),
            packageArguments=listed(ARGUMENT),
        )
    ),
)
# What the manifest's schema 0.4 asks of a bundle that is installed with uv.
MANIFEST = only(
    "manifest_version name version description author server",
    manifest_version={"const": "0.4"},
    **dict.fromkeys(("name", "display_name", "version", "description", "license"), TEXT),
    author=only("name", name=TEXT),
    keywords=listed(TEXT),
    server=only(
        "type entry_point",
        type={"const": "uv"},
        entry_point=TEXT,
        mcp_config=only("command", command=TEXT, args=listed(TEXT)),
    ),
    tools=listed(only("name", name=TEXT, description=TEXT)),
    prompts=listed(
        only("name text", name=TEXT, description=TEXT, arguments=listed(TEXT), text=TEXT)
    ),
    prompts_generated={"type": "boolean"},
    user_config={
        "type": "object",
        "additionalProperties": only(
            "type title description",
            type={"enum": ["string", "number", "boolean", "directory", "file"]},
            title=TEXT,
            description=TEXT,
            required={"type": "boolean"},
        ),
    },
    compatibility=only(
        platforms=listed({"enum": ["darwin", "win32", "linux"]}),
        runtimes=only(python=TEXT),
    ),
)


def test_bundle_and_entry_are_as_registries_ask(tmp_path: Path) -> None:
    bundle, server = make(tmp_path, NAME)
    with zipfile.ZipFile(bundle) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    jsonschema_rs.validate(MANIFEST, manifest)
    entry = json.loads(server.read_text(encoding="utf-8"))
    jsonschema_rs.validate(ENTRY, entry)
    for broken in ({"name": "citeloom"}, {"version": ">=1.0"}, {"description": "x" * 101}):
        assert not jsonschema_rs.is_valid(ENTRY, {**entry, **broken})


@pytest.mark.parametrize("name", ["citeloom", "com.example/a/b", "com.example/", "a b/c"])
def test_what_is_no_name_of_a_registry_is_refused(
    tmp_path: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["make_bundle.py", str(tmp_path), "--name", name])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, list(tmp_path.iterdir())) == (2, [])
    assert "com.example/citeloom" in capsys.readouterr().err


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
