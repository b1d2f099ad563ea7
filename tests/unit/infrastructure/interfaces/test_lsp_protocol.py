"""The language server's protocol: no request is left without an answer."""

from __future__ import annotations

import asyncio
import threading
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lsprotocol import types
from pygls.exceptions import FeatureNotificationError, JsonRpcException

from citeloom.application.ports.runtime import Cancellation
from citeloom.infrastructure.interfaces.lsp import EditorSession
from citeloom.infrastructure.interfaces.lsp_protocol import AnsweringProtocol, AnsweringServer

HOVER = {"textDocument": {"uri": "file:///a.md"}, "position": {"line": 0, "character": 0}}


class Client:
    """A client of a server that has no stream; `sent` is what it was sent."""

    def __init__(self) -> None:
        self.server = AnsweringServer("test", "1", protocol_cls=AnsweringProtocol)
        self.sent: list[Any] = []
        self.server.protocol._send_data = self.sent.append  # type: ignore[assignment]
        self.says("initialize", {"capabilities": {}}, 1)

    def says(self, method: object, params: object, number: object = None) -> None:
        self.sends(
            {"method": method, "params": params} | ({} if number is None else {"id": number})
        )

    def sends(self, message: object) -> None:
        """Send a message, as the stream hands it on."""
        if isinstance(message, dict):
            message = {"jsonrpc": "2.0"} | message
        self.server.protocol.handle_message(self.server.protocol.structure_message(message))

    def error(self) -> tuple[object, int]:
        """The id and the code of the error that was sent last."""
        answer = self.sent.pop()
        assert "Traceback" not in str(answer)
        return answer.id, answer.error.code


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.mark.parametrize("params", [{"textDocument": 5}, {}, 7, None, ["a"]])
def test_a_request_with_wrong_parameters_is_answered_with_an_error(
    params: object, client: Client
) -> None:
    client.says("textDocument/hover", params, 3)
    assert client.error() == (3, -32602)


@pytest.mark.parametrize("number", [True, 1.5, float("inf"), [1], {"a": 1}])
def test_a_request_with_an_unusable_id_is_answered_under_none(
    number: object, client: Client
) -> None:
    client.says("textDocument/hover", HOVER, number)
    assert client.error() == (None, -32600)


@pytest.mark.parametrize("message", [7, None, "a", [{}], {}, {"jsonrpc": "1.0", "id": 3}])
def test_what_is_no_message_is_answered(message: object, client: Client) -> None:
    client.sends(message)
    assert client.error()[1] == -32600


@pytest.mark.parametrize("method", [5, None, ["a"]])
def test_a_request_of_no_method_is_answered(method: object, client: Client) -> None:
    client.says(method, HOVER, 3)
    assert client.error() == (3, -32600)


def test_requests_before_the_beginning_and_after_the_end_are_answered(client: Client) -> None:
    client.says("initialize", {"capabilities": {}}, 2)
    assert client.error() == (2, -32600)
    client.says("shutdown", None, 3)
    client.says("textDocument/hover", HOVER, 4)
    assert client.error() == (4, -32600)
    client.server.protocol._workspace = None
    client.server.protocol._shutdown = False
    client.says("textDocument/hover", HOVER, 5)
    assert client.error() == (5, -32002)


@pytest.mark.parametrize(
    "message",
    [
        {"method": "textDocument/didChange", "params": {"contentChanges": 5}},
        {"method": "textDocument/didOpen", "params": None},
        {"method": "$/cancelRequest", "params": {"id": []}},
        {"method": "$/cancelRequest", "params": [1]},
        {"method": 5},
        {"method": "no/such", "params": {}},
        {"id": [1], "result": None},
        {"id": "unknown", "result": 5},
        {"id": 7, "error": 5},
    ],
)
def test_what_needs_no_answer_has_none_and_shows_nothing(
    message: dict[str, Any], client: Client
) -> None:
    client.sent.clear()
    client.sends(message)
    assert client.sent == []


def test_a_fault_is_answered_without_its_traceback(client: Client) -> None:
    def fails(_params: object) -> None:
        raise ZeroDivisionError

    client.server.feature("textDocument/hover")(fails)
    client.says("textDocument/hover", HOVER, 3)
    answer = client.sent.pop()
    assert (answer.error.code, answer.error.data) == (-32603, None)
    assert "ZeroDivision" not in answer.error.message


def test_what_is_not_json_is_answered_and_other_faults_pop_up_nowhere(client: Client) -> None:
    client.server.report_server_error(ValueError("no JSON"), JsonRpcException)
    assert client.error() == (None, -32700)
    client.sent.clear()
    client.server.report_server_error(KeyError("a"), FeatureNotificationError)
    assert client.sent == []


def test_a_change_of_a_document_that_is_not_open_is_one_line_of_the_log(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    document = {"uri": "file:///my%20draft.md", "version": 2}
    change = {"textDocument": document, "contentChanges": [{"text": "new"}]}
    client.says("textDocument/didChange", change)
    said = "the editor changes a document that it has not opened: file:///my%20draft.md"
    assert [record.getMessage() for record in caplog.records] == [said]
    opened = {"languageId": "markdown", "text": ""} | document
    client.says("textDocument/didOpen", {"textDocument": opened})
    client.says("textDocument/didChange", change)
    [draft] = client.server.workspace.text_documents.values()
    assert (len(caplog.records), draft.source) == (1, "new")


@pytest.mark.parametrize("body", [b'{"jsonrpc": "2.0", "id": 1,', b"\xff\xfe", b"[" * 100_000])
def test_a_message_that_is_not_json_is_one_line_of_the_log(
    body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    server = AnsweringServer("test", "1", protocol_cls=AnsweringProtocol)
    sent = BytesIO()
    sent.close = lambda: None  # type: ignore[method-assign]
    server.start_io(BytesIO(b"Content-Length: %d\r\n\r\n%b" % (len(body), body)), sent)
    assert b'"code": -32700' in sent.getvalue()
    [record] = caplog.records
    assert record.getMessage().startswith("a message from the editor is not JSON: ")
    assert (record.exc_info, "\n" in record.getMessage()) == (None, False)


class Drafts:
    """A server and a project whose draft `slow.md` is checked once it is told to be."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.published: list[str] = []
        self.workspace = SimpleNamespace(text_documents={}, position_codec=None)

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
