"""Addresses of web pages and DOIs that go on in the next line, where no space belongs."""

from __future__ import annotations

import re
from collections.abc import Callable

_LONGEST = 400  # characters of an address
_BEGINS = re.compile(r"(?:https?|ftp):(?://|/?$)|\bwww\.|\bdoi:|\bdoi\.org/", re.IGNORECASE)
_JOINS = ("=", "&", "?", "%", "#", "~", "_")  # an address ends with none
_GOES_ON = ("/", "?", "&", "=", "#", "%")  # no word begins with one
_ENDS_SENTENCE = re.compile(r"[^/:]/(?:[^/]*/)*[^/]*\.$")  # a full stop behind a path
_INNER = re.compile(r"\w[/._=&?%#~]+\w|/")
_CLOSING = ".,;:!?)]}>\"'\u201d\u2019\u00bb"
_YEAR = re.compile(r"(?:19|20)\d\d[a-z]?")
_MARK = 3  # digits: a number of so few is that of a note


def address_at_end(text: str) -> str:
    """The address that a text ends with, or nothing."""
    words = text[-_LONGEST:].split()
    found = _BEGINS.search(words[-1]) if words else None
    return words[-1][found.start() :] if found else ""


def goes_on(address: str, following: str, is_known: Callable[[str], bool]) -> bool:
    """Whether an address at the end of a line goes on in the next one: it ends with a sign that
    none ends with, or what follows looks like a part of it and is no known word, nor an address.
    """
    parts = following[:_LONGEST].split(maxsplit=1)
    word = parts[0].strip(_CLOSING) if parts else ""
    if not word or (_BEGINS.match(word) and not address.endswith("://")):
        return False
    if address.endswith(_JOINS):
        return True
    if parts[0].startswith(_GOES_ON):
        return not _ENDS_SENTENCE.search(address)
    if address.endswith("/"):
        return not (word.isdecimal() and len(word) <= _MARK) and not is_known(word)
    return _has_host_in(address, word) or (
        address.endswith(".") and _goes_on_behind_dot(address, word)
    )


def _has_host_in(address: str, word: str) -> bool:
    """Whether the name of the host ends in a word: `https://github.` and `com/a/b`."""
    _, scheme, host = address.partition("://")
    is_whole = "/" in host or "." in host.removeprefix("www.").rstrip(".")
    return bool(scheme) and not is_whole and _INNER.search(word) is not None


def _goes_on_behind_dot(address: str, word: str) -> bool:
    if address.rstrip(".").endswith(word):
        return False
    if "doi" in address.lower() and any(map(str.isdecimal, word)):
        return _YEAR.fullmatch(word) is None
    return word[0].islower() and _INNER.search(word) is not None
