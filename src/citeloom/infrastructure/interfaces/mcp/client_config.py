"""The block that makes an editor start the server."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from enum import StrEnum

_NAME = "citeloom"


class Client(StrEnum):
    """Programs that start MCP servers."""

    CLAUDE = "claude"
    CURSOR = "cursor"
    VSCODE = "vscode"
    ZED = "zed"
    CODEX = "codex"


PLACES = {
    Client.CLAUDE: ".mcp.json of a folder (Claude Code), or claude_desktop_config.json",
    Client.CURSOR: "~/.cursor/mcp.json, or .cursor/mcp.json of a folder",
    Client.VSCODE: ".vscode/mcp.json of a folder",
    Client.ZED: "settings.json",
    Client.CODEX: "~/.codex/config.toml",
}
"""Where the block of each belongs."""


def config_block(client: Client, command: Sequence[str]) -> str:
    """The block to paste into the client's settings, with this command."""
    return _BLOCKS[client](list(command))


def _json_block(key: str, **more: object) -> Callable[[list[str]], str]:
    def block(command: list[str]) -> str:
        server = {**more, "command": command[0], "args": command[1:]}
        return json.dumps({key: {_NAME: server}}, indent=2, ensure_ascii=False)

    return block


def _toml_block(command: list[str]) -> str:
    quoted = [json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f") for word in command]
    return f"[mcp_servers.{_NAME}]\ncommand = {quoted[0]}\nargs = [{', '.join(quoted[1:])}]"


_BLOCKS = {
    Client.CLAUDE: _json_block("mcpServers"),
    Client.CURSOR: _json_block("mcpServers"),
    Client.VSCODE: _json_block("servers", type="stdio"),
    Client.ZED: _json_block("context_servers", env={}),
    Client.CODEX: _toml_block,
}
