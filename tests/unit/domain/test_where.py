"""Conditions on metadata."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from citeloom.domain.documents.metadata import FieldKind, MetadataField, MetadataSchema
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.retrieval.filters import Operator, Where, conditions, parse_where, resolved

SCHEMA = MetadataSchema(
    (
        MetadataField(name="module"),
        MetadataField(name="hardware_tier", kind=FieldKind.WHOLE),
        MetadataField(name="hours", kind=FieldKind.NUMBER),
        MetadataField(name="draft", kind=FieldKind.YES_OR_NO),
        MetadataField(name="day", kind=FieldKind.DATE),
    )
)


def where(field: str, operator: str, value: tuple[str, ...] | float) -> Where:
    return Where(field=field, operator=Operator(operator), value=value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("module=Module 1", ("module", "=", ("Module 1",))),
        (' module == "Module 1" ', ("module", "=", ("Module 1",))),
        ("module='a=b'", ("module", "=", ("a=b",))),
        ("tier<=2", ("tier", "<=", ("2",))),
        ("tier >= 2", ("tier", ">=", ("2",))),
        ("tier<2", ("tier", "<", ("2",))),
        ("tier>2", ("tier", ">", ("2",))),
        ("tier!=2", ("tier", "!=", ("2",))),
        ("tags=a,b", ("tags", "=", ("a,b",))),
        ("a=\u2265 <x>", ("a", "=", ("\u2265 <x>",))),
    ],
)
def test_a_written_condition(text: str, expected: tuple[str, str, tuple[str, ...]]) -> None:
    written = replace(where(*expected), written=True)
    assert parse_where(text) == written
    assert conditions(text) == conditions([text]) == conditions([written])


@pytest.mark.parametrize("text", ["", "module", "=x", "a b=c", "!x"])
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(InvalidFilter, match="is no condition"):
        parse_where(text)


def test_a_mapping_means_equal() -> None:
    asked = {"module": "M", "tags": ["a", "b"], "tier": 2, "draft": True, "day": date(2024, 5, 1)}
    assert conditions(asked) == (
        where("module", "=", ("M",)),
        where("tags", "=", ("a", "b")),
        where("tier", "=", ("2",)),
        where("draft", "=", ("true",)),
        where("day", "=", ("2024-05-01",)),
    )


def test_a_value_of_a_mapping_may_hold_a_comma() -> None:
    (asked,) = conditions({"tags": ["tides, moon", "rye"]})
    assert resolved(asked, SCHEMA).value == ("tides, moon", "rye")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("module=a,b", ("a,b",)),
        ("module!=a", ("a",)),
        ("tags=a, b", ("a", "b")),
        ("hardware_tier<=2", 2.0),
        ("hours>1.5", 1.5),
        ("draft=no", 0.0),
        ("day<2024-05-01", 739_007.0),
        ("word_count>100", 100.0),
        ("has_frontmatter=true", 1.0),
        ("language=de", ("de",)),
    ],
)
def test_a_condition_has_a_value_of_the_type_of_its_field(
    text: str, value: tuple[str, ...] | float
) -> None:
    once = resolved(parse_where(text), SCHEMA)
    assert once.value == value


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("modul=x", "there is no metadata field 'modul'", "Did you mean module?"),
        ("Hardware_tier=1", "there is no metadata field 'Hardware_tier'", "mean hardware_tier?"),
        ("zzz=x", "there is no metadata field 'zzz'", "There are: title, summary"),
        ("module<x", "'module' is text, and < compares", "module=value"),
        ("tags>=x", "'tags' is text, and >= compares", "tags=value"),
        ("hardware_tier=x", "'hardware_tier' is of type int: 'x' is no whole number", ""),
        ("hardware_tier=null", "'hardware_tier' is of type int, not 'null'", ""),
        ("day=May", "'day' is of type date", ""),
        ("module=", "the value of 'module' is empty", ""),
        ("tags=a,,b", "the value of 'tags' is empty", ""),
    ],
)
def test_a_condition_that_does_not_fit(text: str, message: str, hint: str) -> None:
    with pytest.raises(InvalidFilter) as caught:
        resolved(parse_where(text), SCHEMA)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_number_is_compared_with_one_value() -> None:
    (asked,) = conditions({"hardware_tier": [1, 2]})
    with pytest.raises(InvalidFilter, match="with one value, not 2"):
        resolved(asked, SCHEMA)
    assert resolved(where("hours", ">", 1.5), SCHEMA).value == 1.5


@pytest.mark.parametrize(
    ("text", "field", "values"),
    [
        ("section_type=code_block", "section_type", ("code_block",)),
        ("section_type=list,table", "section_type", ("list", "table")),
        ("lesson_section_type!=structural", "lesson_section_type", ("structural",)),
        ("section_type=structural", "lesson_section_type", ("structural",)),
    ],
)
def test_what_a_chunk_is_and_the_type_of_a_lessons_section_are_two_fields(
    text: str, field: str, values: tuple[str, ...]
) -> None:
    once = resolved(parse_where(text), SCHEMA)
    assert (once.field, once.value, once.on_chunk) == (field, values, True)
    assert resolved(once, SCHEMA) == once


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("section_type=poem", "'poem' is no section_type", "heading, paragraph, code_block"),
        ("lesson_section_type=list", "is no lesson_section_type", "structural, instructional"),
        ("section_type>list", "> compares numbers", "section_type=value"),
        ("section_typ=list", "no metadata field", "Did you mean section_type?"),
    ],
)
def test_an_unknown_type_of_section(text: str, message: str, hint: str) -> None:
    with pytest.raises(InvalidFilter) as caught:
        resolved(parse_where(text), SCHEMA)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_declared_field_of_that_name_is_the_documents() -> None:
    schema = MetadataSchema((MetadataField(name="section_type"),))
    assert not resolved(parse_where("section_type=poem"), schema).on_chunk
