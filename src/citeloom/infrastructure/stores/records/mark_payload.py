"""The payload fields of a Zotero annotation or note."""

from __future__ import annotations

from citeloom.domain.mark import Mark, Rect
from citeloom.infrastructure.stores.records.fields import Fields, text, texts, whole


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
    }


def mark_of(fields: Fields) -> Mark | None:
    """The mark of a payload, if it has one. Raises `TypeError` if it is malformed."""
    key = text(fields, "mark_key")
    if key is None:
        return None
    return Mark(
        key=key,
        fingerprint=text(fields, "mark_fingerprint") or "",
        parts=whole(fields, "mark_parts") or 1,
        quotes=fields.get("mark_quotes") is True,
        comment=text(fields, "mark_comment") or "",
        color=text(fields, "mark_color") or "",
        tags=texts(fields, "mark_tags"),
        rects=_rects(fields.get("mark_rects")),
    )


def _rects(value: object) -> tuple[Rect, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise TypeError("'mark_rects' is not a list")
    return tuple(_rect(*row) for row in value)


def _rect(left: float, bottom: float, right: float, top: float) -> Rect:
    return left, bottom, right, top
