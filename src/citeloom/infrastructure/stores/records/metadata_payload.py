"""The payload fields of a document's metadata.

Texts and lists are filtered by their `metadata_` key. Numbers, dates and yes or no have a second
key, `number_`, with a number to compare by, so that no store needs to know about dates.
Undeclared fields of front matter have an `undeclared_` key, which no store indexes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from citeloom.domain.metadata import MetadataValue, number_of
from citeloom.domain.where import CHUNK_FIELDS
from citeloom.infrastructure.stores.records.fields import Fields

METADATA = "metadata_"
NUMBER = "number_"
UNDECLARED = "undeclared_"
_LONG = ("summary", "llm_hints")


def metadata_fields(
    metadata: Mapping[str, MetadataValue], undeclared: Set[str] = frozenset()
) -> dict[str, object]:
    """The fields of a document's metadata."""
    fields: dict[str, object] = {}
    for name, value in metadata.items():
        stored = list(value) if isinstance(value, tuple) else value
        if name in undeclared:
            fields[UNDECLARED + name] = stored
            continue
        fields[METADATA + name] = stored
        number = number_of(value)
        if number is not None:
            fields[NUMBER + name] = number
    return fields


def filterable_keys(payload: Fields) -> Iterator[str]:
    """The keys of a payload by which its metadata, and what the chunk is, are filtered; those of
    long texts are not.
    """
    yield from payload.keys() & CHUNK_FIELDS.keys()
    for key in payload:
        name = key.removeprefix(METADATA)
        if key.startswith(NUMBER) or (
            key.startswith(METADATA) and name not in _LONG and NUMBER + name not in payload
        ):
            yield key


def metadata_of(fields: Fields) -> dict[str, object]:
    """The metadata in a payload, the undeclared fields among them."""
    return {**_named(fields, UNDECLARED), **_named(fields, METADATA)}


def undeclared_names(fields: Fields) -> tuple[str, ...]:
    """The names of the metadata's undeclared fields."""
    return tuple(_named(fields, UNDECLARED))


def _named(fields: Fields, prefix: str) -> dict[str, object]:
    return {
        key.removeprefix(prefix): value for key, value in fields.items() if key.startswith(prefix)
    }
