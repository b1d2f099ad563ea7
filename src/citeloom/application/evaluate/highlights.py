"""The use case `eval highlights`: how well a project finds what its owner marked, each comment a
question, and the passage that it was made on the evidence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from citeloom.application.evaluate.ranking import EvaluationRequest
from citeloom.domain.chunks.chunk import MARKS, AnnotationRef, ChunkKind
from citeloom.domain.errors import NotFound
from citeloom.domain.evaluation.measures import Question, RelevanceJudgement
from citeloom.domain.retrieval.passage import StoredChunk

if TYPE_CHECKING:
    from citeloom.application.open_project import OpenProject
    from citeloom.domain.policies import Mode

_IN_A_NOTE = "note"
"""The kind of a quotation in a note, which has no colour where Zotero recorded none."""


def highlight_request(
    project: OpenProject, *, modes: tuple[Mode, ...], k: int
) -> EvaluationRequest:
    """The questions that the indexed highlights and the quotations in notes are, by colour and tag.

    The passages of the highlight itself, in a note that repeats it, too, are left out of what is
    found for it. Raises `NotFound` where none has a comment.
    """
    marks = [*_marks(project)]
    asked = {mark.id: mark for mark in marks if mark.question is not None}
    if not asked:
        raise NotFound(
            f"project '{project.id}' holds no highlight with a comment",
            f"Comment on highlights in Zotero, and index them: citeloom ingest --project "
            f"{project.id} --zotero --annotations --notes",
        )
    of_annotation: dict[tuple[str, str], set[str]] = defaultdict(set)
    for mark in marks:
        of_annotation[mark.annotation] |= mark.chunk_ids
    return EvaluationRequest(
        name=f"highlights with a comment, {len(asked)} of {sum(mark.quotes for mark in marks)}",
        questions=tuple(mark.question for mark in asked.values() if mark.question is not None),
        modes=modes,
        k=k,
        groups={name: tuple(f"tag {tag}" for tag in mark.tags) for name, mark in asked.items()},
        left_out={name: frozenset(of_annotation[mark.annotation]) for name, mark in asked.items()},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    """An annotation, a note or a quotation in one, whose chunks are those of `annotation`, by its
    library and key, or of itself. One that `quotes` a work and has a comment is a question.
    """

    id: str
    annotation: tuple[str, str]
    chunk_ids: frozenset[str]
    quotes: bool
    tags: tuple[str, ...]
    question: Question | None


def _marks(project: OpenProject) -> Iterator[_Mark]:
    by_document: dict[str, list[tuple[StoredChunk, AnnotationRef]]] = defaultdict(list)
    selection = replace(project.everything, kinds=MARKS)
    for stored in project.index.scroll(project.collection, selection):
        if stored.chunk.mark is not None:
            by_document[stored.chunk.doc_id].append((stored, stored.chunk.mark))
    for doc_id in sorted(by_document):
        parts = sorted(by_document[doc_id], key=lambda part: part[0].chunk.chunk_idx)
        stored, mark = parts[0]
        quoted = " ".join(each.chunk.text for each, ref in parts if ref.quotes)
        own = "\n\n".join(each.chunk.text for each, ref in parts if not ref.quotes)
        is_note = stored.chunk.kind is ChunkKind.NOTE
        name = f"{mark.key}-{doc_id[:8]}" if is_note else mark.key
        yield _Mark(
            id=name,
            annotation=(stored.zotero_library or "", mark.annotation or name),
            chunk_ids=frozenset(each.chunk.id for each, _ in parts),
            quotes=bool(quoted),
            tags=mark.tags,
            question=_question(name, mark.comment or own, quoted, stored) if quoted else None,
        )


def _question(name: str, comment: str, quoted: str, stored: StoredChunk) -> Question | None:
    """The comment as a question; None where it has no word, or the work no reference."""
    mark, span = stored.chunk.mark, stored.chunk.page_span
    if not any(map(str.isalpha, comment)) or stored.citation is None or mark is None:
        return None
    evidence = RelevanceJudgement(work=stored.citation.citekey, page=span[0] if span else None)
    return Question(
        id=name,
        kind=mark.color_name or mark.color or _IN_A_NOTE,
        text=comment,
        evidence=(evidence,),
        quotations=(quoted,),
    )
