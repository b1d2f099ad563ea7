"""The payload fields of a Zotero annotation or note."""

from __future__ import annotations

from dataclasses import fields as fields_of

from citeloom.domain.mark import Mark
from citeloom.infrastructure.stores.records.fields import Fields

_NAMES = {f"mark_{field.name}": field.name for field in fields_of(Mark)}


def mark_fields(mark: Mark | None) -> dict[str, object]:
    """The fields of a mark; none for a chunk of the document itself."""
    if mark is None:
        return {}
    return {
        "mark_key": mark.key,
        "mark_fingerprint": mark.fingerprint,
        "mark_parts": mark.parts,
        "mark_quotes": mark.quotes,
        "mark_comment": mark.comment,
        "mark_color": mark.color,
        "mark_tags": list(mark.tags),
        "mark_rects": [list(rect) for rect in mark.rects],
        "mark_annotation": mark.annotation or None,
    }


def mark_of(fields: Fields) -> dict[str, object] | None:
    """The fields of a payload's mark, if it has one."""
    if fields.get("mark_key") is None:
        return None
    mark: dict[str, object] = {
        name: fields[key] for key, name in _NAMES.items() if fields.get(key) is not None
    }
    return mark | {"quotes": fields.get("mark_quotes") is True}
