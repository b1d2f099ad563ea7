"""Lessons with front matter, from the file to a filtered passage with its place and its label."""

from __future__ import annotations

from typing import Any

import pytest

from citeloom import open_library
from tests.e2e.command import Desk, MakeDesk

PROJECT = "lab/course"
CONFIGURATION = f"""\
[project."{PROJECT}"]
sources = ["library"]
citation_label = "[{{module}}, {{chapter}}, {{title}}]"

[project."{PROJECT}".front_matter]
module = {{ type = "str", required = true }}
chapter = "str"
hardware_tier = {{ type = "int", required = true }}
published = "date"

[chunking]
min_chunk_tokens = 5
"""
LESSON = """\
---
title: Lesson {n}
module: Module {module}
chapter: Chapter {n}
hardware_tier: {n}
published: 2024-0{n}-01
tags: [robots, lesson-{n}]
---
import Tabs from 'tabs'

# Lesson {n}

A robot 🤖 of kind {n} drives along **the wall** of the house. <Note>It keeps its distance.</Note>

## Steps {n}

- Start the *simulator* of robot {n}
- Watch its topics {{props.n}}

```python
# robot {n} drives on
drive({n})
```
"""
BAD = {
    "missing.md": ("---\nmodule: M\n---\nText.\n", "missing frontmatter field: hardware_tier"),
    "empty.md": ("---\nmodule: M\nhardware_tier: 1\n---\n\n", "no content after frontmatter"),
    "broken.md": ("---\nmodule: [M\n---\nText.\n", "invalid frontmatter: line 3: "),
    "wrong.md": (
        "---\nmodule: M\nhardware_tier: two\n---\nText.\n",
        "invalid frontmatter field: hardware_tier: 'two' is no whole number",
    ),
}


@pytest.fixture(scope="module")
def course(make_desk: MakeDesk) -> tuple[Desk, dict[str, Any]]:
    """A desk with three lessons and four files that are no lessons, and the report on them."""
    desk = make_desk("course")
    desk.library.mkdir(parents=True)
    for n, ends in ((1, "\n"), (2, "\r\n"), (3, "\r\n")):
        text = LESSON.format(n=n, module=(n + 1) // 2).replace("\n", ends)
        (desk.library / f"l{n}.mdx").write_bytes(text.encode("utf-8-sig"))
    for name, (text, _) in BAD.items():
        (desk.library / name).write_text(text, encoding="utf-8")
    desk.config.write_text(CONFIGURATION, encoding="utf-8")
    outcome = desk.run("ingest", "--json")
    assert outcome.code == 3
    return desk, outcome.json


def found(desk: Desk, *conditions: str) -> list[str]:
    options = [part for condition in conditions for part in ("--where", condition)]
    answer = desk.must("query", "a robot drives", "--format", "json", *options).json
    return sorted({item["source_path"] for item in answer["items"]})


def test_what_is_no_lesson_is_in_the_report_with_its_reason(
    course: tuple[Desk, dict[str, Any]],
) -> None:
    _, report = course
    failed = {one["path"]: one for one in report["failed"]}
    assert failed.keys() == {f"library/{name}" for name in BAD}
    for name, (_, reason) in BAD.items():
        assert failed[f"library/{name}"]["code"] == "INVALID_METADATA"
        assert failed[f"library/{name}"]["message"].startswith(reason)
        assert failed[f"library/{name}"]["hint"]
    assert report["indexed"] == [f"library/l{n}.mdx" for n in (1, 2, 3)]


def test_front_matter_filters_questions(course: tuple[Desk, dict[str, Any]]) -> None:
    desk, _ = course
    lesson = [f"library/l{n}.mdx" for n in range(4)]
    assert found(desk) == lesson[1:]
    assert found(desk, "hardware_tier<=2", "module=Module 1") == lesson[1:3]
    assert found(desk, "tags=lesson-1,lesson-3") == [lesson[1], lesson[3]]
    assert found(desk, "published>2024-01-01", "hardware_tier!=3") == [lesson[2]]
    refused = desk.run("query", "robot", "--where", "modul=Module 1")
    assert (refused.code, "Did you mean module?" in refused.err) == (2, True)


def test_a_passage_of_mdx_knows_its_place_and_its_label(
    course: tuple[Desk, dict[str, Any]],
) -> None:
    desk, _ = course
    answer = desk.must(
        "query", "simulator topics", "--format", "json", "--where", "hardware_tier=2"
    ).json
    source = (desk.library / "l2.mdx").read_bytes().decode("utf-8-sig")
    for item in answer["items"]:
        part = source[item["start_position"] : item["end_position"]]
        assert item["text"].split()[-1].strip("()") in part
        assert "import" not in part
        assert "Tabs" not in item["text"]
        assert item["citation_label"] == "[Module 1, Chapter 2, Lesson 2]"
        assert item["metadata"]["published"] == "2024-02-01"
    assert {item["heading_chain"] for item in answer["items"]} <= {
        "Lesson 2",
        "Lesson 2 > Steps 2",
    }


def test_front_matter_is_shown_and_listed(course: tuple[Desk, dict[str, Any]]) -> None:
    desk, _ = course
    listed = {one["path"]: one for one in desk.must("list", "--json").json}
    lesson = listed["library/l1.mdx"]
    assert lesson["title"] == "Lesson 1"
    assert lesson["metadata"]["tags"] == ["robots", "lesson-1"]
    assert lesson["metadata"]["has_frontmatter"] is True
    (item, *_) = desk.must("query", "robot", "--format", "json", "--where", "title=Lesson 1").json[
        "items"
    ]
    shown = desk.must("show", item["chunk_id"]).out
    assert "module: Module 1 · chapter: Chapter 1 · hardware_tier: 1" in shown


def test_python_filters_by_a_mapping(course: tuple[Desk, dict[str, Any]]) -> None:
    desk, _ = course
    with open_library(desk.folder) as library:
        result = library.project(PROJECT).query(
            "robot", where={"module": "Module 1", "tags": ["lesson-2", "other"]}
        )
    assert {one.stored.source_path for one in result.passages} == {"library/l2.mdx"}
