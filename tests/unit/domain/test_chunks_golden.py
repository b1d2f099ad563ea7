"""Chunks along headings, as libraries already hold them: any change here has them ingested anew.

CITELOOM_UPDATE_GOLDEN=1 writes them anew; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from citeloom.application.ingest.fingerprints import policy_fingerprint
from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.chunks.place_chunks import ChunkedDocument
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.domain.policies import ChunkingPolicy
from citeloom.domain.project import Project
from tests.fakes.documents import (
    PAGE_BREAK,
    Part,
    caption,
    document,
    heading,
    paragraph,
    table,
    without_pages,
)
from tests.fakes.embedders import PieceCounter

GOLDEN = Path(__file__).parents[2] / "golden" / "chunks_by_headings.json"
COUNTER = PieceCounter()
KNOWN = (
    "id",
    "doc_id",
    "text",
    "section_path",
    "sections",
    "chunk_idx",
    "token_count",
    "signal_to_noise",
    "kind",
    "page_labels",
    "heading_context",
)


def told(subject: str, sentences: int) -> str:
    return " ".join(f"{subject} was seen {n} times on the field." for n in range(sentences))


HANDBOOK = document(
    Part(BlockKind.TITLE, "A handbook of rye"),
    paragraph(told("Barley", 3)),
    heading("1 Methods"),
    heading("1.1 Sampling", 2),
    paragraph(f"{told('Wheat', 20)} {PAGE_BREAK}{told('Oat', 25)}"),
    Part(BlockKind.LIST_ITEM, "- by hand"),
    heading("1.2 Aim", 2),
    paragraph("To see."),
    caption("Table 1. Yields."),
    table(*(f"plot {n} | {n * 7} kg | {told('Rye', 1)}" for n in range(30))),
    heading("2 Listing"),
    Part(BlockKind.CODE, "\n".join(f"yield_{n} = plot[{n}] * {n}" for n in range(40))),
    paragraph(f"{'=' * 60}"),
    heading("References"),
    paragraph("Fenn, A. (2001). On rye. Journal of Rye 1, 1-9."),
    paragraph("Moor, B. (2002). On oats. Journal of Oats 2, 10-19."),
    paragraph("Heath, C. (2003). On wheat. Journal of Wheat 3, 20-29."),
    page_labels={1: "i", 2: "ii"},
)
DOCUMENTS = {"paged": HANDBOOK, "unpaged": without_pages(HANDBOOK)}
POLICIES = {
    "default": ChunkingPolicy(),
    "small": ChunkingPolicy(
        max_tokens=80, overlap_tokens=15, heading_context=1, min_chunk_tokens=10
    ),
}


def cut(result: ConversionResult, policy: ChunkingPolicy) -> ChunkedDocument:
    return chunk_document(
        result,
        policy=policy.fitted(COUNTER.window),
        embedding_model="model",
        special_tokens=COUNTER.special_tokens,
        count_all=COUNTER.count_all,
    )


def readable(chunk: Chunk) -> dict[str, object]:
    known = {name: getattr(chunk, name) for name in KNOWN}
    known["place"] = repr(chunk.page_span or chunk.paragraphs)
    known["boxes"] = [f"{b.page}: {b.box.top:.0f}-{b.box.bottom:.0f}" for b in chunk.boxes]
    return known


def test_chunks_along_headings_are_as_libraries_hold_them() -> None:
    made: dict[str, object] = {}
    for name, result in DOCUMENTS.items():
        for policy_name, policy in POLICIES.items():
            chunked = cut(result, policy)
            made[f"{name}, {policy_name}"] = {
                "chunks": [readable(chunk) for chunk in chunked.chunks],
                "filtered": {reason.value: n for reason, n in chunked.filtered.items()},
                "characters": [chunked.kept_characters, chunked.body_characters],
            }
    written = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("CITELOOM_UPDATE_GOLDEN"):
        GOLDEN.write_text(written)
    assert written == GOLDEN.read_text()


@pytest.mark.parametrize(
    ("project", "fingerprint"),
    [
        (Project(id="lab/rye"), "8d3f5eff5e6af9ea"),
        (Project(id="lab/rye", chunking=POLICIES["small"]), "9bc1bb970d8feb06"),
    ],
)
def test_fingerprints_are_as_manifests_hold_them(project: Project, fingerprint: str) -> None:
    assert policy_fingerprint(project, "1") == fingerprint
