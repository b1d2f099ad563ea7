"""Embedded chunks to fill an index with: plain ones, and whole libraries by chance."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from citeloom.domain.chunks.chunk import (
    AnnotationRef,
    Chunk,
    ChunkKind,
    Enrichment,
    LessonPart,
    LessonType,
    PageBox,
    SectionType,
)
from citeloom.domain.documents.conversion import Box, Doubt, SourcePlace
from citeloom.domain.documents.metadata import MetadataValue
from citeloom.domain.project import Collection
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import EmbeddedChunk, Selection, SparseVector, StoredChunk

DIMENSION = 8
DENSE_MODEL, SPARSE_MODEL = "dense-model", "sparse-model"
PROJECT = "lab/wheat"
EVERYTHING = Selection(project_id=PROJECT)

TAGS = ("method", "field trial", "Überblick")
KEYS = ("adams1999", "baker2007", "cho2021")
PATHS = (
    (),
    ("1 Introduction",),
    ("2 Methods",),
    ("2 Methods", "2.1 Sampling"),
    ("2 Methods", "2.2 Sampling bias"),
    ("A. Methods of old",),
)
METADATA: dict[str, MetadataValue] = {
    "module": "Module 1",
    "tier": 2,
    "hours": 1.5,
    "draft": False,
    "published": "2024-05-01",
    "topics": ("wheat", "rye"),
}
MODULES = ("Module 1", 'Module 2: Rye, "dark"')
DAYS = ("2023-12-31", "2024-05-01", "2024-05-02")
TOPICS = ("wheat", "rye", "Gerste 🌾")
OF_WORKS: dict[str, tuple[str, ...]] = {
    "aliases": ("adams99", "Baker"),
    "authors": ("Baker, A.", "Émile"),
    "collection_keys": ("AAAA2345", "AAAA2345/BBBB2345"),
    "collections": ("Cereals", "Cereals/Rye \\/ oats"),
    "container": ("Crops", "Field notes"),
    "item_type": ("book", "journalArticle"),
    "language": ("de", "en"),
    "libraries": ("groups/7/Rye", "library/My Library"),
}
"""What works may have, by the field of a reference."""
DOCUMENTS = ("doc-1", "doc-2", "doc-3", "doc-4")
TWO_TERMS = SparseVector(indices=(1, 2), values=(1.0, 0.5))


def collection(name: str, *, hybrid: bool = True, generation: str = "first") -> Collection:
    return Collection(
        name=name,
        project_id=PROJECT,
        generation=generation,
        dense_model=DENSE_MODEL,
        dimension=DIMENSION,
        sparse_model=SPARSE_MODEL if hybrid else None,
    )


def embedded(
    chunk_id: str,
    *,
    project_id: str = PROJECT,
    doc_id: str = "doc-1",
    text: str = "Wheat grows.",
    citation: CitationMeta | None = None,
    dense: tuple[float, ...] | None = None,
    sparse: SparseVector | None = TWO_TERMS,
) -> EmbeddedChunk:
    """A chunk embedded by the bound models; pass `sparse=None` for a collection without."""
    chunk = Chunk(
        id=chunk_id,
        doc_id=doc_id,
        text=text,
        page_span=(1, 1),
        chunk_idx=0,
        token_count=3,
        signal_to_noise=1.0,
    )
    stored = StoredChunk(
        project_id=project_id,
        chunk=chunk,
        source_path=f"{doc_id}.pdf",
        citation=citation,
        embed_model=DENSE_MODEL,
        sparse_model=None if sparse is None else SPARSE_MODEL,
    )
    vector = dense or tuple(1.0 if axis == 0 else 0.5 for axis in range(DIMENSION))
    return EmbeddedChunk(stored=stored, dense=vector, sparse=sparse)


def rich(chunk_id: str) -> EmbeddedChunk:
    """A chunk with a value in every field."""
    plain = embedded(chunk_id)
    chunk = replace(
        plain.stored.chunk,
        page_span=(11, 12),
        section_path=("2 Methods", "2.1 Sampling"),
        chunk_idx=7,
        token_count=120,
        signal_to_noise=0.75,
        kind=ChunkKind.TABLE,
        page_labels=("ix", "x"),
        boxes=(PageBox(page=11, box=Box(left=72.0, top=80.5, right=300.0, bottom=96.0)),),
        heading_context=("Methods", "Sampling"),
        source=SourcePlace(start_position=120, end_position=480),
        heading_level=2,
        section_type=SectionType.LIST,
        lesson=LessonPart(
            section_type=LessonType.CODE_HEAVY,
            chunk_index=1,
            total_chunks=3,
            enrichment_strategy=Enrichment.OVERLAPPING_WINDOWS,
        ),
        token_count_estimated=True,
    )
    citation = CitationMeta(
        citekey="baker2007",
        title="Über Weizen",
        authors=("Baker, A.", "Émile"),
        year=2007,
        doi="10.1000/1",
        url="https://example.org/1",
        tags=("method", "field trial"),
        collections=("Cereals",),
        collection_keys=("AAAA2345",),
        libraries=("library/My Library",),
        item_type="book",
        added="2024-05-01",
        aliases=("Baker",),
        identifiers=("isbn:9780000000002",),
        related=("CCCC2345",),
        language="de",
        container="Crops",
        pages="10-20",
        item_key="ABCD2345",
    )
    stored = replace(
        plain.stored,
        chunk=chunk,
        citation=citation,
        attachment_key="WXYZ6789",
        zotero_library="groups/4711",
        metadata=METADATA,
    )
    return replace(plain, stored=stored)


def doubted(chunk_id: str) -> EmbeddedChunk:
    """A chunk of several sections whose order of lines and whose table are doubtful."""
    whole = rich(chunk_id)
    doubts = (Doubt.ORDER, Doubt.TABLE)
    sections = (("Methods", "Fields"), ("Ends",))
    chunk = replace(whole.stored.chunk, doubts=doubts, sections=sections, code=((0, 3), (5, 8)))
    return replace(whole, stored=replace(whole.stored, chunk=chunk))


def marked(chunk_id: str) -> EmbeddedChunk:
    """A highlight with a comment, in a colour, on page 11."""
    whole = rich(chunk_id)
    mark = AnnotationRef(
        key="NNTE2345",
        fingerprint="f00d",
        quotes=True,
        comment="Says who?",
        color="#ffd400",
        tags=("claim",),
        rects=((72.0, 80.5, 300.0, 96.0),),
    )
    chunk = replace(
        whole.stored.chunk,
        page_span=(11, 11),
        page_labels=("ix",),
        section_path=(),
        kind=ChunkKind.ANNOTATION,
        boxes=(),
        mark=mark,
    )
    return replace(whole, stored=replace(whole.stored, chunk=chunk))


def placeless(chunk_id: str) -> EmbeddedChunk:
    """A highlight in a format without pages."""
    whole = marked(chunk_id)
    chunk = replace(whole.stored.chunk, page_span=None, page_labels=())
    return replace(whole, stored=replace(whole.stored, chunk=chunk))


def library(
    count: int, *, seed: int, project_ids: tuple[str, ...] = (PROJECT,)
) -> list[EmbeddedChunk]:
    """Chunks of every kind, spread over projects, documents, works and sections by chance."""
    random = Random(seed)
    return [_any_chunk(random, index, random.choice(project_ids)) for index in range(count)]


def dense_vector(random: Random) -> tuple[float, ...]:
    return tuple(random.gauss(0.0, 1.0) for _ in range(DIMENSION))


def sparse_vector(random: Random, *, terms: int = 6) -> SparseVector:
    indices = tuple(sorted(random.sample(range(40), terms)))
    return SparseVector(indices=indices, values=tuple(random.uniform(0.1, 2.0) for _ in indices))


def _any_chunk(random: Random, index: int, project_id: str) -> EmbeddedChunk:
    document = random.choice(DOCUMENTS)
    plain = embedded(
        f"{project_id}-{index:05d}",
        project_id=project_id,
        doc_id=document,
        text=f"Passage {index} of {document}.",
        citation=_any_citation(random),
        dense=dense_vector(random),
        sparse=sparse_vector(random),
    )
    chunk = replace(
        plain.stored.chunk,
        chunk_idx=index,
        section_path=random.choice(PATHS),
        kind=random.choice(tuple(ChunkKind)),
        section_type=(None, *SectionType)[index % (1 + len(SectionType))],
        lesson=_lesson(index),
    )
    metadata = _any_metadata(random)
    undeclared: dict[str, MetadataValue] = _UNDECLARED if index % 2 else {}
    stored = replace(
        plain.stored,
        chunk=chunk,
        metadata={**metadata, **undeclared},
        undeclared=frozenset(undeclared),
    )
    return replace(plain, stored=stored)


def _lesson(index: int) -> LessonPart | None:
    kind = (None, *LessonType)[index % (1 + len(LessonType))]
    return None if kind is None else LessonPart(section_type=kind)


_UNDECLARED: dict[str, MetadataValue] = {"description": "On wheat", "params.kinds": ("a", "b")}


def _any_metadata(random: Random) -> dict[str, MetadataValue]:
    everything: dict[str, MetadataValue] = {
        "module": random.choice(MODULES),
        "tier": random.choice((1, 2, 3)),
        "hours": random.choice((0.5, 1.5, 2.0)),
        "draft": random.choice((True, False)),
        "published": random.choice(DAYS),
        "topics": tuple(topic for topic in TOPICS if random.random() < 0.4),
        "summary": "Wheat and rye.",
    }
    return {name: value for name, value in everything.items() if random.random() < 0.8}


def _any_citation(random: Random) -> CitationMeta | None:
    if random.random() < 0.2:
        return None

    def some(field: str) -> tuple[str, ...]:
        return tuple(value for value in OF_WORKS[field] if random.random() < 0.5)

    return CitationMeta(
        citekey=random.choice(KEYS),
        title="A work",
        year=random.choice((None, 1999, 2007, 2021)),
        tags=tuple(tag for tag in TAGS if random.random() < 0.5),
        added=random.choice((None, *DAYS)),
        aliases=some("aliases"),
        authors=some("authors"),
        collection_keys=some("collection_keys"),
        collections=some("collections"),
        container=random.choice((None, *OF_WORKS["container"])),
        item_type=random.choice((None, *OF_WORKS["item_type"])),
        language=random.choice((None, *OF_WORKS["language"])),
        libraries=some("libraries"),
    )
