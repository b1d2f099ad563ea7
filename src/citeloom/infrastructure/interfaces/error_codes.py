"""What becomes of the code of every error: the exit code of a command, and a status of HTTP."""

from __future__ import annotations

from collections.abc import Mapping

OK = 0
FAILURE = 1
USAGE = 2
SOME_FAILED = 3
FINDINGS = 4
UNEXPECTED = 70
INTERRUPTED = 130

_CODES: Mapping[str, tuple[int, int]] = {
    "FAILURE": (FAILURE, 500),
    "NOT_FOUND": (FAILURE, 404),
    "METADATA_MISSING": (FAILURE, 409),
    "BUSY": (FAILURE, 429),
    "INVALID_FILTER": (USAGE, 422),
    "PATH_NOT_ALLOWED": (USAGE, 403),
    "INVALID_PROJECT": (10, 404),
    "INDEX_LOCKED": (11, 503),
    "LIBRARY_LOCKED": (11, 503),
    "EMBEDDING_MISMATCH": (12, 409),
    "HYBRID_NOT_SUPPORTED": (12, 409),
    "INDEX_UNAVAILABLE": (13, 503),
    "SOURCE_UNAVAILABLE": (13, 503),
    "LIBRARY_REFUSED": (13, 503),
    "MODEL_UNAVAILABLE": (13, 503),
    "CONFIG_ERROR": (14, 409),
    "INVALID_REFERENCES": (14, 409),
    "INVALID_QRELS": (14, 409),
    "PROMPT_TOO_LONG": (FAILURE, 422),
    "INCOMPLETE_REPLY": (FAILURE, 502),
    "INVALID_REPLY": (FAILURE, 502),
    "DISK_FULL": (15, 507),
    "TIMEOUT": (SOME_FAILED, 504),
    "UNREADABLE_DOCUMENT": (SOME_FAILED, 422),
    "SOURCE_CHANGED": (SOME_FAILED, 409),
    "PROCESS_KILLED": (SOME_FAILED, 500),
    "ENCRYPTED_DOCUMENT": (SOME_FAILED, 422),
    "EMPTY_DOCUMENT": (SOME_FAILED, 422),
    "INVALID_METADATA": (SOME_FAILED, 422),
    "UNSUPPORTED_FORMAT": (SOME_FAILED, 422),
    "TEXT_REFUSED": (SOME_FAILED, 422),
    "INVALID_POINT_ID": (SOME_FAILED, 500),
}
EXIT_CODES = {code: number for code, (number, _) in _CODES.items()}
STATUS = {code: status for code, (_, status) in _CODES.items()}

DOCUMENTED = frozenset(
    {*EXIT_CODES.values(), OK, USAGE, SOME_FAILED, FINDINGS, UNEXPECTED, INTERRUPTED}
)
"""Every code a command ends with."""
