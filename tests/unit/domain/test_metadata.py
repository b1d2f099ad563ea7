"""What front matter may say, and how it is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.documents.metadata import (
    FieldKind,
    MetadataField,
    MetadataSchema,
    MetadataValue,
    as_text,
    number_of,
)
from citeloom.domain.errors import InvalidMetadata

SCHEMA = MetadataSchema(
    (
        MetadataField(name="module", required=True, max_length=20),
        MetadataField(name="tier", kind=FieldKind.WHOLE, required=True),
        MetadataField(name="hours", kind=FieldKind.NUMBER),
        MetadataField(name="draft", kind=FieldKind.YES_OR_NO),
        MetadataField(name="day", kind=FieldKind.DATE),
        MetadataField(name="needs", kind=FieldKind.TEXTS, max_items=2, choices=("a", "b")),
    )
)
LEAST = {"module": "M", "tier": "1"}


def test_values_are_read_by_their_type() -> None:
    written = {
        "Title": " On wheat ",
        "tags": ["x", "y"],
        "keywords": "one",
        "module": "Module 1",
        "TIER": "-2",
        "hours": "1.5e1",
        "draft": "Yes",
        "day": "2024-05-01",
        "needs": ["a", "", "b"],
        "summary": "~",
        "other": {"deep": "value"},
    }
    assert SCHEMA.validated(written) == {
        "title": "On wheat",
        "tags": ("x", "y"),
        "keywords": ("one",),
        "module": "Module 1",
        "tier": -2,
        "hours": 15.0,
        "draft": True,
        "day": "2024-05-01",
        "needs": ("a", "b"),
    }


def test_undeclared_fields_are_kept_as_plain_values() -> None:
    written = {
        "Module": "M",
        "Title": "On wheat",
        "has_frontmatter": "no",
        "description": " How to sow ",
        "categories": ["field", "", "farm"],
        "weight": "010",
        "nothing": "~",
        "aliases": [],
        "params": {"author": {"name": "Ada", "more": {"deep": ["x"]}}, "draft": "true"},
        "people": [{"name": "Bo"}],
    }
    fields = SCHEMA.undeclared(written)
    assert fields.values == {
        "description": "How to sow",
        "categories": ("field", "farm"),
        "weight": "010",
        "aliases": (),
        "params.author.name": "Ada",
        "params.author.more": '{"deep": ["x"]}',
        "params.draft": "true",
        "people": ('{"name": "Bo"}',),
    }
    assert fields.shortened == fields.left_out == ()


def test_undeclared_fields_are_bounded_and_what_is_too_much_is_named() -> None:
    long = SCHEMA.undeclared({"a": "x" * 1001, "b": ["y"] * 51, "n" * 101: "z", "c": "x" * 1000})
    assert (len(str(long.values["a"])), str(long.values["a"])[-1]) == (1000, "…")
    assert long.values["b"] == ("y",) * 50
    assert long.shortened == ("a", "b")
    assert long.left_out == ("n" * 100,)
    assert long.values["c"] == "x" * 1000
    many = SCHEMA.undeclared({f"field{n}": "x" for n in range(52)})
    assert (len(many.values), many.left_out) == (50, ("field50", "field51"))
    heavy = SCHEMA.undeclared({**{f"f{n}": "x" * 1000 for n in range(9)}, "small": "x"})
    assert heavy.left_out == ("f7", "f8")
    assert heavy.values["small"] == "x"


def test_an_empty_list_is_a_list_and_no_missing_field() -> None:
    schema = MetadataSchema((MetadataField(name="needs", kind=FieldKind.TEXTS, required=True),))
    assert schema.validated({"needs": []}) == {"needs": ()}
    for written in ({}, {"needs": ""}, {"needs": None}):
        with pytest.raises(InvalidMetadata, match="missing frontmatter field: needs"):
            schema.validated(written)


@pytest.mark.parametrize("name", ["module", "tier"])
@pytest.mark.parametrize("written", [None, "", "null", []])
def test_a_required_field_must_have_a_value(name: str, written: object) -> None:
    with pytest.raises(InvalidMetadata) as caught:
        SCHEMA.validated({**LEAST, name: written})
    assert caught.value.message == f"missing frontmatter field: {name}"
    assert caught.value.code == "INVALID_METADATA"


@pytest.mark.parametrize(
    ("name", "written", "reason"),
    [
        ("title", "x" * 256, "256 characters, and no more than 255 may be"),
        ("summary", "x" * 1001, "1001 characters, and no more than 1000 may be"),
        ("tags", ["x"] * 51, "51 items, and no more than 50 may be"),
        ("topics", ["x"] * 51, "51 items, and no more than 50 may be"),
        ("keywords", [["x"]], "a nested value, and not text or a list of texts"),
        ("title", ["a", "b"], "a list, and not a value of type str"),
        ("module", {"a": "b"}, "a nested value, and not text or a list of texts"),
        ("tier", "two", "'two' is no whole number"),
        ("tier", "1.0", "'1.0' is no whole number"),
        ("tier", "9" * 16, f"'{'9' * 16}' is no whole number"),
        ("hours", "nan", "'nan' is no number"),
        ("hours", "one", "'one' is no number"),
        ("draft", "2", "'2' is neither true nor false"),
        ("day", "1 May", "'1 May' is no date like 2024-05-01"),
        ("needs", ["c"], "'c' is none of a, b"),
        ("needs", ["a", "b", "a"], "3 items, and no more than 2 may be"),
    ],
)
def test_an_invalid_value_is_told_with_its_reason(name: str, written: object, reason: str) -> None:
    with pytest.raises(InvalidMetadata) as caught:
        SCHEMA.validated({**LEAST, name: written})
    assert caught.value.message == f"invalid frontmatter field: {name}: {reason}"


def test_the_longest_that_may_be_is_valid() -> None:
    written = {"title": "x" * 255, "tags": ["x"] * 50, **LEAST}
    assert SCHEMA.validated(written)["title"] == "x" * 255


def test_a_standard_field_may_be_required_and_keeps_its_limits() -> None:
    required = MetadataField(name="tags", kind=FieldKind.TEXTS, required=True)
    schema = MetadataSchema((required, MetadataField(name="title", max_length=5)))
    assert schema.fields["tags"].max_items == 50
    with pytest.raises(InvalidMetadata, match="missing frontmatter field: tags"):
        schema.validated({})
    with pytest.raises(InvalidMetadata, match="no more than 5"):
        schema.validated({"tags": "a", "title": "longer"})


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ({"name": "word_count"}, "is counted and cannot be declared"),
        ({"name": "title", "kind": FieldKind.WHOLE}, "is of type str"),
        ({"name": "a b"}, "is no field name"),
        ({"name": ""}, "is no field name"),
    ],
)
def test_a_field_that_cannot_be_declared(field: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        MetadataSchema((MetadataField(**field),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "number", "text"),
    [
        (2, 2.0, "2"),
        (1.5, 1.5, "1.5"),
        (True, 1.0, "true"),
        ("2024-05-01", 739_007.0, "2024-05-01"),
        ("May", None, "May"),
        (("a", "b"), None, "a, b"),
    ],
)
def test_a_value_as_a_number_and_as_text(
    value: MetadataValue, number: float | None, text: str
) -> None:
    assert number_of(value) == number
    assert as_text(value) == text


@given(st.dictionaries(st.text(max_size=8), st.recursive(st.text(), st.lists, max_leaves=5)))
def test_any_front_matter_is_valid_or_refused(written: dict[str, object]) -> None:
    try:
        values = MetadataSchema().validated(written)
    except InvalidMetadata:
        return
    assert all(isinstance(value, str | tuple) for value in values.values())
