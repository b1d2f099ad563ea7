"""The fields of front matter that a project declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from citeloom.domain.metadata import FieldKind, MetadataField, MetadataSchema
from citeloom.infrastructure.settings.values import Count, Table, Texts


class FrontMatterFieldTable(Table):
    """A field of the front matter of Markdown files; its type alone may be written as text:
    `module = "str"`. A file without a required field, or with an invalid one, is not ingested.
    """

    type: Literal["str", "int", "float", "bool", "date", "list[str]"] = Field(
        default="str", description="The type of its values."
    )
    required: bool = Field(default=False, description="Whether every file must have it.")
    max_length: Count | None = Field(
        default=None, examples=[255], description="Most characters of a text, or of each in a list."
    )
    max_items: Count | None = Field(
        default=None, examples=[50], description="Most items of a list."
    )
    choices: Texts = Field(
        default=(), examples=[["A2", "B1"]], description="The values it may have; unset, any."
    )


def _table(value: object) -> object:
    return {"type": value} if isinstance(value, str) else value


DeclaredField = Annotated[FrontMatterFieldTable, BeforeValidator(_table)]


def schema_of(fields: Mapping[str, FrontMatterFieldTable]) -> MetadataSchema:
    """The domain's schema. Raises `ValueError` for a name that is none, or is taken."""
    return MetadataSchema(
        tuple(
            MetadataField(
                name=name,
                kind=FieldKind(table.type),
                required=table.required,
                max_length=table.max_length,
                max_items=table.max_items,
                choices=table.choices,
            )
            for name, table in fields.items()
        )
    )
