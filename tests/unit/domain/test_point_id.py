"""Chunk ids from a project's template."""

from __future__ import annotations

from dataclasses import replace
from uuid import NAMESPACE_DNS, UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.chunks.chunk import (
    LessonPart,
    LessonType,
    check_distinct,
    point_id_fields,
    point_id_of,
)
from citeloom.domain.documents.metadata import MetadataField, MetadataSchema, MetadataValue
from citeloom.domain.errors import InvalidPointId
from citeloom.domain.project import Project
from citeloom.infrastructure.stores.records.points_index import point_id
from citeloom.testing.chunks import embedded

TEMPLATE = "{id}:{section_title}:{chunk_index}"
CHUNK = replace(embedded("a").stored.chunk, section_path=("Lesson 3", "Summary"), chunk_idx=7)
LESSON = replace(
    CHUNK,
    lesson=LessonPart(section_type=LessonType.STRUCTURAL, chunk_index=1, total_chunks=2),
)


def test_a_template_is_filled_in_and_hashed_in_the_namespace_of_dns() -> None:
    expected = str(uuid5(NAMESPACE_DNS, "lesson-1:Summary:1"))
    assert point_id_of(TEMPLATE, LESSON, {"id": "lesson-1"}) == expected


def test_outside_of_lessons_the_chunk_index_is_that_in_the_document() -> None:
    expected = str(uuid5(NAMESPACE_DNS, "Lesson 3 > Summary:7:7:doc-1"))
    template = "{section_path}:{chunk_index}:{chunk_idx}:{doc_id}"
    assert point_id_of(template, CHUNK, {}) == expected


def test_what_a_chunk_knows_is_not_overruled_by_its_metadata() -> None:
    metadata: dict[str, MetadataValue] = {"section_title": "Other", "chunk_idx": 1}
    assert point_id_of("{section_title}", CHUNK, metadata) == str(uuid5(NAMESPACE_DNS, "Summary"))


def test_a_field_the_front_matter_lacks_is_named() -> None:
    with pytest.raises(InvalidPointId, match="the field id, which the front matter lacks"):
        point_id_of(TEMPLATE, LESSON, {"title": "Lesson 3"})


@pytest.mark.parametrize("template", ["", "same", "{}", "{0}", "{id", "{id!r}", "{id:>9}", "{a.b}"])
def test_a_template_names_fields_and_nothing_else(template: str) -> None:
    with pytest.raises(ValueError, match=r"must name|expected|Single"):
        point_id_fields(template)


def test_fields_are_found_in_order() -> None:
    assert point_id_fields("{{x}} {lesson-id}-{chunk_idx}") == ("lesson-id", "chunk_idx")


def test_a_project_names_only_fields_that_it_declares() -> None:
    declared = MetadataSchema((MetadataField(name="lesson"),))
    assert Project(id="lab/rye", point_id="{lesson}:{title}", front_matter=declared).point_id
    for template, hint in (("{lesso}", "did you mean lesson"), ("{xyz}", "declare it")):
        with pytest.raises(ValueError, match=f"unknown field .*{hint}"):
            Project(id="lab/rye", point_id=template, front_matter=declared)


def test_two_chunks_with_one_id_are_named() -> None:
    check_distinct([CHUNK, replace(CHUNK, id="b")])
    with pytest.raises(InvalidPointId, match=r"'Summary' \(chunk 7\) and 'the beginning'"):
        check_distinct([CHUNK, replace(CHUNK, section_path=(), chunk_idx=9)])


@given(st.uuids())
def test_an_id_that_is_a_uuid_is_the_points_id(given_id: UUID) -> None:
    assert point_id(str(given_id)) == str(given_id)


@given(st.text(max_size=40))
def test_any_other_id_is_hashed(chunk_id: str) -> None:
    assert str(UUID(point_id(chunk_id))) == point_id(chunk_id) != chunk_id


def test_ids_in_libraries_are_as_they_were() -> None:
    assert point_id("3d4ba72074c0c557") == "dcca8c68-25b7-548b-a54d-05e638627c73"
    assert point_id("6BA7B810-9DAD-11D1-80B4-00C04FD430C8") != point_id(
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    )
