"""All work on one document, from its file to chunks with vectors; it changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import PurePath
from shlex import quote

from citeloom.application.ingest.embedding import embed, sparse_vectors, with_vectors
from citeloom.application.ports.conversion import DocumentConverter, SourceFile
from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder, TokenCounter
from citeloom.application.ports.runtime import (
    ChunksEmbedded,
    Clock,
    EmitEvent,
    PageBegun,
    StageBegun,
)
from citeloom.application.ports.sources import ReferenceLibrary
from citeloom.application.reports import (
    ChunkCounts,
    ChunkingInForce,
    DocumentOutcome,
    ImagesRead,
)
from citeloom.domain.chunks.chunk import Enrichment, with_point_ids
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.chunks.place_chunks import ChunkedDocument, FilterReason, NoisyPart
from citeloom.domain.documents.conversion import (
    LEAST_LOSS,
    BlockKind,
    ConversionResult,
    LeftOut,
    named_pages,
)
from citeloom.domain.documents.language import DEFAULT_LANGUAGE, clear_language, language_of
from citeloom.domain.documents.metadata import FRONT_MATTER_SUFFIXES, MetadataSchema, MetadataValue
from citeloom.domain.documents.printed_pages import printed_labels
from citeloom.domain.errors import EmptyDocument, InvalidMetadata
from citeloom.domain.policies import StrategyName
from citeloom.domain.project import Project, reads_english_alone
from citeloom.domain.references.citation import CitationMeta, ZoteroOrigin
from citeloom.domain.references.reference_matcher import MatchedBy, ReferenceMatch
from citeloom.domain.retrieval.passage import DenseVector, EmbeddedChunk, StoredChunk
from citeloom.domain.retrieval.sparse import primary_language
from citeloom.domain.zotero.attachments import is_supplement


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The converter, the references and the models of a project, each in the process that works
    with it. A remote dense model is used only in the process that stores.
    """

    converter: DocumentConverter
    references: ReferenceLibrary
    counter: TokenCounter
    dense: DenseEmbedder
    sparse: SparseEmbedder | None
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTask:
    """A document to prepare, called `path` in the manifest, and the policies to do it by.

    A `citation` comes with the file; without one a reference is looked for. Image pages read with
    less than `min_confidence` are reported one by one. Of a document that `shares_reference` with
    others it is not known whether the reference's pages are its own.
    """

    source: SourceFile
    path: str
    project: Project
    citation: CitationMeta | None = None
    origin: ZoteroOrigin | None = None
    min_confidence: float = 0.0
    shares_reference: bool = False

    @property
    def name(self) -> str:
        return self.source.path.name

    def after_failure(self, page: int, *, rest: bool) -> DocumentTask | None:
        """The task without layout analysis of that page, or of all further ones."""
        plain = self.source.plain_pages.after_failure(page, rest=rest)
        if plain is None:
            return None
        return replace(self, source=replace(self.source, plain_pages=plain))


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDocument:
    """A document's chunks with their vectors, ready to be stored, and what is recorded of it.

    Where a service makes the dense vectors they are empty until it has `completed` the document.
    """

    doc_id: str
    citation: CitationMeta | None
    chunks: tuple[EmbeddedChunk, ...]
    counts: ChunkCounts
    noisy: tuple[NoisyPart, ...]
    pages: int
    depends_on_ocr: bool
    has_text_layer: bool
    lost_words: Mapping[int, int] = field(default_factory=dict)
    left_out: Mapping[int, tuple[LeftOut, ...]] = field(default_factory=dict)

    @property
    def texts(self) -> list[str]:
        return [chunk.stored.chunk.embedding_text for chunk in self.chunks]

    def completed(self, dense: Sequence[DenseVector]) -> PreparedDocument:
        """The document with the dense vectors of its texts."""
        pairs = zip(self.chunks, dense, strict=True)
        return replace(self, chunks=tuple(replace(chunk, dense=v) for chunk, v in pairs))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rematched:
    """The reference a document has now, and the printed labels its pages have with it."""

    citation: CitationMeta | None
    labels: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class ToolsTask:
    """Checks that a project's models and references load; `source` is one of its documents."""

    project: Project
    source: SourceFile | None = None
    name: str = "the models"


def prepare(task: DocumentTask, tools: Tools, emit: EmitEvent) -> PreparedDocument:
    """Convert, match, chunk and embed a document, and emit its outcome after every stage.

    Where the project's dense model is remote its vectors are left to the process that stores them:
    only that one talks to the service. Raises what the ports raise, `InvalidMetadata` for front
    matter that is not as declared, and `EmptyDocument` when nothing of it is worth keeping.
    """
    result, outcome = _convert(task, tools, emit)
    metadata = document_metadata(task.project.front_matter, PurePath(task.path), result)
    match, outcome = _match(task, tools, emit, result, outcome)
    labelled = replace(result, page_labels=_labels(result, match))
    chunked, outcome = _chunk(task, tools, emit, labelled, metadata, outcome)
    stored = _stored_chunks(task, chunked, match.citation, metadata)
    embedded = _embed(task, tools, emit, stored, outcome)
    return PreparedDocument(
        doc_id=task.source.doc_id,
        citation=match.citation,
        chunks=tuple(embedded),
        counts=_chunk_counts(chunked, result.left_out),
        noisy=chunked.noisy,
        pages=result.page_count,
        depends_on_ocr=result.depends_on_ocr,
        has_text_layer=bool(result.layer_pages),
        lost_words={page: lost.count for page, lost in chunked.lost_words.items()},
        left_out=result.left_out,
    )


def rematch(task: DocumentTask, tools: Tools, emit: EmitEvent) -> Rematched:
    """Match a document that is indexed already; its text and vectors stay."""
    result, outcome = _convert(task, tools, emit)
    match, _ = _match(task, tools, emit, result, outcome)
    emit(StageBegun("chunk", len(result.plain_text)))
    return Rematched(citation=match.citation, labels=_labels(result, match))


def check_tools(task: ToolsTask, tools: Tools, emit: EmitEvent) -> bool:
    """Load models and references, so that what is wrong with them is known before hours of work. A
    remote model is not asked.

    Raises `ModelUnavailable`, `InvalidReferences`, or `ConfigError` for chunks that are too large
    for the model.
    """
    emit(StageBegun("load"))
    tools.references.references()
    task.project.chunking.fitted(tools.counter.window)
    if task.project.remote is None:
        tools.dense.embed_query(task.project.id)
    if tools.sparse is not None:
        tools.sparse.embed_query(task.project.id)
    return True


# The stages that a new match has, too, and what a document that is chunked comes to.


def _convert(
    task: DocumentTask, tools: Tools, emit: EmitEvent
) -> tuple[ConversionResult, DocumentOutcome]:
    """The converted document, and what is known of it."""
    began = tools.clock.monotonic()
    schema, path = task.project.front_matter, PurePath(task.path)
    emit(PageBegun(0))
    try:
        result = tools.converter.convert(task.source, emit).result
    except InvalidMetadata as error:
        emit(DocumentOutcome(metadata=_written_metadata(schema, error.fields)))
        raise
    images = None
    if task.source.ocr is not None and result.ocr_pages:
        pages = result.ocr_pages.items()
        images = ImagesRead(
            engine=result.ocr_engine,
            languages=result.ocr_languages,
            source=task.source.ocr.source,
            pages=len(pages),
            poor={page: sure for page, sure in pages if sure < task.min_confidence},
        )
    undeclared = metadata_notes(schema, path, result)
    outcome = DocumentOutcome(
        pages=result.page_count,
        notes=(*result.notes, *undeclared),
        page_failures=tuple(f"page {f.page}: {f.reason}" for f in result.page_failures),
        images=images,
        metadata=readable_metadata(schema, path, result),
    ).spent("convert", tools.clock.monotonic() - began)
    emit(outcome)
    return result, outcome


def _match(
    task: DocumentTask,
    tools: Tools,
    emit: EmitEvent,
    result: ConversionResult,
    outcome: DocumentOutcome,
) -> tuple[ReferenceMatch, DocumentOutcome]:
    """The document's reference: the one that came with the file, or the one found for it. That has
    no page range for a supplement, or where files share it.
    """
    emit(StageBegun("match"))
    began = tools.clock.monotonic()
    if task.citation is not None:
        match = ReferenceMatch(citation=task.citation, by=MatchedBy.ITEM, score=1.0)
    else:
        match = tools.references.match(task.path, result.embedded)
        citation = match.citation
        if citation is not None and (
            task.shares_reference or is_supplement((task.name,), citation.title)
        ):
            match = replace(match, citation=replace(citation, pages=None))
    advice = advice_on_language(task.path, result, match.citation, task.project.id)
    notes = (*outcome.notes, *filter(None, [advice]))
    outcome = replace(outcome, match=match, notes=notes)
    outcome = outcome.spent("match", tools.clock.monotonic() - began)
    emit(outcome)
    return match, outcome


def _chunk(
    task: DocumentTask,
    tools: Tools,
    emit: EmitEvent,
    result: ConversionResult,
    metadata: Mapping[str, MetadataValue],
    outcome: DocumentOutcome,
) -> tuple[ChunkedDocument, DocumentOutcome]:
    """The chunks, and what is known of the document with them. Raises `EmptyDocument` for none."""
    project, counter = task.project, tools.counter
    emit(StageBegun("chunk", len(result.plain_text)))
    began = tools.clock.monotonic()
    policy = project.chunking.fitted(counter.window)
    chunked = chunk_document(
        result,
        policy=policy,
        embedding_model=project.embedding_model,
        special_tokens=counter.special_tokens,
        count_all=counter.count_all,
        metadata=metadata,
        is_estimate=not counter.exact,
    )
    by_sections = policy.strategy is StrategyName.SECTIONS
    outcome = replace(
        outcome,
        chunking=ChunkingInForce(
            strategy=policy.strategy.value,
            max_tokens=policy.size,
            target_tokens=policy.sections.target_tokens if by_sections else None,
            token_count_estimated=not counter.exact,
        ),
        unread_language=_unread_language(result, project.embedding_model),
        notes=(*outcome.notes, *_note_of_losses(chunked)),
    )
    outcome = outcome.spent("chunk", tools.clock.monotonic() - began)
    emit(outcome)
    if not chunked.chunks:
        raise _empty_document(result, chunked)
    return chunked, outcome


def _stored_chunks(
    task: DocumentTask,
    chunked: ChunkedDocument,
    citation: CitationMeta | None,
    metadata: Mapping[str, MetadataValue],
) -> list[StoredChunk]:
    """The chunks as they are stored, each with its document's citation and metadata."""
    project, chunks = task.project, chunked.chunks
    if project.point_id is not None:
        chunks = with_point_ids(project.point_id, chunks, metadata)
    if metadata:
        metadata = {**metadata, "section_count": len(chunks)}
    undeclared = frozenset(metadata.keys() - project.front_matter.fields.keys())
    return [
        StoredChunk(
            project_id=project.id,
            chunk=chunk,
            source_path=task.path,
            citation=citation,
            attachment_key=task.origin.attachment_key if task.origin else None,
            zotero_library=task.origin.library if task.origin else None,
            embed_model=project.embedding_model,
            sparse_model=project.bound_sparse_model,
            metadata=metadata,
            undeclared=undeclared,
        )
        for chunk in chunks
    ]


def _embed(
    task: DocumentTask,
    tools: Tools,
    emit: EmitEvent,
    stored: list[StoredChunk],
    outcome: DocumentOutcome,
) -> list[EmbeddedChunk]:
    """The chunks with their vectors; without dense ones where a service makes these."""
    if task.project.remote is not None:
        return with_vectors(stored, [()] * len(stored), sparse_vectors(stored, tools.sparse))
    emit(StageBegun("embed", len(stored)))
    began = tools.clock.monotonic()
    embedded = embed(stored, tools.dense, tools.sparse, lambda n: emit(ChunksEmbedded(n)))
    emit(outcome.spent("embed", tools.clock.monotonic() - began))
    return embedded


def _labels(result: ConversionResult, match: ReferenceMatch) -> Mapping[int, str]:
    return printed_labels(result, match.citation.pages if match.citation else None)


def _unread_language(result: ConversionResult, dense_model: str) -> str | None:
    """The language that the text is clearly in, unless the model was trained on it."""
    language = clear_language(result.plain_text) if reads_english_alone(dense_model) else None
    return None if language == DEFAULT_LANGUAGE else language


def _note_of_losses(chunked: ChunkedDocument) -> Iterator[str]:
    """Which pages lose many words."""
    lossy = {page: lost for page, lost in chunked.lost_words.items() if lost.count >= LEAST_LOSS}
    if lossy:
        count = sum(lost.count for lost in lossy.values())
        sample = next(iter(lossy.values())).sample
        yield f"{count} words on {named_pages(sorted(lossy))} are in no passage: {sample} …"


def _chunk_counts(
    chunked: ChunkedDocument, left_out: Mapping[int, Sequence[LeftOut]]
) -> ChunkCounts:
    lessons = [chunk.lesson for chunk in chunked.chunks if chunk.lesson]
    words = Counter[str]()
    for text in chain.from_iterable(left_out.values()):
        words[text.kind.value] += text.count
    return ChunkCounts(
        total=len(chunked.chunks),
        with_heading=sum(bool(chunk.section_path) for chunk in chunked.chunks),
        filtered={reason.value: number for reason, number in chunked.filtered.items()},
        left_out=words,
        chunks_by_type=Counter(part.section_type.value for part in lessons),
        enriched_count=sum(p.enrichment_strategy is Enrichment.CONTEXT_INJECTION for p in lessons),
        split_count=chunked.split,
        body_characters=chunked.body_characters,
        kept_characters=chunked.kept_characters,
    )


def _empty_document(result: ConversionResult, chunked: ChunkedDocument) -> EmptyDocument:
    dropped = ", ".join(
        f"{n} {reason.value.replace('_', ' ')}" for reason, n in chunked.filtered.items()
    )
    if result.depends_on_ocr:
        hint = "Where pages are images, see that OCR is on and reads their language (--ocr-lang)."
    elif FilterReason.TOO_SHORT in chunked.filtered:
        hint = "If so short a text is wanted, lower min_chunk_tokens under [chunking]."
    elif FilterReason.LOW_SIGNAL in chunked.filtered:
        hint = "If text like this is wanted, lower min_signal_to_noise under [chunking]."
    else:
        hint = "Look whether it is the whole document."
    return EmptyDocument(f"no text worth a chunk was found ({dropped or 'no text at all'})", hint)


# The metadata of a document: its front matter, and what is counted or known without it.

_LONGEST_TITLE = 255
_NAMED = 10


def document_metadata(
    schema: MetadataSchema, path: PurePath, result: ConversionResult
) -> dict[str, MetadataValue]:
    """The metadata of a Markdown file; empty for any other.

    Raises `InvalidMetadata` if its front matter lacks a required field or has an invalid one.
    """
    metadata = readable_metadata(schema, path, result)
    return metadata | schema.validated(result.front_matter or {}) if metadata else metadata


def readable_metadata(
    schema: MetadataSchema, path: PurePath, result: ConversionResult
) -> dict[str, MetadataValue]:
    """The metadata of a Markdown file without invalid fields; empty for any other file."""
    if path.suffix.lower() not in FRONT_MATTER_SUFFIXES:
        return {}
    titles = (result.text_of(block) for block in result.blocks if block.kind is BlockKind.TITLE)
    return {
        "title": next(titles, path.stem)[:_LONGEST_TITLE],
        "language": language_of(result.plain_text),
        **_written_metadata(schema, result.front_matter),
        "word_count": len(result.plain_text.split()),
    }


def _written_metadata(
    schema: MetadataSchema, front_matter: Mapping[str, object] | None
) -> dict[str, MetadataValue]:
    """The valid and the undeclared fields of front matter, and whether there is any."""
    fields = front_matter or {}
    return {
        **schema.undeclared(fields).values,
        **schema.valid(fields),
        "has_frontmatter": front_matter is not None,
    }


def metadata_notes(
    schema: MetadataSchema, path: PurePath, result: ConversionResult
) -> tuple[str, ...]:
    """Notes on undeclared front matter of a Markdown file that is too large to be stored."""
    if path.suffix.lower() not in FRONT_MATTER_SUFFIXES:
        return ()
    fields = schema.undeclared(result.front_matter or {})
    return tuple(
        f"front matter: {change}: {', '.join(names[:_NAMED])}{' …' if len(names) > _NAMED else ''}"
        for change, names in (("shortened", fields.shortened), ("left out", fields.left_out))
        if names
    )


# Advice on the language of images.


def advice_on_language(
    path: str, result: ConversionResult, citation: CitationMeta | None, project_id: str
) -> str:
    """How to read a document again whose reference, found by what was read, has another language
    than it was read in; empty where there is no need.
    """
    language = citation.language if citation else None
    if not language or not result.ocr_pages:
        return ""
    if primary_language(language) in map(primary_language, result.ocr_languages):
        return ""
    command = f"citeloom ingest {quote(path)} --project {project_id}"
    return (
        f"its images were read in {'+'.join(result.ocr_languages)}, its reference says {language}; "
        f"to read them again: {command} --ocr-lang {language} --force"
    )
