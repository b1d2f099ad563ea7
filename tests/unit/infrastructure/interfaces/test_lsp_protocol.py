"""The language server's protocol: no request is left without an answer."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from citeloom.application.ports.runtime import Cancellation
from citeloom.infrastructure.interfaces.lsp import AnsweringProtocol, EditorSession


@pytest.mark.parametrize("params", [{"textDocument": 5}, {}, 7, None, ["a"]])
def test_a_request_with_wrong_parameters_is_answered_with_an_error(
    params: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = LanguageServer("test", "1", protocol_cls=AnsweringProtocol).protocol
    sent: list[types.ResponseErrorMessage] = []
    monkeypatch.setattr(protocol, "_send_data", sent.append)
    request = {"jsonrpc": "2.0", "id": 3, "method": "textDocument/hover", "params": params}
    protocol.structure_message(request)
    [answer] = sent
    assert answer.id == 3
    assert answer.error is not None


class Drafts:
    """A server and a project whose draft `slow.md` is checked once it is told to be."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.published: list[str] = []
        document = SimpleNamespace(source="", position_codec=None)
        self.workspace = SimpleNamespace(get_text_document=lambda _uri: document)

    def text_document_publish_diagnostics(self, params: types.PublishDiagnosticsParams) -> None:
        self.published.append(params.uri.rpartition("/")[2])

    def open_draft(self, path: Path, cancellation: Cancellation) -> Any:
        assert not cancellation.requested

        def check(_source: str) -> list[object]:
            if path.name == "slow.md":
                assert self.may_end.wait(30)
            return []

        return SimpleNamespace(check_all=check, check_edit=check)


def test_a_slow_draft_keeps_no_other_waiting() -> None:
    drafts = Drafts()
    session = EditorSession(cast("Any", drafts), cast("Any", drafts), Cancellation())

    def opened(name: str) -> types.DidOpenTextDocumentParams:
        item = types.TextDocumentItem(
            uri=f"file:///drafts/{name}", language_id="markdown", version=1, text=""
        )
        return types.DidOpenTextDocumentParams(text_document=item)

    async def edit() -> None:
        slow = asyncio.create_task(session.on_open(opened("slow.md")))
        await asyncio.wait_for(session.on_open(opened("quick.md")), 20)
        assert drafts.published == ["quick.md"]
        drafts.may_end.set()
        await asyncio.wait_for(slow, 20)
        assert drafts.published == ["quick.md", "slow.md"]

    asyncio.run(edit())
