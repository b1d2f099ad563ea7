"""Makes a bundle (.mcpb) and a server.json, for registries and hosts of MCP servers.

The bundle has the sources and what they depend on; the host installs that with uv.
"""

from __future__ import annotations

import argparse
import json
import re
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from citeloom.infrastructure.interfaces.mcp.mcp_server import TOOLS
from citeloom.infrastructure.interfaces.mcp.resources import PROMPTS

ROOT = Path(__file__).parents[1]
_BESIDE = ("pyproject.toml", "README.md", "LICENSE")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
_NAME = re.compile(r"(?=.{3,200}\Z)[A-Za-z0-9.-]+/[A-Za-z0-9._-]+")
"""What registries take for a name: a domain backwards, a slash, the server's own name."""
_SETTINGS = "The citeloom.toml of your library"
Json = dict[str, object]


def main() -> None:
    """Write both files into a folder, and print where they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the files are written")
    parser.add_argument("--name", required=True, help="as registries know it: com.example/citeloom")
    arguments = parser.parse_args()
    if not _NAME.fullmatch(arguments.name):
        parser.error(f"'{arguments.name}' is no name of a registry, such as com.example/citeloom")
    for path in make(arguments.folder, arguments.name):
        print(path)


def make(folder: Path, name: str) -> tuple[Path, Path]:
    """The bundle and the server.json, written into the folder. The same sources give the same
    bytes.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder.mkdir(parents=True, exist_ok=True)
    bundle = folder / f"{project['name']}-{project['version']}.mcpb"
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "manifest.json", _text(manifest(project)))
        for path in _sources():
            _add(archive, path.relative_to(ROOT).as_posix(), path.read_bytes())
    server = folder / "server.json"
    server.write_bytes(_text(server_json(project, name)))
    return bundle, server


def manifest(project: Json) -> Json:
    """The manifest of the bundle."""
    return {
        "manifest_version": "0.4",
        "name": project["name"],
        "display_name": "citeloom",
        "version": project["version"],
        "description": project["description"],
        "author": {"name": "citeloom contributors"},
        "license": project["license"],
        "keywords": project["keywords"],
        "server": {
            "type": "uv",
            "entry_point": "src/citeloom/__main__.py",
            "mcp_config": {"command": "uv", "args": [*_UV, "--config", _CONFIG, "mcp"]},
        },
        "tools": [{"name": one.name, "description": one.description} for one in TOOLS.values()],
        "prompts": [
            {
                "name": one.name,
                "description": one.description,
                "arguments": [argument.name for argument in one.arguments or ()],
                "text": one.description,
            }
            for one in PROMPTS
        ],
        "prompts_generated": True,
        "user_config": {
            "config": {
                "type": "file",
                "title": "Library",
                "description": _SETTINGS,
                "required": True,
            }
        },
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": str(project["requires-python"]).replace(",", " ")},
        },
    }


_UV = ("run", "--no-dev", "--directory", "${__dirname}", "citeloom")
_CONFIG = "${user_config.config}"


def server_json(project: Json, name: str) -> Json:
    """The entry of the server in a registry."""
    settings = {
        "type": "named",
        "name": "--config",
        "description": _SETTINGS,
        "format": "filepath",
        "isRequired": True,
    }
    package = {
        "registryType": "pypi",
        "identifier": project["name"],
        "version": project["version"],
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [settings, {"type": "positional", "value": "mcp"}],
    }
    return {
        "$schema": _SCHEMA,
        "name": name,
        "title": "citeloom",
        "description": project["description"],
        "version": project["version"],
        "packages": [package],
    }


def _sources() -> Iterator[Path]:
    yield from (ROOT / name for name in _BESIDE)
    for path in sorted((ROOT / "src").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


def _text(value: Json) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), data, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
