"""A course, a book of notes and a PDF, divided by the strategies made for them."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path
from uuid import NAMESPACE_DNS, uuid5

import pytest
import typst

from tests.e2e.command import SMALL, Desk, MakeDesk, project_table

LESSON = """---
id: lesson-3
title: "Lesson 3: Reading a Rain Gauge"
module: Module 1
chapter: Chapter 2
---

# Reading a Rain Gauge

## Learning Objectives

- Read a rain gauge to a tenth of a millimetre.

## How a gauge works

A funnel leads the rain into a narrow cylinder, so that a millimetre of rain stands ten times as
high. The observer reads the lower edge of the meniscus at eye level every morning at seven.

## Reading it by program

```python
{first}
```

Then the second part:

```python
{second}
```

## Summary

A gauge is read once a day.
"""
BOOK = """
#set page(width: 12cm, height: 16cm, margin: 1.5cm)
#set text(size: 10pt, lang: "pt")
#set document(title: "O moinho de vento")
= O moinho
{first}
#pagebreak()
= O vento
{second}
"""


def listing(name: str, lines: int) -> str:
    return "\n".join(f"{name}_{n} = gauge.read(day={n}, unit='mm')" for n in range(lines))


def prose(subject: str, sentences: int) -> str:
    return " ".join(
        f"{subject} gira devagar quando a maré número {n} chega à aldeia." for n in range(sentences)
    )


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    made = make_desk("strategies")
    made.library.mkdir()
    return made


def chunking(**keys: str) -> str:
    lines = [f"{key} = {value}" for key, value in keys.items()]
    return "\n".join([f'[project."{SMALL}".chunking]', *lines, ""])


def write_lesson(folder: Path, name: str = "lesson-3.md") -> Path:
    text = LESSON.format(first=listing("rain", 20), second=listing("snow", 20))
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_a_lesson_is_typed_enriched_divided_and_named_by_its_own_ids(desk: Desk) -> None:
    path = write_lesson(desk.library)
    desk.configure(
        project_table(SMALL, point_id="{id}:{section_title}:{chunk_index}"),
        chunking(strategy='"lessons"'),
        f'[project."{SMALL}".front_matter]\nid = "str"\nmodule = "str"\nchapter = "str"\n',
    )
    report = desk.must("ingest", "--json").json
    counts = report["chunks"]
    assert counts["chunks_by_type"]["structural"] == counts["enriched_count"] == 2
    assert counts["chunks_by_type"]["instructional"] == counts["split_count"] == 1
    assert counts["chunks_by_type"]["code_heavy"] > 2
    assert report["chunking"]["strategy"] == "lessons"
    assert report["chunking"]["max_tokens"] == 256

    chunks = {stored.chunk.id: stored.chunk for stored in desk.chunks()}
    summary = chunks[str(uuid5(NAMESPACE_DNS, "lesson-3:Summary:0"))]
    assert summary.text == "Summary\n\nA gauge is read once a day."
    assert summary.embedding_text.startswith("Module 1 > Chapter 2 > Lesson 3: Reading a Rain")
    assert str(uuid5(NAMESPACE_DNS, "lesson-3:Reading it by program:1")) in chunks
    desk.must("validate")
    source = path.read_text(encoding="utf-8")
    for chunk in chunks.values():
        assert chunk.source is not None
        place = " ".join(source[slice(*astuple(chunk.source))].split())
        lines = [" ".join(line.lstrip("- ").split()) for line in chunk.text.splitlines()]
        assert all(line in place for line in lines)

    found = desk.must("query", "chapter 2 summary", "--format", "json").json["items"]
    shown = next(item for item in found if item["chunk_id"] == summary.id)
    assert "Module 1" not in shown["text"]
    assert shown["lesson"] == {
        "section_type": "structural",
        "chunk_index": 0,
        "total_chunks": 1,
        "enrichment_strategy": "context_injection",
    }
    assert "A gauge is read once a day." in desk.must("show", summary.id).out


def test_a_second_lesson_with_the_same_id_is_refused_and_nothing_overwritten(desk: Desk) -> None:
    write_lesson(desk.library)
    desk.configure(
        project_table(SMALL, point_id="{id}:{section_title}:{chunk_index}"),
        chunking(strategy='"lessons"'),
        f'[project."{SMALL}".front_matter]\nid = "str"\n',
    )
    desk.must("ingest")
    before = desk.chunks()
    other = write_lesson(desk.library, "copied.md")
    other.write_text(other.read_text(encoding="utf-8") + "\nOne more word.\n", encoding="utf-8")
    outcome = desk.run("ingest")
    assert outcome.code == 3
    assert "copied.md  INVALID_POINT_ID" in outcome.out
    assert "library/lesson-3.md" in outcome.out
    assert desk.chunks() == before


def test_a_pdf_by_characters_has_chunks_of_one_page_each(desk: Desk) -> None:
    source = BOOK.format(first=prose("O moinho", 40), second=prose("A vela", 40))
    typst.compile(source.encode(), output=str(desk.library / "moinho.pdf"))  # type: ignore[type-var]
    desk.configure(project_table(SMALL), chunking(strategy='"characters"', heading_context="0"))
    report = desk.must("ingest", "--json").json
    chunks = [stored.chunk for stored in desk.chunks()]
    assert report["pages"] > 2
    assert report["chunks"]["split_count"] > 0
    assert all(len(chunk.text) <= 1000 and chunk.token_count <= 256 for chunk in chunks)
    spans = {chunk.page_span for chunk in chunks}
    assert spans == {(page, page) for page in range(1, report["pages"] + 1)}
    ordered = sorted(chunks, key=lambda chunk: chunk.chunk_idx)
    assert any(
        chunk.text.startswith(before.text[-40:].split(" ", 1)[1])
        or before.text.endswith(chunk.text[:20])
        for before, chunk in zip(ordered, ordered[1:])
        if before.page_span == chunk.page_span
    )
    assert report["chunks"]["kept_characters"] == report["chunks"]["body_characters"]
    desk.must("validate")


def test_sections_follow_the_target_and_the_report_says_so(desk: Desk) -> None:
    sections = [f"## Part {n}\n\n{prose(f'O vento {n}', 3 + 9 * (n % 2))}" for n in range(8)]
    (desk.library / "notes.md").write_text("# Notes\n\n" + "\n\n".join(sections), encoding="utf-8")
    desk.configure(
        project_table(SMALL), chunking(strategy='"sections"', target_tokens="[300, 500]")
    )
    outcome = desk.must("ingest")
    assert (
        "strategy sections: chunks of at most 256 tokens, targeting 153 to 256; "
        "4 divided because they were longer"
    ) in outcome.out
    desk.must("validate")
    assert desk.must("ingest", "--json").json["unchanged"] == ["library/notes.md"]
