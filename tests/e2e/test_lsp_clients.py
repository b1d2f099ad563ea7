"""`lsp` with the capabilities that editors send, over stdin and stdout, by pytest-lsp's client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import JsonRpcException

from tests.e2e.command import COMMAND, Desk

lsp = pytest.importorskip("pytest_lsp", reason="pytest-lsp is not installed (requirements/dev.txt)")

SENTENCE = "it is a promise"
DRAFT = f"""Ça coûte 🌉🌉 un café: @okoro2019 [p. 1] says "{SENTENCE}".

Bridges 🌉 were weighed: "nobody ever wrote any of this down" [@ruiz2021].
"""
ZED: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "applyEdit": True,
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]},
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "diagnostic": {"refreshSupport": True},
    },
    "textDocument": {
        "synchronization": {"didSave": True, "dynamicRegistration": True},
        "completion": {
            "completionItem": {
                "snippetSupport": True,
                "labelDetailsSupport": True,
                "insertReplaceSupport": True,
                "resolveSupport": {"properties": ["documentation", "additionalTextEdits"]},
            },
            "completionList": {"itemDefaults": ["editRange", "insertTextFormat"]},
            "contextSupport": True,
        },
        "hover": {"contentFormat": ["markdown"], "dynamicRegistration": True},
        "definition": {"linkSupport": True},
        "codeAction": {
            "codeActionLiteralSupport": {
                "codeActionKind": {"valueSet": ["refactor", "quickfix", "source"]}
            },
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit", "command"]},
        },
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
        "diagnostic": {"dynamicRegistration": True, "relatedDocumentSupport": True},
    },
    "window": {"workDoneProgress": True, "showDocument": {"support": False}},
}
"""What Zed sends, shortened."""
EDITORS = ("visual-studio-code", "neovim", "neovim@v0.6.1", "emacs", "zed")


def capabilities(editor: str) -> types.ClientCapabilities:
    if editor == "zed":
        return get_converter().structure(ZED, types.ClientCapabilities)
    found: types.ClientCapabilities = lsp.client_capabilities(editor)
    return found


class Session:
    """A client beside the command, with a draft; columns in the units that both agreed on."""

    def __init__(self, client: Any, path: Path) -> None:
        self.client = client
        self.uri = path.as_uri()
        self.text = DRAFT
        self.version = 1
        self.encoding = types.PositionEncodingKind.Utf16

    async def open(self, editor: str) -> list[types.Diagnostic]:
        params = types.InitializeParams(
            capabilities=capabilities(editor),
            root_uri=self.uri.rpartition("/")[0],
            client_info=types.ClientInfo(name=editor),
            locale="en",
        )
        result = await self.client.initialize_session(params)
        sync = result.capabilities.text_document_sync
        assert sync.change is types.TextDocumentSyncKind.Incremental
        self.encoding = result.capabilities.position_encoding or self.encoding
        item = types.TextDocumentItem(self.uri, "markdown", self.version, self.text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics()

    async def diagnostics(self) -> list[types.Diagnostic]:
        method = types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS
        await asyncio.wait_for(self.client.wait_for_notification(method), 120)
        found: list[types.Diagnostic] = list(self.client.diagnostics[self.uri])
        return found

    def position(self, offset: int) -> types.Position:
        before = self.text[:offset]
        column = before.rpartition("\n")[2]
        codec, width = {
            types.PositionEncodingKind.Utf8: ("utf-8", 1),
            types.PositionEncodingKind.Utf16: ("utf-16-le", 2),
            types.PositionEncodingKind.Utf32: ("utf-32-le", 4),
        }[types.PositionEncodingKind(self.encoding)]
        return types.Position(before.count("\n"), len(column.encode(codec)) // width)

    def range(self, words: str, *, less: int = 0) -> types.Range:
        start = self.text.index(words)
        return types.Range(self.position(start), self.position(start + len(words) - less))

    async def actions(self, words: str, found: list[types.Diagnostic]) -> list[Any]:
        """What the editor may do about words."""
        action = types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(self.uri),
            range=self.range(words),
            context=types.CodeActionContext(diagnostics=found),
        )
        return list(await self.client.text_document_code_action_async(action))

    def change(self, *edits: tuple[str, str]) -> None:
        """Type over parts of the draft, all in one notification, each upon the one before."""
        changes = []
        for old, new in edits:
            changes.append(types.TextDocumentContentChangePartial(text=new, range=self.range(old)))
            self.text = self.text.replace(old, new, 1)
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, changes))

    def at(self, words: str) -> dict[str, Any]:
        return {
            "text_document": types.TextDocumentIdentifier(self.uri),
            "position": self.range(words).start,
        }


Run = Callable[[Callable[[Session], Coroutine[Any, Any, None]]], None]


@pytest.fixture
def edit(ingested: Desk, tmp_path: Path) -> Run:
    """Runs a session with a server that is the command itself, and ends it as an editor does."""
    path = tmp_path / "thesis.md"
    path.write_text(DRAFT, encoding="utf-8")

    async def run(session: Callable[[Session], Coroutine[Any, Any, None]]) -> None:
        client = lsp.make_test_lsp_client()
        command = [str(word) for word in COMMAND]
        await client.start_io(*command, "lsp", cwd=ingested.folder, env=ingested.environment)
        await session(Session(client, path))
        await asyncio.wait_for(client.shutdown_session(), 60)
        assert client.error is None
        assert client._server.returncode == 0
        await client.stop()

    return lambda session: asyncio.run(run(session))


@pytest.mark.parametrize("editor", EDITORS)
def test_each_editor_is_served_in_its_units(edit: Run, editor: str) -> None:
    async def session(open_in: Session) -> None:
        found = await open_in.open(editor)
        assert [one.code for one in found] == ["wrong_page", "absent"]
        assert found[0].range == open_in.range(SENTENCE)
        assert found[1].range == open_in.range("nobody ever wrote any of this down")
        correct = await open_in.actions(SENTENCE, found[:1])
        [edit_of_page] = correct[0].edit.changes[open_in.uri]
        assert (edit_of_page.new_text, edit_of_page.range) == (
            "2",
            open_in.range("1] says", less=6),
        )
        open_in.change(("🌉🌉", "🌉é🌉"), ("[p. 1]", "[p. 2]"))
        [left] = await open_in.diagnostics()
        assert left.range == open_in.range("nobody ever wrote any of this down")
        hover = await open_in.client.text_document_hover_async(
            types.HoverParams(**open_in.at(SENTENCE))
        )
        assert SENTENCE in hover.contents.value

    edit(session)


def test_requests_that_are_cancelled_leave_the_server_as_it_was(edit: Run) -> None:
    async def session(open_in: Session) -> None:
        await open_in.open("visual-studio-code")
        client, params = open_in.client, types.HoverParams(**open_in.at(SENTENCE))
        waiting = []
        for number in range(5):
            name = f"hover-{number}"
            waiting.append(
                client.protocol.send_request_async(types.TEXT_DOCUMENT_HOVER, params, msg_id=name)
            )
            client.cancel_request(types.CancelParams(id=name))
        client.cancel_request(types.CancelParams(id="no such request"))
        ended = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 60)
        cancelled = [one for one in ended if isinstance(one, JsonRpcException)]
        assert len(cancelled) + sum(one is not None for one in ended) >= 5
        assert {one.code for one in cancelled} <= {types.LSPErrorCodes.RequestCancelled.value}
        hover = await asyncio.wait_for(client.text_document_hover_async(params), 60)
        assert SENTENCE in hover.contents.value

    edit(session)


def test_an_exit_without_a_shutdown_ends_the_server(ingested: Desk, tmp_path: Path) -> None:
    async def run() -> None:
        client = lsp.make_test_lsp_client()
        command = [str(word) for word in COMMAND]
        await client.start_io(*command, "lsp", cwd=ingested.folder, env=ingested.environment)
        await Session(client, tmp_path / "thesis.md").open("emacs")
        client.exit(None)
        assert await asyncio.wait_for(client._server.wait(), 60) in {0, 1}
        client._stop_event.set()
        await client.stop()

    asyncio.run(run())
