"""Fingerprints of everything a stored chunk depends on, so that a change of it is noticed."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, fields
from functools import lru_cache
from json import JSONEncoder

from citeloom.domain.policies import ChunkingPolicy, InstalledStrategy
from citeloom.domain.project import SCHEMA_VERSION, Project
from citeloom.domain.references.citation import CitationMeta

CHUNKER_VERSION = 13
"""Goes up whenever the same document would be cut or placed in another way."""

_CITED = tuple(field.name for field in fields(CitationMeta))
_ALWAYS = frozenset(
    "citekey title authors year doi url tags collections language container pages item_key".split()
)
"""The first fields; those added since leave the fingerprints of references without them as they
were.
"""

_NO_LONGER_CHOSEN = {"tokenizer_id": None}
"""A setting taken out that stays in the fingerprint: documents need no processing again for it."""

_ANY_STRATEGY = (
    "max_tokens",
    "overlap_tokens",
    "heading_context",
    "min_chunk_tokens",
    "min_signal_to_noise",
)

EMBEDDED_VERSION = 3
"""Goes up whenever the same chunk would be given other vectors."""


MARKDOWN_VERSION = 4
"""Goes up whenever something else is stored of the same Markdown file."""


MARKS_VERSION = 3
"""Goes up whenever the same annotation or note would be made into other chunks."""


def policy_fingerprint(
    project: Project, converter_version: str, *, front_matter: bool = False
) -> str:
    """Changes when a document of the project has to be processed again; one that may have
    `front_matter` also when other fields are declared.
    """
    declared = project.front_matter.declared if front_matter else ()
    return _digest(
        **({"front_matter": [asdict(field) for field in declared]} if declared else {}),
        **({"markdown_version": MARKDOWN_VERSION} if front_matter else {}),
        converter=converter_version,
        chunker=CHUNKER_VERSION,
        embedded=EMBEDDED_VERSION,
        chunking=_chunking(project.chunking),
        dense=project.embedding_model,
        sparse=project.bound_sparse_model,
        schema=SCHEMA_VERSION,
        **({"point_id": project.point_id} if project.point_id else {}),
    )


def _chunking(policy: ChunkingPolicy) -> dict[str, object]:
    """The settings that chunks depend on; for headings as before there were other strategies."""
    shared = {name: getattr(policy, name) for name in _ANY_STRATEGY}
    strategy = policy.strategy
    if isinstance(strategy, InstalledStrategy):
        return {**shared, "strategy": strategy.value, "version": strategy.version}
    if policy.parameters is None:
        return {**shared, **_NO_LONGER_CHOSEN}
    return {**shared, "strategy": policy.strategy.value, **asdict(policy.parameters)}


def chunking_settings(policy: ChunkingPolicy) -> dict[str, str]:
    """The same settings by name, to be compared with those of another machine."""
    parameters = asdict(policy.parameters) if policy.parameters is not None else {}
    settings = {name: getattr(policy, name) for name in _ANY_STRATEGY} | parameters
    written = {name: "default" if value is None else str(value) for name, value in settings.items()}
    return {"strategy": policy.strategy.value, **written, "chunker version": str(CHUNKER_VERSION)}


@lru_cache(1024)
def failure_fingerprint(policy: str, *, suffix: str, reading: str, limits: str) -> str:
    """Changes when a document that failed may be read: with its kind of file, with how its images
    would be read, and with the limits it is held to.
    """
    return _digest(policy=policy, suffix=suffix, reading=reading, limits=limits)


def citation_fingerprint(citation: CitationMeta | None) -> str:
    """Changes when what is stored of a reference changes; empty without one."""
    if citation is None:
        return ""
    fields = {name: getattr(citation, name) for name in _CITED}
    return _digest(**{name: value for name, value in fields.items() if value or name in _ALWAYS})


def mark_fingerprint(policy: str, **parts: object) -> str:
    """Changes when an annotation or a note, or what is known of its work, would be embedded anew.

    `policy` is the fingerprint of the project's policies and models.
    """
    return _digest(policy=policy, marks=MARKS_VERSION, **parts)


_IN_ORDER = JSONEncoder(sort_keys=True)


def _digest(**parts: object) -> str:
    return hashlib.sha256(_IN_ORDER.encode(parts).encode()).hexdigest()[:16]
