"""RIS, parsed with rispy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import rispy

from citeloom.domain.errors import InvalidReferences
from citeloom.domain.references.bibliography import Bibliography, RawReference, assemble, texts_of

_TAG_LINE = re.compile(r"\s*([A-Z][A-Z0-9]) {1,2}- ?(.*)")
_END = "ER  - "


def read(text: str, name: str) -> Bibliography:
    """The references in `text`, records without an end tag included.

    Raises `InvalidReferences` for a non-empty text without any record.
    """
    tags = {tag: tag for tag in (*rispy.TAG_KEY_MAPPING, "BT", "CT", "ED")}
    records = rispy.loads(
        "\n".join(_closed_records(text)),
        mapping=tags,
        list_tags=[tag for tag in tags if tag not in ("TY", "ER")],
        delimiter_tags_mapping={},
        skip_unknown_tags=True,
    )
    if text.strip() and not records:
        raise InvalidReferences(
            f"{name} has no RIS record: none of its lines begins with `TY  - `.",
            hint="Export the library again as RIS, or correct the file's suffix.",
        )
    return assemble(_reference(at, record) for at, record in enumerate(records, start=1))


def _closed_records(text: str) -> Iterator[str]:
    """One line per field, in standard form: values that were wrapped over several lines joined, and
    missing end tags added.
    """
    fields: list[str] = []
    for line in text.splitlines():
        if match := _TAG_LINE.fullmatch(line):
            fields.append(f"{match[1]}  - {match[2]}")
        elif fields:
            fields[-1] += f" {line.strip()}"
    is_open = False
    for line in fields:
        if is_open and line.startswith("TY"):
            yield _END
        is_open = line.startswith("TY") or (is_open and not line.startswith("ER"))
        yield line
    if is_open:
        yield _END


def _reference(position: int, record: Mapping[str, list[str]]) -> RawReference:
    def first(*tags: str) -> str:
        return next((value for tag in tags for value in record.get(tag, ()) if value), "")

    def all_of(*tags: str) -> tuple[str, ...]:
        return tuple(value for tag in tags for value in record.get(tag, ()))

    pages = "-".join(filter(None, (first("SP"), first("EP"))))
    texts = texts_of("ris", first, pages=pages)
    texts["container"] *= texts["container"] != texts["title"]
    return RawReference(
        name=str(position),
        citekey=first("ID", "LB"),
        authors=all_of("AU", "A1") or all_of("A2", "ED", "A3"),
        tags=all_of("KW"),
        note="\n".join(all_of("N1", "M1", "C1")),
        links=all_of("UR", "ID"),
        files=all_of("L1", "L2"),
        item_type="".join(record.get("TY", ())),  # a text, unlike the others
        identifiers={"isbn": first("SN")},
        **texts,
    )
