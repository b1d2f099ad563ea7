"""Sessions of the SDK's own client with a server in the same process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from mcp.client.client import Client

from citeloom.infrastructure.interfaces.calls import LibraryService
from citeloom.infrastructure.interfaces.mcp.mcp_server import Offer, make_server

PATIENCE = 180.0
Mode = Literal["legacy", "auto"]


def talk(
    state: LibraryService,
    session: Callable[[Client], Awaitable[None]],
    mode: Mode = "legacy",
    offer: Offer | None = None,
) -> None:
    """Hold a session, which must end in time."""

    async def main() -> None:
        async with Client(make_server(state, offer), mode=mode) as client:
            await asyncio.wait_for(session(client), PATIENCE)

    asyncio.run(main())


async def answer(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    """What a tool answers as a structure; its text is for reading, and no JSON."""
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text  # type: ignore[union-attr]
    assert not result.is_error, text
    assert text.strip()
    assert text.lstrip()[0] not in "{["
    found: dict[str, Any] = result.structured_content
    return found


async def text_of(client: Client, tool: str, **arguments: object) -> str:
    """What a tool answers for reading."""
    result = await client.call_tool(tool, arguments)
    text: str = result.content[0].text  # type: ignore[union-attr]
    return text


async def error(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    """The error of a tool, which has a code and a correlation id; its text names both."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    answer: dict[str, Any] = result.structured_content
    assert set(answer) == {"code", "message", "hint", "correlation_id"}
    text = result.content[0].text  # type: ignore[union-attr]
    assert all(answer[name] in text for name in answer)
    return answer
