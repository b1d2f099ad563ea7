"""The documented JSON of an error, the same on every door."""

from __future__ import annotations

from citeloom.domain.errors import CiteloomError


def error_json(error: BaseException, correlation_id: str) -> dict[str, object]:
    """Code, message, hint and correlation id; of an error that is none of citeloom's, only that it
    happened.
    """
    known = error if isinstance(error, CiteloomError) else _FAULT
    return {
        "code": known.code,
        "message": known.message,
        "hint": known.hint,
        "correlation_id": correlation_id,
    }


_FAULT = CiteloomError(
    "a fault in citeloom ended the call", "The log has the details under the correlation id."
)
