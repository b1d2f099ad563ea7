"""The older payload, with `project`, `source`, `zotero` and `doc` objects."""

from __future__ import annotations

from collections.abc import Mapping

_DOC_KEYS = {
    "id": "doc_id",
    "chunk_id": "chunk_id",
    "chunk_idx": "chunk_idx",
    "page_start": "page_start",
    "page_end": "page_end",
    "section_path": "section_path",
    "heading_chain": "heading_chain",
    "text": "chunk_text",
    "chunk_text": "chunk_text",
    "token_count": "token_count",
    "signal_to_noise": "signal_to_noise",
}
_ZOTERO_KEYS = (
    "citekey",
    "title",
    "authors",
    "year",
    "doi",
    "url",
    "tags",
    "collections",
    "language",
    "item_key",
    "attachment_key",
)
_PARTS = frozenset(("project", "source", "zotero", "doc"))
_LISTS = ("authors", "tags", "collections", "section_path", "heading_chain")


def is_nested(payload: Mapping[str, object]) -> bool:
    """Whether a payload is of the older form."""
    return not _PARTS.isdisjoint(payload)


def flattened(payload: Mapping[str, object]) -> dict[str, object]:
    """An older payload with the current keys; current keys at its top level are kept."""
    doc, zotero = _part(payload, "doc"), _part(payload, "zotero")
    flat = dict(payload)
    flat.setdefault("project_id", _named(payload, "project", "id"))
    flat.setdefault("source_path", _named(payload, "source", "path"))
    flat |= {_DOC_KEYS[key]: value for key, value in doc.items() if key in _DOC_KEYS}
    flat |= {key: zotero[key] for key in _ZOTERO_KEYS if key in zotero}
    if "page_start" not in flat and isinstance(span := doc.get("page_span"), list):
        flat["page_start"], flat["page_end"] = span
    flat |= {key: _listed(flat[key]) for key in _LISTS if key in flat}
    flat["year"] = _year(flat.get("year"))
    return flat


def _part(payload: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = payload.get(key)
    return value if isinstance(value, Mapping) else {}


def _named(payload: Mapping[str, object], key: str, inner: str) -> object:
    value = payload.get(key)
    return value.get(inner) if isinstance(value, Mapping) else value


def _listed(value: object) -> object:
    if isinstance(value, str):
        return [part.strip() for part in value.split(" > ")]
    return value


def _year(value: object) -> object:
    return int(value) if isinstance(value, str) and value.isdigit() else value
