"""Every error citeloom raises on purpose, in one tree, and the nearest known name for a hint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import ClassVar

# Every error citeloom raises on purpose, in one tree.


class CiteloomError(Exception):
    """A failure a user can act on: what went wrong in `message`, the next step in `hint`."""

    code: ClassVar[str] = "FAILURE"
    may_pass: ClassVar[bool] = False
    """Whether the same document may well be read next time, with nothing changed."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class InvalidProject(CiteloomError):
    """The project's id is malformed, or no such project or collection exists."""

    code = "INVALID_PROJECT"


class NotFound(CiteloomError):
    """The project holds no chunk, document or work of that name, or there is no such job."""

    code = "NOT_FOUND"


class InvalidFilter(CiteloomError):
    """A query's text, filter or limit, or another argument, is empty, impossible or too large."""

    code = "INVALID_FILTER"


class EmbeddingMismatch(CiteloomError):
    """The collection is bound to models other than the requested ones."""

    code = "EMBEDDING_MISMATCH"


class HybridNotSupported(CiteloomError):
    """A hybrid or sparse query on a collection that has no sparse vectors."""

    code = "HYBRID_NOT_SUPPORTED"


class IndexUnavailable(CiteloomError):
    """The vector index cannot be reached or read."""

    code = "INDEX_UNAVAILABLE"
    status: int | None = None
    """The status of HTTP with which a server refused, if one did."""


class IndexLocked(CiteloomError):
    """Another process holds the project's index."""

    code = "INDEX_LOCKED"


class DiskFull(CiteloomError):
    """The disk of the data folder has too little free space to continue."""

    code = "DISK_FULL"


class DeadlineExceeded(CiteloomError):
    """A document, a page or a call took longer than its time limit."""

    code = "TIMEOUT"


class UnreadableDocument(CiteloomError):
    """The file is damaged, truncated, or not what its name says."""

    code = "UNREADABLE_DOCUMENT"


class SourceChanged(CiteloomError):
    """The file has other bytes than when the run began."""

    code = "SOURCE_CHANGED"
    may_pass = True


class ProcessKilled(CiteloomError):
    """The process that worked on the document was killed from outside, or ran out of memory."""

    code = "PROCESS_KILLED"
    may_pass = True


class EncryptedDocument(CiteloomError):
    """The file is protected by a password."""

    code = "ENCRYPTED_DOCUMENT"


class EmptyDocument(CiteloomError):
    """The file holds no text: zero bytes, no pages, or images only."""

    code = "EMPTY_DOCUMENT"


class InvalidMetadata(CiteloomError):
    """The front matter of a Markdown file is broken, lacks a required field or has an invalid one,
    or no text follows it. `fields` has what could be read of it.
    """

    code = "INVALID_METADATA"

    def __init__(
        self, message: str, hint: str = "", *, fields: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message, hint)
        self.fields = fields or {}


class InvalidPointId(CiteloomError):
    """A chunk's id, made by the project's template, is another chunk's, too, or lacks a field."""

    code = "INVALID_POINT_ID"
    may_pass = True


class UnsupportedFormat(CiteloomError):
    """No converter reads this kind of file."""

    code = "UNSUPPORTED_FORMAT"


class InvalidReferences(CiteloomError):
    """The references file cannot be read as CSL-JSON, BibTeX or RIS."""

    code = "INVALID_REFERENCES"


class InvalidQrels(CiteloomError):
    """The questions, test collection or run to evaluate with cannot be read, or do not fit."""

    code = "INVALID_QRELS"


class ModelUnavailable(CiteloomError):
    """An embedding model is not on this machine and cannot be downloaded or reached."""

    code = "MODEL_UNAVAILABLE"


class TextRefused(CiteloomError):
    """The embedding service refuses a text of the document, most likely for its length."""

    code = "TEXT_REFUSED"


class PromptTooLong(CiteloomError):
    """A question and its passages are longer than the language model can read."""

    code = "PROMPT_TOO_LONG"


class IncompleteReply(CiteloomError):
    """A language model's reply was cut off."""

    code = "INCOMPLETE_REPLY"


class InvalidReply(CiteloomError):
    """A language model's reply was empty, or not in the required format."""

    code = "INVALID_REPLY"


class ConfigError(CiteloomError):
    """The configuration has an unknown key or an impossible value."""

    code = "CONFIG_ERROR"


class SourceUnavailable(CiteloomError):
    """A source of documents, such as a folder or Zotero, cannot be reached."""

    code = "SOURCE_UNAVAILABLE"


class LibraryRefused(SourceUnavailable):
    """Zotero gives no access to a library, or to any."""

    code = "LIBRARY_REFUSED"


class LibraryLocked(CiteloomError):
    """The Zotero library is locked by another program."""

    code = "LIBRARY_LOCKED"


class MetadataMissing(CiteloomError):
    """A citation was requested for a passage whose document has no reference."""

    code = "METADATA_MISSING"


class PathNotAllowed(CiteloomError):
    """A path given by a client is a link or a device, or lies outside the folders it may name."""

    code = "PATH_NOT_ALLOWED"


class Busy(CiteloomError):
    """Too many calls or jobs are running or waiting for another to be accepted now."""

    code = "BUSY"
    may_pass = True


# A package of an extra that is not installed.


def extra_missing(what: str, extra: str) -> ConfigError:
    """The error of whatever needs a package of an extra: what is missing, and how to install it."""
    return ConfigError(what, f"Install it in the checkout: pip install '.[{extra}]'")


# The known names that come nearest to one that is not known.

_MOST = 3
_SHORTEST = 3
_ALIKE = 0.75
_LETTERS = re.compile(r"[^\W\d_]+")


def nearest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known names most like `name`, at most three: those that differ in a few letters, then
    those that begin with it, or with the author in it, whatever the case.
    """
    by_fold = {name.casefold(): name for name in sorted(known) if name}
    folded = name.casefold().removeprefix("@")
    close = dict.fromkeys(get_close_matches(folded, by_fold, n=_MOST))
    if len(folded) >= _SHORTEST:
        close |= dict.fromkeys(name for name in by_fold if name.startswith(folded))
    close |= dict.fromkeys(_with_author_of(folded, by_fold))
    return tuple(by_fold[name] for name in close)[:_MOST]


def nearest_hint(name: str, known: Iterable[str], otherwise: str) -> str:
    """A hint that names the known names most like `name`, or else says `otherwise`."""
    near = nearest(name, known)
    return f"Did you mean {' or '.join(near)}?" if near else otherwise


def _with_author_of(citekey: str, known: Iterable[str]) -> list[str]:
    """The citekeys that begin with the same author, or one spelt nearly so."""
    author = _leading_letters(citekey)
    if len(author) < _SHORTEST:
        return []
    begin = {name: _leading_letters(name)[: len(author)] for name in known}
    close = get_close_matches(author, set(begin.values()), n=_MOST, cutoff=_ALIKE)
    return [name for spelt in close for name, its in begin.items() if its == spelt]


def _leading_letters(citekey: str) -> str:
    letters = _LETTERS.match(citekey)
    return letters[0] if letters else ""
