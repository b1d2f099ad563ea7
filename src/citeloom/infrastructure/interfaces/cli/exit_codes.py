"""The exit code of every error."""

from __future__ import annotations

from citeloom.domain.errors import CiteloomError

OK = 0
FAILURE = 1
USAGE = 2
SOME_FAILED = 3
FINDINGS = 4
UNEXPECTED = 70
INTERRUPTED = 130

EXIT_CODES = {
    "FAILURE": FAILURE,
    "NOT_FOUND": FAILURE,
    "METADATA_MISSING": FAILURE,
    "BUSY": FAILURE,
    "INVALID_FILTER": USAGE,
    "PATH_NOT_ALLOWED": USAGE,
    "INVALID_PROJECT": 10,
    "INDEX_LOCKED": 11,
    "LIBRARY_LOCKED": 11,
    "EMBEDDING_MISMATCH": 12,
    "HYBRID_NOT_SUPPORTED": 12,
    "INDEX_UNAVAILABLE": 13,
    "SOURCE_UNAVAILABLE": 13,
    "MODEL_UNAVAILABLE": 13,
    "CONFIG_ERROR": 14,
    "INVALID_REFERENCES": 14,
    "INVALID_QRELS": 14,
    "DISK_FULL": 15,
    "TIMEOUT": SOME_FAILED,
    "UNREADABLE_DOCUMENT": SOME_FAILED,
    "SOURCE_CHANGED": SOME_FAILED,
    "PROCESS_KILLED": SOME_FAILED,
    "ENCRYPTED_DOCUMENT": SOME_FAILED,
    "EMPTY_DOCUMENT": SOME_FAILED,
    "INVALID_METADATA": SOME_FAILED,
    "UNSUPPORTED_FORMAT": SOME_FAILED,
    "TEXT_REFUSED": SOME_FAILED,
    "INVALID_POINT_ID": SOME_FAILED,
}

DOCUMENTED = frozenset(
    {*EXIT_CODES.values(), OK, USAGE, SOME_FAILED, FINDINGS, UNEXPECTED, INTERRUPTED}
)
"""Every code a command ends with."""


def exit_code(error: CiteloomError) -> int:
    """The code the process ends with after this error."""
    return EXIT_CODES[error.code]
