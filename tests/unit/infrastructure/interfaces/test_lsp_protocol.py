"""The language server's protocol: no request is left without an answer."""

from __future__ import annotations

import pytest
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from citeloom.infrastructure.interfaces.lsp import AnsweringProtocol


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
