"""A project's own names for what the documented JSON holds."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from citeloom.application.documents import ListedDocument
from citeloom.application.reports import DocumentFailure, IngestReport, OutcomeState
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.answers.ingests import IngestAnswer
from citeloom.infrastructure.answers.json import Shape, shape_named, shaped, shaped_answer
from tests.described import as_json
from tests.fakes.ingest_reports import failed, indexed, reported

ITEM = {"score": 0.8, "section_path": ["Tides", "Springs"], "metadata": {"module": "M 1"}}


def report() -> IngestReport:
    failure = DocumentFailure(path="c.md", code="INVALID_METADATA", message="no title")
    return reported(indexed("a.md", "b.md") | failed([failure]), found=3)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("score", 0.8),
        ("section_path", ["Tides", "Springs"]),
        ("section_path.-1", "Springs"),
        ("section_path.0", "Tides"),
        ("section_path.2", None),
        ("section_path.count", 2),
        ("metadata.module", "M 1"),
        ("metadata.chapter", None),
        ("score.more", None),
        ("score.rounded", 1),
        ("metadata.module.rounded", None),
    ],
)
def test_a_path_leads_into_the_documented_json(path: str, value: object) -> None:
    assert shaped({"own": path}, ITEM) == {"own": value}


def test_a_list_has_a_shape_of_its_own_or_one_value_of_each() -> None:
    shape: Shape = {
        "total_files": "found",
        "processed_files": "indexed.count",
        "skipped_files": {"each": "failed", "file_path": "path", "reason": "message"},
        "errors": "failed.message",
    }
    assert list(shaped(shape, as_json(IngestAnswer.of(report()))).items()) == [
        ("total_files", 3),
        ("processed_files", 2),
        ("skipped_files", [{"file_path": "c.md", "reason": "no title"}]),
        ("errors", ["no title"]),
    ]


def test_what_is_no_list_has_no_items() -> None:
    assert shaped({"own": {"each": "score", "a": "b"}}, ITEM) == {"own": []}


def test_a_document_is_shaped_from_its_json() -> None:
    moment = datetime(2024, 5, 1, tzinfo=UTC)
    listed = ListedDocument(
        path="a.md",
        doc_id="d",
        title="A",
        citekey=None,
        pages=0,
        chunks=4,
        state=DocumentState.INDEXED,
        created_at=moment,
    )
    assert shaped({"status": "state", "since": "created_at", "n": "chunks"}, listed) == {
        "status": "indexed",
        "since": moment.isoformat(),
        "n": 4,
    }


def test_a_key_that_is_not_documented_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="no 'scores'") as raised:
        shaped({"confidence": "scores"}, ITEM)
    assert raised.value.hint == "Did you mean score?"
    with pytest.raises(ConfigError) as raised:
        shaped({"all": {"each": "xyzzy", "a": "b"}}, ITEM)
    assert "section_path" in raised.value.hint


def test_a_shape_that_is_not_configured_is_an_error() -> None:
    shapes: dict[str, Shape] = {"search_result": {"confidence": "score"}}
    assert shape_named("search_result", shapes) == {"confidence": "score"}
    with pytest.raises(ConfigError) as raised:
        shape_named("search_resul", shapes)
    assert raised.value.hint == "Did you mean search_result?"
    with pytest.raises(ConfigError) as raised:
        shape_named("result", {})
    assert "shapes.result" in raised.value.hint


def test_an_answer_in_the_shape_of_a_passage_is_its_citations() -> None:
    answer = {"status": "answered", "citations": [{"citation_label": "[M 1]", **ITEM}]}
    source = {"label": "citation_label", "module": "metadata.module"}
    assert shaped_answer(source, answer) == [{"label": "[M 1]", "module": "M 1"}]
    assert shaped_answer(source, {**answer, "citations": []}) == []
    assert shaped_answer({"status": "status"}, answer) == {"status": "answered"}
    with pytest.raises(ConfigError, match="no 'module' in the JSON"):
        shaped_answer({"label": "citation_label", "module": "module"}, answer)


def test_a_report_lists_what_failed_before_with_what_failed_now() -> None:
    before = DocumentFailure(path="d.md", code="EMPTY_DOCUMENT", message="empty")
    outcomes = {**report().outcomes, **failed([before], OutcomeState.FAILED_BEFORE)}
    full = as_json(IngestAnswer.of(reported(outcomes)))
    shape: Shape = {
        "skipped": {"each": "not_indexed", "path": "path"},
        "errors": "not_indexed.code",
    }
    assert shaped(shape, full) == {
        "skipped": [{"path": "c.md"}, {"path": "d.md"}],
        "errors": ["INVALID_METADATA", "EMPTY_DOCUMENT"],
    }
