"""The JSON of a project's documents."""

from __future__ import annotations

from datetime import UTC, datetime

from citeloom.application.documents import ListedDocument
from citeloom.domain.documents.manifest import DocumentState
from citeloom.infrastructure.answers.library import ManifestAnswer
from tests.described import as_json

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def document(path: str, state: DocumentState) -> ListedDocument:
    return ListedDocument(
        path=path,
        doc_id="d",
        title="",
        citekey=None,
        pages=1,
        chunks=3,
        state=state,
        content_hash="0a",
        updated_at=NOON,
    )


def test_the_manifest_has_the_indexed_files() -> None:
    indexed, failed = DocumentState.INDEXED, DocumentState.FAILED
    assert as_json(ManifestAnswer.of([document("a.md", indexed), document("b.md", failed)])) == {
        "files": {
            "a.md": {
                "content_hash": "0a",
                "last_ingested_at": "2026-01-05T12:00:00+00:00",
                "chunk_count": 3,
            }
        },
        "last_run": "2026-01-05T12:00:00+00:00",
    }


def test_the_manifest_of_nothing_is_empty() -> None:
    assert as_json(ManifestAnswer.of([])) == {"files": {}, "last_run": None}
