"""Passages as text, JSON, Markdown or Pandoc."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path

from citeloom.application.retrieval.query import QueryResult
from citeloom.domain.chunk import ChunkKind
from citeloom.domain.links import is_pdf
from citeloom.domain.passage import Passage, Ranked, StoredChunk
from citeloom.domain.sections import Paragraph
from citeloom.infrastructure.interfaces.cli.console import linker, painter
from citeloom.infrastructure.interfaces.cli.passage_links import (
    link_to_file,
    link_to_reader,
    link_to_zotero,
    links_of,
)
from citeloom.infrastructure.interfaces.cli.people import in_short

_WIDTH = 92


def render(result: QueryResult, form: str, base_dir: Path) -> str:
    """The result in the asked form; relative sources lie in `base_dir`."""
    if form == "json":
        return json.dumps(as_json(result, base_dir), indent=2, ensure_ascii=False)
    if form == "jsonl":
        items = (passage_json(passage, base_dir) for passage in result.passages)
        return "\n".join(json.dumps(item, ensure_ascii=False) for item in items)
    if form == "markdown":
        return "\n\n".join(_markdown(passage, base_dir) for passage in result.passages)
    if form == "pandoc":
        return "\n\n".join(_pandoc(passage) for passage in result.passages)
    listed = enumerate(result.passages, start=1)
    return "\n\n".join(_text(rank, passage, base_dir) for rank, passage in listed)


def stages_text(result: QueryResult) -> str:
    """What each stage of retrieval did, a line each."""
    return "\n".join(
        f"{stage.name.value}: {stage.hits_in} -> {stage.hits_out}, {stage.detail}"
        for stage in result.stages
    )


def as_json(result: QueryResult, base_dir: Path) -> dict[str, object]:
    """The documented JSON of a query."""
    return {
        "project": result.project,
        "query": result.query,
        "mode": result.mode.value,
        "models": result.models,
        "fusion": result.fusion,
        "feedback": list(result.feedback),
        "stages": [
            {
                "name": stage.name.value,
                "in": stage.hits_in,
                "out": stage.hits_out,
                "detail": stage.detail,
            }
            for stage in result.stages
        ],
        "notes": list(result.notes),
        "count": len(result.passages),
        "items": [passage_json(passage, base_dir) for passage in result.passages],
        "duration_ms": result.duration_ms,
        "correlation_id": result.correlation_id,
    }


def passage_json(passage: Passage, base_dir: Path) -> dict[str, object]:
    """The documented JSON of a passage."""
    item = {
        "chunk_id": passage.stored.chunk.id,
        "score": passage.score,
        "scores": {"dense": _rank(passage.dense), "sparse": _rank(passage.sparse)},
        "text": passage.text,
        "trimmed": passage.trimmed,
        "verbatim": passage.verbatim,
        **stored_json(passage.stored, base_dir),
        "citation": passage.citation,
        "duplicates": [stored_json(stored, base_dir) for stored in passage.duplicates],
    }
    if passage.before or passage.after:
        item["before"] = [stored.chunk.text for stored in passage.before]
        item["after"] = [stored.chunk.text for stored in passage.after]
    return item


def stored_json(stored: StoredChunk, base_dir: Path) -> dict[str, object]:
    """Where a chunk comes from: the work, the place in it, links to both."""
    chunk, work = stored.chunk, stored.citation
    return {
        "doc_id": chunk.doc_id,
        "kind": chunk.kind.value,
        "citekey": work.citekey if work else None,
        "title": work.title if work else None,
        "authors": list(work.authors) if work else [],
        "year": work.year if work else None,
        "doi": work.doi if work else None,
        "url": work.url if work else None,
        "page_span": list(chunk.page_span) if chunk.page_span else None,
        "paragraph_span": _paragraph_span(chunk.paragraphs),
        "page_labels": list(chunk.page_labels),
        "locator": str(stored.locator),
        "section_path": list(chunk.section_path),
        "heading_chain": " > ".join(chunk.section_path),
        "tags": list(work.tags) if work else [],
        "source_path": stored.source_path,
        "item_key": work.item_key if work else None,
        "annotation": _annotation(stored),
        "note": _note(stored),
        "links": links_of(stored, base_dir),
    }


def _annotation(stored: StoredChunk) -> dict[str, object] | None:
    """What is the work's and what is the reader's in an annotation."""
    mark, text = stored.chunk.mark, stored.chunk.text
    if mark is None or stored.chunk.kind is not ChunkKind.ANNOTATION:
        return None
    return {
        "key": mark.key,
        "highlight": text if mark.quotes else None,
        "comment": (mark.comment or None) if mark.quotes else text,
        "color": mark.color or None,
        "color_name": mark.color_name or None,
        "tags": list(mark.tags),
        "rects": [list(rect) for rect in mark.rects],
    }


def _note(stored: StoredChunk) -> dict[str, object] | None:
    mark = stored.chunk.mark
    if mark is None or stored.chunk.kind is not ChunkKind.NOTE:
        return None
    return {"key": mark.key, "tags": list(mark.tags)}


def _paragraph_span(
    paragraphs: tuple[Paragraph, Paragraph] | None,
) -> list[dict[str, object]] | None:
    if paragraphs is None:
        return None
    return [{"section": one.section, "paragraph": one.number} for one in paragraphs]


def headline(stored: StoredChunk) -> str:
    """The work in a few words: `Rule and Birmingham 2018, Ten simple rules`, and before it what
    the reader left there: `highlight in …`.
    """
    return f"{_what(stored)}{_work(stored)}"


def _what(stored: StoredChunk) -> str:
    mark = stored.chunk.mark
    if mark is None:
        return ""
    if stored.chunk.kind is ChunkKind.NOTE:
        return "note on "
    return "highlight in " if mark.quotes else "comment in "


def _work(stored: StoredChunk) -> str:
    work = stored.citation
    if work is None:
        return f"{stored.source_path or 'no work'} (no reference)"
    who = in_short([author.split(",")[0].strip() for author in work.authors])
    when = str(work.year) if work.year else "n.d."
    return f"{who} {when}, {work.title}" if who else f"{work.title} ({when})"


def place(stored: StoredChunk) -> str:
    """The citation to the page, or the locator alone for a work without a citekey."""
    if stored.cited is None:
        return ", ".join(filter(None, (Path(stored.source_path).name, str(stored.locator))))
    return stored.cited


def _rank(ranked: Ranked | None) -> dict[str, float] | None:
    return None if ranked is None else {"rank": ranked.rank, "score": ranked.score}


def _text(rank: int, passage: Passage, base_dir: Path) -> str:
    paint, link = painter(sys.stdout), linker(sys.stdout)
    stored = passage.stored
    exact = " · word for word" if passage.verbatim else ""
    opens = link_to_reader(stored) or link_to_file(stored, base_dir)
    lines = [
        f"{rank}. {link(paint(place(stored), 'bold'), opens)}  {headline(stored)}",
        paint(f"   {_stands_in(stored)}", "cyan"),
        *(_quoted(before.chunk.text, dim=True) for before in passage.before),
        _quoted(passage.text),
        *(_quoted(f"Comment: {comment}") for comment in comments(stored)),
        *(_quoted(after.chunk.text, dim=True) for after in passage.after),
        paint(
            f"   {_source(stored)}{stored.chunk.id} · score {passage.score:.4f}{exact}",
            "dim",
        ),
    ]
    lines += [f"   the same text: {place(stored)}" for stored in passage.duplicates]
    if passage.dense or passage.sparse:
        lines.append(f"   dense {_explained(passage.dense)}, sparse {_explained(passage.sparse)}")
    return "\n".join(lines)


def _stands_in(stored: StoredChunk) -> str:
    """The headings above, or what an annotation looks like."""
    mark = stored.chunk.mark
    if mark is None or stored.chunk.section_path:
        return " > ".join(stored.chunk.section_path) or "(no section)"
    tagged = f"tagged {', '.join(mark.tags)}" if mark.tags else ""
    facts = (stored.chunk.kind.value, mark.color_name or mark.color, tagged)
    return " · ".join(filter(None, facts))


def comments(stored: StoredChunk) -> tuple[str, ...]:
    """What the reader said of a highlight, if anything."""
    mark = stored.chunk.mark
    return (mark.comment,) if mark and mark.comment else ()


def _source(stored: StoredChunk) -> str:
    return f"{stored.source_path}{_physical_pages(stored)} · " if stored.source_path else ""


def _physical_pages(stored: StoredChunk) -> str:
    span = stored.chunk.page_span
    if span is None or not is_pdf(stored.source_path):
        return ""
    return f", PDF p. {span[0]}" if span[0] == span[1] else ", PDF pp. {}-{}".format(*span)


def _explained(ranked: Ranked | None) -> str:
    return "not found" if ranked is None else f"rank {ranked.rank} ({ranked.score:.3f})"


def _quoted(text: str, *, dim: bool = False) -> str:
    wrapped = "\n".join(
        textwrap.fill(line, _WIDTH, initial_indent="   ", subsequent_indent="   ")
        for line in text.splitlines()
        if line.strip()
    )
    return painter(sys.stdout)(wrapped, "dim") if dim else wrapped


def _markdown(passage: Passage, base_dir: Path) -> str:
    stored = passage.stored
    links = (
        (str(stored.locator) or "file", link_to_file(stored, base_dir)),
        ("Zotero", link_to_reader(stored) or link_to_zotero(stored)),
    )
    linked = [f"[{name}]({target})" for name, target in links if target]
    told = ", ".join((headline(stored), *linked))
    return _under_quotation(passage, f">\n> — {told} `{place(stored)}`")


def _pandoc(passage: Passage) -> str:
    return _under_quotation(passage, f"> {place(passage.stored)}")


def _under_quotation(passage: Passage, source: str) -> str:
    """The passage quoted, its source, and apart from both what the reader said of it."""
    quoted = "\n".join(f"> {line}".rstrip() for line in passage.text.splitlines())
    said = (f"Comment: {comment}" for comment in comments(passage.stored))
    return "\n\n".join((f"{quoted}\n{source}", *said))
