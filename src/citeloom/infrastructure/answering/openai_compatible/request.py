"""The request for a chat completion, and doing without what a service refuses."""

from __future__ import annotations

from collections.abc import Mapping

from citeloom.application.ports.answer_model import Prompt

Body = Mapping[str, object]
_LIMIT, _NEWER_LIMIT = "max_tokens", "max_completion_tokens"
"""A key of the request, and what newer models call it."""
_OPTIONAL = {
    "response_format": (b"response_format", b"json_schema", b"schema", b"grammar", b"structured"),
    "stream_options": (b"stream_options", b"include_usage"),
    "temperature": (b"temperature",),
    _NEWER_LIMIT: (_NEWER_LIMIT.encode(),),
}
"""What a request can do without, and how services name it in a refusal."""


def request_of(model: str, prompt: Prompt, max_tokens: int) -> Body:
    """The request for a streamed reply in the form of the prompt's schema."""
    schema = {"name": "answer", "strict": True, "schema": dict(prompt.schema)}
    return {
        "model": model,
        "messages": [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0,
        "max_tokens": max_tokens,
        "response_format": {"type": "json_schema", "json_schema": schema},
    }


def without_refused(body: Body, said: bytes) -> Body | None:
    """The request without what the service's refusal names, or without the form of the reply where
    it names nothing; None where there is nothing to do without.
    """
    told = said.lower()
    if _LIMIT in body and _LIMIT.encode() in told:
        return {**_without(body, _LIMIT), _NEWER_LIMIT: body[_LIMIT]}
    named = (key for key, names in _OPTIONAL.items() if any(name in told for name in names))
    refused = next((key for key in named if key in body), "response_format")
    return _without(body, refused) if refused in body else None


def _without(body: Body, key: str) -> Body:
    return {name: value for name, value in body.items() if name != key}
