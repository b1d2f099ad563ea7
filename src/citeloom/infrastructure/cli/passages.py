"""Passages as text, JSON, Markdown or Pandoc."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from urllib.parse import quote

from citeloom.application.query import QueryResult
from citeloom.domain.citation import CitationMeta
from citeloom.domain.passage import Passage, Ranked, StoredChunk
from citeloom.domain.sections import Paragraph
from citeloom.infrastructure.cli.console import painter
from citeloom.infrastructure.cli.people import in_short

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
    return "\n\n".join(_text(rank, passage) for rank, passage in listed)


def as_json(result: QueryResult, base_dir: Path) -> dict[str, object]:
    """The documented JSON of a query."""
    return {
        "project": result.project,
        "query": result.query,
        "mode": result.mode.value,
        "models": result.models,
        "fusion": result.fusion,
        "feedback": list(result.feedback),
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
        "links": {
            "pdf": file_link(stored, base_dir) if _is_pdf(stored) else None,
            "file": file_link(stored, base_dir),
            "zotero": zotero_link(work),
        },
    }


def _paragraph_span(
    paragraphs: tuple[Paragraph, Paragraph] | None,
) -> list[dict[str, object]] | None:
    if paragraphs is None:
        return None
    return [{"section": one.section, "paragraph": one.number} for one in paragraphs]


def _is_pdf(stored: StoredChunk) -> bool:
    return stored.source_path.lower().endswith(".pdf")


def file_link(stored: StoredChunk, base_dir: Path) -> str:
    """A link that opens the file, a PDF on the passage's first page."""
    link = f"file://{quote((base_dir / stored.source_path).as_posix())}"
    span = stored.chunk.page_span
    return f"{link}#page={span[0]}" if span and _is_pdf(stored) else link


def zotero_link(work: CitationMeta | None) -> str | None:
    """A link that shows the item in Zotero, where its key is known."""
    if work is None or work.item_key is None:
        return None
    return f"zotero://select/library/items/{work.item_key}"


def headline(stored: StoredChunk) -> str:
    """The work in a few words: `Rule and Birmingham 2018, Ten simple rules`."""
    work = stored.citation
    if work is None:
        return f"{stored.source_path} (no reference)"
    who = in_short([author.split(",")[0].strip() for author in work.authors])
    when = str(work.year) if work.year else "n.d."
    return f"{who} {when}, {work.title}" if who else f"{work.title} ({when})"


def place(stored: StoredChunk) -> str:
    """The citation to the page, or the locator alone for a work without a citekey."""
    if stored.citation is None:
        return f"{Path(stored.source_path).name}, {stored.locator}"
    return stored.locator.cite(stored.citation.citekey)


def _rank(ranked: Ranked | None) -> dict[str, float] | None:
    return None if ranked is None else {"rank": ranked.rank, "score": ranked.score}


def _text(rank: int, passage: Passage) -> str:
    paint = painter(sys.stdout)
    stored = passage.stored
    exact = " · word for word" if passage.verbatim else ""
    lines = [
        f"{rank}. {paint(place(stored), 'bold')}  {headline(stored)}",
        paint(f"   {' > '.join(stored.chunk.section_path) or '(no section)'}", "cyan"),
        *(_quoted(before.chunk.text, dim=True) for before in passage.before),
        _quoted(passage.text),
        *(_quoted(after.chunk.text, dim=True) for after in passage.after),
        paint(
            f"   {stored.source_path}{_physical_pages(stored)} · {stored.chunk.id} · "
            f"score {passage.score:.4f}{exact}",
            "dim",
        ),
    ]
    if passage.dense or passage.sparse:
        lines.append(f"   dense {_explained(passage.dense)}, sparse {_explained(passage.sparse)}")
    return "\n".join(lines)


def _physical_pages(stored: StoredChunk) -> str:
    span = stored.chunk.page_span
    if span is None or not _is_pdf(stored):
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
    quoted = "\n".join(f"> {line}".rstrip() for line in passage.text.splitlines())
    link = f"[{stored.locator}]({file_link(stored, base_dir)})"
    return f"{quoted}\n>\n> — {headline(stored)}, {link} `{place(stored)}`"


def _pandoc(passage: Passage) -> str:
    quoted = "\n".join(f"> {line}".rstrip() for line in passage.text.splitlines())
    return f"{quoted}\n> {place(passage.stored)}"
