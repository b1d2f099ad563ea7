"""The documented JSON of passages, and the words that name them in every form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import shorten

from citeloom.application.manuscript.collect import Chapter, CollectedPassage
from citeloom.application.retrieval.result import QueryResult
from citeloom.application.retrieval.show import Shown
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.documents.metadata import MetadataValue, as_text
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.candidates import Reranked
from citeloom.domain.retrieval.passage import Neighbour, Passage, Ranked, StoredChunk
from citeloom.domain.retrieval.words import QueryCoverage
from citeloom.infrastructure.serialisation.json import UNTRUSTED, json_of
from citeloom.infrastructure.serialisation.schemas import passages as schemas
from citeloom.infrastructure.serialisation.schemas.passages import (
    Annotation,
    CollectedAnswer,
    CollectedChapter,
    Fit,
    FoundPassage,
    Lesson,
    MetadataEntry,
    Neighbours,
    Note,
    ParagraphPlace,
    QueryAnswer,
    Rank,
    ShownPassage,
    Source,
    Work,
)
from citeloom.infrastructure.serialisation.text import links_of

NO_REFERENCE = "(no reference)"
_NAMED = 2
_LONGEST_VALUE = 200


def query_json(result: QueryResult, base_dir: Path) -> QueryAnswer:
    """The documented JSON of a query."""
    return {
        "project": result.project,
        "query": result.query,
        "mode": result.mode,
        "models": {
            "dense": result.models.get("dense") or "",
            "sparse": result.models.get("sparse"),
        },
        "fusion": result.fusion,
        "feedback": list(result.feedback),
        "fit": fit_json(result.fit),
        "stages": [
            {
                "name": stage.name.value,
                "in": stage.hits_in,
                "out": stage.hits_out,
                "detail": stage.detail,
            }
            for stage in result.stages
        ],
        "rerank": _rerank_json(result.reranked),
        "sent_to": ", ".join(result.destinations) or None,
        "notes": list(result.notes),
        "works": {"shown": result.works_shown, "found": result.works_found},
        "count": len(result.passages),
        "items": [passage_json(passage, base_dir) for passage in result.passages],
        "duration_ms": result.duration_ms,
        "correlation_id": result.correlation_id,
    }


def neighbours_once(passages: Sequence[Passage]) -> list[Passage]:
    """The passages without neighbours that are passages themselves, or stand by an earlier one."""
    shown = {passage.stored.chunk.id for passage in passages}
    without_repeats: list[Passage] = []
    for passage in passages:
        before, after = (
            tuple(one for one in side if one.chunk.id not in shown)
            for side in (passage.before, passage.after)
        )
        shown |= {one.chunk.id for one in (*before, *after)}
        without_repeats.append(replace(passage, before=before, after=after))
    return without_repeats


def passage_json(passage: Passage, base_dir: Path) -> FoundPassage:
    """The documented JSON of a passage."""
    return {
        "chunk_id": passage.stored.chunk.id,
        "score": passage.score,
        "scores": {
            "dense": _rank(passage.dense),
            "sparse": _rank(passage.sparse),
            "rerank": _rank(passage.reranked),
        },
        "fit": fit_json(passage.fit),
        "why": list(passage.why),
        **UNTRUSTED,
        "text": passage.text,
        "trimmed": passage.trimmed,
        "verbatim": passage.verbatim,
        **stored_json(passage.stored, base_dir),
        "citation": passage.citation,
        "citation_label": passage.citation_label,
        "duplicates": [stored_json(stored, base_dir) for stored in passage.duplicates],
        **_neighbours(passage),
    }


def _neighbours(passage: Passage) -> Neighbours:
    if not passage.before and not passage.after:
        return {}
    return {
        "before": [stored.chunk.text for stored in passage.before],
        "after": [stored.chunk.text for stored in passage.after],
        "context_before": [_neighbour(one) for one in passage.context_before],
        "context_after": [_neighbour(one) for one in passage.context_after],
    }


def shown_json(shown: Shown, base_dir: Path) -> list[ShownPassage]:
    """The documented JSON of what `show` shows, in reading order."""
    return [
        {
            "chunk_id": stored.chunk.id,
            **UNTRUSTED,
            "text": stored.chunk.text,
            **stored_json(stored, base_dir),
        }
        for stored in (*shown.before, *shown.chunks, *shown.after)
    ]


def stored_json(stored: StoredChunk, base_dir: Path) -> Source:
    """Where a chunk comes from: the work, the place in it, links to both."""
    chunk = stored.chunk
    return {
        "doc_id": chunk.doc_id,
        "kind": chunk.kind,
        "chunk_idx": chunk.chunk_idx,
        "token_count": chunk.token_count,
        "token_count_estimated": chunk.token_count_estimated,
        "lesson": json_of(Lesson, chunk.lesson) if chunk.lesson else None,
        **work_json(stored.citation),
        "page_span": list(chunk.page_span) if chunk.page_span else None,
        "page": chunk.page_span[0] if chunk.page_span else None,
        "page_index": chunk.page_span[0] - 1 if chunk.page_span else None,
        "paragraph_span": _paragraph_span(chunk.paragraphs),
        "page_labels": list(chunk.page_labels),
        "locator": str(stored.locator),
        "section_path": list(chunk.section_path),
        "heading_chain": " > ".join(chunk.section_path),
        "heading_level": chunk.heading_level,
        "section_type": chunk.section_type,
        "start_position": chunk.source.start_position if chunk.source else None,
        "end_position": chunk.source.end_position if chunk.source else None,
        "metadata": metadata_json(stored.metadata),
        "source_path": stored.source_path,
        "doubts": list(chunk.doubts),
        "annotation": _annotation(stored),
        "note": _note(stored),
        "links": links_of(stored, base_dir),
    }


def _neighbour(one: Neighbour) -> schemas.Neighbour:
    """The documented JSON of what a chunk beside a passage adds to it."""
    return {
        "chunk_id": one.stored.chunk.id,
        **UNTRUSTED,
        "text": one.text,
        "citation": one.citation,
        "locator": str(one.locator),
        "page_labels": list(one.locator.page_labels),
    }


def collected_json(passage: CollectedPassage) -> CollectedAnswer:
    """The documented JSON of a passage that was collected."""
    return json_of(CollectedAnswer, passage, path=str(passage.path))


def chapter_json(chapter: Chapter) -> CollectedChapter:
    """The documented JSON of a chapter in a list, without its text."""
    count = len(chapter.chunk_ids)
    return json_of(CollectedChapter, chapter, path=str(chapter.path), count=count)


def metadata_json(metadata: Mapping[str, MetadataValue]) -> dict[str, MetadataEntry]:
    """The documented JSON of a document's front matter."""
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in metadata.items()
    }


def metadata_text(metadata: Mapping[str, MetadataValue]) -> str:
    """A document's front matter in a line: `module: Module 1 · tags: ros, slam`."""
    return " · ".join(
        f"{name}: {shorten(as_text(value), _LONGEST_VALUE, placeholder=' …')}"
        for name, value in metadata.items()
    )


def work_json(work: CitationMeta | None) -> Work:
    """The fields of a work; those of a chunk without a reference are empty."""
    return {
        "citekey": work.citekey if work else None,
        "title": work.title if work else None,
        "year": work.year if work else None,
        "doi": work.doi if work else None,
        "url": work.url if work else None,
        "attachment": work.attachment if work else None,
        "item_key": work.item_key if work else None,
        "citekey_generated": work is not None and work.citekey_generated,
        "authors": list(work.authors if work else ()),
        "more_authors": work is not None and work.more_authors,
        "tags": list(work.tags if work else ()),
    }


def without_reference(result: QueryResult) -> str:
    """What is said beside a passage without a reference; nothing where the project has none."""
    return NO_REFERENCE if result.references_configured else ""


def headline(stored: StoredChunk, without: str = NO_REFERENCE) -> str:
    """The work in a few words: `Rule and Birmingham 2018, Ten simple rules`, and before it what
    the reader left there: `highlight in …`; of one without a reference its path, and `without`.
    """
    attachment = stored.citation.attachment if stored.citation else None
    return f"{_what(stored)}{_work(stored, without)}" + (f" [{attachment}]" if attachment else "")


def place(stored: StoredChunk) -> str:
    """The citation to the page, or the locator alone for a work without a citekey."""
    if stored.cited is None:
        return ", ".join(filter(None, (Path(stored.source_path).name, str(stored.locator))))
    return stored.cited


def cited_place(stored: StoredChunk) -> str:
    """Likewise, with a word on a generated citekey, and on what speaks against the text."""
    return f"{place(stored)}{remark_on(stored)}"


def remark_on(stored: StoredChunk) -> str:
    """What stands in parentheses behind a citation, if anything."""
    return f" ({stored.remark})" if stored.remark else ""


def comments(stored: StoredChunk) -> tuple[str, ...]:
    """What the reader said of a highlight, if anything."""
    mark = stored.chunk.mark
    return (mark.comment,) if mark and mark.comment else ()


def in_short(families: Sequence[str], *, more: bool = False) -> str:
    """`Rule`, `Rule and Birmingham`, or `Rule et al.` of many or where there are `more`; empty
    without any.
    """
    if len(families) > _NAMED or (families and more):
        return f"{families[0]} et al."
    return " and ".join(families)


def fit_json(fit: QueryCoverage | None) -> Fit | None:
    """The documented JSON of how well passages fit a question."""
    return None if fit is None else json_of(Fit, fit)


def _rerank_json(reranked: Reranked | None) -> schemas.Reranked | None:
    return None if reranked is None else json_of(schemas.Reranked, reranked, model=reranked.by)


def _annotation(stored: StoredChunk) -> Annotation | None:
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


def _note(stored: StoredChunk) -> Note | None:
    mark = stored.chunk.mark
    if mark is None or stored.chunk.kind is not ChunkKind.NOTE:
        return None
    return {
        "key": mark.key,
        "tags": list(mark.tags),
        "quotes": mark.quotes,
        "remark": mark.comment or None,
        "annotation": mark.annotation or None,
    }


def _paragraph_span(
    paragraphs: tuple[Paragraph, Paragraph] | None,
) -> list[ParagraphPlace] | None:
    if paragraphs is None:
        return None
    return [
        {"section": paragraph.section, "paragraph": paragraph.number} for paragraph in paragraphs
    ]


def _what(stored: StoredChunk) -> str:
    mark = stored.chunk.mark
    if mark is None:
        return ""
    if stored.chunk.kind is ChunkKind.NOTE:
        return "quotation in a note on " if mark.quotes else "note on "
    return "highlight in " if mark.quotes else "comment in "


def _work(stored: StoredChunk, without: str) -> str:
    work = stored.citation
    if work is None:
        return f"{stored.source_path or 'no work'} {without}".rstrip()
    families = [author.split(",")[0].strip() for author in work.authors]
    who = in_short(families, more=work.more_authors)
    when = str(work.year) if work.year else "n.d."
    return f"{who} {when}, {work.title}" if who else f"{work.title} ({when})"


def _rank(ranked: Ranked | None) -> Rank | None:
    return None if ranked is None else json_of(Rank, ranked)
