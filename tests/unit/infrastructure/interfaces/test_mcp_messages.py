"""Lines on stdin that are no messages: each is answered, under its id where it has one."""

from __future__ import annotations

import json
import os
from threading import Thread

import mcp_types as types
import pytest

from citeloom.infrastructure.interfaces.mcp.messages import message_in, refusal
from citeloom.infrastructure.interfaces.mcp.stdio import _lines

PARSE, REQUEST, PARAMS = types.PARSE_ERROR, types.INVALID_REQUEST, types.INVALID_PARAMS
CALL = '{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": %s}'
ID_LAST = '{"method": "tools/call", "params": %s, "jsonrpc": "2.0", "id": "a-7"}'
DEEP = '{"a": ' * 900 + "1" + "}" * 900
DEEPER = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("line", "number", "code"),
    [
        (CALL % r'{"name": "query", "arguments": {"text": "\ud83d"}}', 7, PARSE),
        (ID_LAST % r'{"text": "cut \ude00"}', "a-7", PARSE),
        (CALL % "[]", 7, PARAMS),
        (ID_LAST % '"text"', "a-7", PARAMS),
        (CALL % DEEP, 7, PARSE),
        (ID_LAST % DEEP, "a-7", PARSE),
        (ID_LAST % DEEPER, "a-7", PARSE),
        (CALL % r'{"text": "} ] \" {", "id": 8, "more": {"id": 9}, "x": \ud800}', 7, PARSE),
        (CALL % '{"text": nothing}', 7, PARSE),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', None, PARAMS),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', None, PARAMS),
        (r'{"jsonrpc": "2.0", "id": "\ud800", "method": "ping"}', None, PARSE),
        ('{"jsonrpc": "2.0", "id": 7, "result": 5}', None, REQUEST),
        ('{"jsonrpc": "1.0", "id": 7, "params": {}}', None, REQUEST),
        ("not json", None, PARSE),
        ("{}", None, REQUEST),
        ("[]", None, REQUEST),
        ("5", None, REQUEST),
        ('"', None, PARSE),
        ("}{", None, PARSE),
        ("\x00\ufffd", None, PARSE),
    ],
)
def test_a_line_that_is_no_message_is_refused_under_its_id(
    line: str, number: object, code: int
) -> None:
    answer = json.loads(refusal(line).model_dump_json(by_alias=True, exclude_unset=True))
    assert (answer["id"], answer["error"]["code"]) == (number, code)
    assert 20 < len(answer["error"]["message"]) < 300


@pytest.mark.parametrize("number", ["null", '{"a": 1}', "[1]", "1e400", "1.5", "true"])
def test_a_request_whose_id_cannot_be_used_is_no_notification(number: str) -> None:
    line = f'{{"jsonrpc": "2.0", "id": {number}, "method": "ping", "params": {{"id": 1}}}}'
    assert message_in(line) is None
    answer = refusal(line)
    assert (answer.id, answer.error.code) == (None, PARAMS)


def test_a_notification_is_one_whatever_its_params_hold() -> None:
    line = '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"id": 7}}'
    assert isinstance(message_in(line), types.JSONRPCNotification)


def test_lines_arrive_whole_however_they_are_cut() -> None:
    source, target = os.pipe()
    sent = [b'{"id": 1}', b"", b"  ", b"x" * 200_000, "{\u2028}".encode(), b"the last"]

    def write() -> None:
        rest = b"\n".join(sent)
        while rest:
            rest = rest[os.write(target, rest[:7919]) :]
        os.close(target)

    Thread(target=write).start()
    assert [*_lines(source)] == [line for line in sent if line.strip()]
    os.close(source)
