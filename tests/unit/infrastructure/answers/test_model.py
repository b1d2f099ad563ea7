"""An answer is filled from values, and written as a door shows it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from citeloom.domain.retrieval.words import QueryCoverage, Strength
from citeloom.infrastructure.answers.model import (
    ABSENT,
    UNTRUSTED,
    Door,
    FilePlace,
    Model,
    SourcePath,
    Untrusted,
    filled,
    hints,
    included,
    plain,
    replaced,
    with_texts,
)
from citeloom.infrastructure.answers.passages import Fit, Rank

COVERAGE = QueryCoverage(value=0.1, strength=Strength.WEAK, reasons=("rye occurs nowhere",))


class Shade(Enum):
    DARK = "dark"


@dataclass(frozen=True)
class Sample:
    shade: Shade
    taken: datetime


class SampleEntry(Model, of=Sample):
    shade: int


class Place(Model):
    path: SourcePath | None
    link: FilePlace | None = None


class Report(Place):
    LEADING = ("in_", "content")

    content: Untrusted = UNTRUSTED
    in_: int
    before: tuple[str, ...] = ABSENT
    places: tuple[Place, ...] = ()
    samples: tuple[Sample, ...] = ()


REPORT = Report(path="/home/me/a.pdf", link=FilePlace("a b.pdf", 3), in_=1)
"""A report without what it may lack."""


def test_an_answer_has_the_fields_of_a_value_by_their_names() -> None:
    fit = filled(Fit, COVERAGE)
    assert plain(fit) == {"strength": "weak", "value": 0.1, "reasons": ["rye occurs nowhere"]}
    assert plain(filled(Fit, COVERAGE, value=None))["value"] is None
    fair = Fit(value=0.5, strength=Strength.FAIR, reasons=())
    assert plain(filled(Fit, fair, COVERAGE))["value"] == 0.5


def test_a_model_of_a_class_has_its_fields_and_shows_otherwise_what_it_annotates() -> None:
    taken = datetime(2026, 1, 2, tzinfo=UTC)
    entry = SampleEntry.of(Sample(Shade.DARK, taken), shade=7)
    assert plain(entry) == {"shade": 7, "taken": "2026-01-02T00:00:00+00:00"}
    assert hints(SampleEntry) == {"shade": int, "taken": datetime}
    assert [*plain(entry)] == ["shade", "taken"]


def test_a_field_that_no_value_has_is_a_fault_and_so_is_one_too_many() -> None:
    with pytest.raises(TypeError, match="Rank: rank, score"):
        filled(Rank, COVERAGE)
    with pytest.raises(TypeError, match="Rank: place"):
        Rank(rank=1, score=0.5, place=2)


def test_an_answer_cannot_be_changed_but_replaced() -> None:
    with pytest.raises(AttributeError, match=r"Report\.in_"):
        REPORT.in_ = 2  # type: ignore[misc]
    assert replaced(REPORT, in_=2).in_ == 2
    assert replaced(REPORT, in_=1) == REPORT != replaced(REPORT, in_=2)


def test_keys_are_written_in_order_and_left_out_where_there_is_nothing() -> None:
    assert [*plain(REPORT)] == ["in", "content", "path", "link", "places", "samples"]
    assert plain(replaced(REPORT, before=("x",)))["before"] == ["x"]


def test_values_of_every_kind_are_written() -> None:
    taken = datetime(2026, 1, 2, tzinfo=UTC)
    whole = replaced(REPORT, samples=(Sample(Shade.DARK, taken),), places=(Place(path=None),))
    written = plain({"report": whole, "set": {2, 1}, "path": Path("a/b"), Shade.DARK: 0.5})
    assert written["report"]["samples"] == [{"shade": "dark", "taken": "2026-01-02T00:00:00+00:00"}]
    assert written["report"]["places"] == [{"path": None, "link": None}]
    assert (written["set"], written["path"], written["dark"]) == ([1, 2], "a/b", 0.5)


def test_a_link_begins_at_the_folder_and_is_not_written_where_files_are_nobodys_business() -> None:
    assert plain(REPORT, Door(base_dir=Path("/lib")))["link"] == "file:///lib/a%20b.pdf#page=3"
    public = Door(public=lambda path: Path(path).name)
    nested = replaced(REPORT, places=(REPORT, Place(path=None)))
    for written in (plain(nested, public), plain(nested, public)["places"][0]):
        assert (written["path"], written["link"]) == ("a.pdf", None)


def test_a_door_may_show_some_fields_and_none_that_is_not_there() -> None:
    door = Door(include={Place: included(Place, "path")})
    written = plain(replaced(REPORT, places=(Place(path="a"),)), door)
    assert written["places"] == [{"path": "a"}]
    assert "link" in written
    with pytest.raises(AttributeError, match="Place has no publisher"):
        included(Place, "path", "publisher")


def test_every_text_can_be_changed() -> None:
    changed = with_texts(replaced(REPORT, before=("x",), places=(Place(path="a"),)), str.upper)
    assert (changed.path, [*changed.before], changed.places[0].path) == (
        "/HOME/ME/A.PDF",
        ["X"],
        "A",
    )
    assert with_texts({"a": ["b", 1, None]}, str.upper) == {"A": ["B", 1, None]}


def test_a_schema_has_the_keys_and_demands_those_that_are_always_there() -> None:
    schema = TypeAdapter(Report).json_schema()
    assert [*schema["properties"]] == [
        *("path", "link", "content", "in", "before", "places", "samples")
    ]
    assert {*schema["properties"]} - {*schema["required"]} == {"before"}
    assert schema["properties"]["link"]["anyOf"] == [{"type": "string"}, {"type": "null"}]
