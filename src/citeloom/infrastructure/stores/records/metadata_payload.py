"""The payload fields of a document's metadata.

Texts and lists are filtered by their `metadata_` key. Numbers, dates and yes or no have a second
key, `number_`, with a number to compare by, so that no store needs to know about dates.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from citeloom.domain.metadata import MetadataValue
from citeloom.infrastructure.stores.records.fields import Fields

METADATA = "metadata_"
NUMBER = "number_"


def metadata_fields(metadata: Mapping[str, MetadataValue]) -> dict[str, object]:
    """The fields of a document's metadata."""
    fields: dict[str, object] = {}
    for name, value in metadata.items():
        fields[METADATA + name] = list(value) if isinstance(value, tuple) else value
        number = number_of(value)
        if number is not None:
            fields[NUMBER + name] = number
    return fields


def metadata_of(fields: Fields) -> dict[str, object]:
    """The metadata in a payload."""
    return {
        key.removeprefix(METADATA): value
        for key, value in fields.items()
        if key.startswith(METADATA)
    }


def number_of(value: MetadataValue) -> float | None:
    """A number that compares as the value does; None for text and lists."""
    if isinstance(value, int | float):
        return float(value)
    if not isinstance(value, str):
        return None
    try:
        return float(date.fromisoformat(value).toordinal())
    except ValueError:
        return None
