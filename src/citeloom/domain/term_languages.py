"""The languages that a collection's terms are in.

Terms of English need nothing said. Of any other language a chunk's sparse vector says so itself, by
one more index: so vectors made before there was a choice stay true, and each store can tell which
languages it holds without a field of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from citeloom.domain.passage import SparseVector

DEFAULT_LANGUAGE = "en"
TERM_LANGUAGES = frozenset("ar da de el es fi fr hu it nl no pt ro ru sv ta tr".split())
"""The languages whose words may be made into terms in their own way."""

_MARKERS = 0xFFFF0000
"""Markers lie at the end of the second field: no expansion of a question takes them up."""


def primary_language(code: str | None) -> str | None:
    """The language of a tag without region or script: `pt` of `pt-BR`; Norwegian is `no`."""
    language = (code or "").lower().split("-")[0]
    return {"nb": "no", "nn": "no"}.get(language, language) or None


def marked(vector: SparseVector, languages: Iterable[str]) -> SparseVector:
    """The vector with the markers of the languages, save the default one."""
    markers = {_marker(code): 1.0 for code in languages if code in TERM_LANGUAGES}
    if not markers:
        return vector
    terms = sorted({**dict(zip(vector.indices, vector.values)), **markers}.items())
    return SparseVector(
        indices=tuple(index for index, _ in terms), values=tuple(value for _, value in terms)
    )


def any_of(languages: Iterable[str]) -> SparseVector:
    """What finds a chunk with terms in any of the languages."""
    indices = tuple(sorted(map(_marker, languages)))
    return SparseVector(indices=indices, values=(1.0,) * len(indices))


def languages_of(vector: SparseVector) -> frozenset[str]:
    """The languages, save the default one, that the vector has terms in."""
    held = set(vector.indices)
    return frozenset(code for code in TERM_LANGUAGES if _marker(code) in held)


def _marker(code: str) -> int:
    first, second = map(ord, code)
    return _MARKERS | first << 8 | second
