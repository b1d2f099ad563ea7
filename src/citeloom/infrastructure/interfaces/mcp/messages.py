"""The messages of the protocol in a text, and the answer to a text that is none."""

from __future__ import annotations

import json
import re
from typing import Any

import mcp_types as types
from pydantic import ValidationError
from pydantic_core import from_json


def message_in(text: str) -> types.JSONRPCMessage | None:
    """The message in a text; None for what is none, and for a request with an unusable id.

    That would pass for a notification, and never be answered.
    """
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        return None
    if isinstance(message, types.JSONRPCNotification) and "id" in _outline(text):
        return None
    return message


def refusal(text: str) -> types.JSONRPCError:
    """The answer to a text that is no message of the protocol, under its id where it has one: it is
    no JSON, no request, or a request whose parameters are no object.
    """
    request = _outline(text)
    is_request, number = isinstance(request.get("method"), str), request.get("id")
    code, message = types.INVALID_REQUEST, "this is not a JSON-RPC 2.0 request"
    if is_request:
        code = types.INVALID_PARAMS
        message = "the params of a request are an object, its id a text or number"
    try:
        from_json(text)
    except ValueError as error:
        code, message = types.PARSE_ERROR, f"this is not valid JSON: {error}"
    is_usable = isinstance(number, str | int) and not isinstance(number, bool)
    return types.JSONRPCError(
        jsonrpc="2.0",
        id=number if is_request and is_usable and str(number).isprintable() else None,
        error=types.ErrorData(code=code, message=message),
    )


def _outline(text: str) -> dict[str, Any]:
    """The object of a text with all lists and objects in it empty; empty for any other text."""
    outside, depth = list[str](), 0
    for part in _TOKEN.findall(text):
        depth -= part in "]}"
        if depth < _INNER:
            outside.append(part)
        depth += part in "[{"
    try:
        outline = json.loads("".join(outside))
    except ValueError:
        return {}
    return outline if isinstance(outline, dict) else {}


_INNER = 2
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]|[^"\[\]{}]+|"', re.DOTALL)
