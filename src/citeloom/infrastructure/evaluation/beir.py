"""Test collections in BEIR format: corpus.jsonl, queries.jsonl, qrels/test.tsv."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from citeloom.domain.evaluation import EvaluationCollection, Evidence, Question, Text
from citeloom.infrastructure.evaluation.lines import parsed, unique

_HEADER = "query-id"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, hide_input_in_errors=True, coerce_numbers_to_str=True)

    id: str = Field(alias="_id", min_length=1)
    title: str | None = None
    text: str


def read_collection(folder: Path) -> EvaluationCollection:
    """The texts of a collection and the queries that have qrels.

    Raises `InvalidQrels` with the file and line that cannot be read.
    """
    hint = "A collection in BEIR format has corpus.jsonl, queries.jsonl and qrels/test.tsv."
    corpus = parsed(folder / "corpus.jsonl", _Record.model_validate_json, hint)
    queries = parsed(folder / "queries.jsonl", _Record.model_validate_json, hint)
    qrels = parsed(folder / "qrels" / "test.tsv", _qrel, hint)
    evidence: dict[str, list[Evidence]] = {}
    for _, (query, work, grade) in qrels:
        if grade > 0:
            evidence.setdefault(query, []).append(Evidence(work=work, grade=grade))
    questions = [
        Question(id=q.id, kind="query", text=q.text, evidence=tuple(evidence[q.id]))
        for _, q in queries
        if q.id in evidence
    ]
    return EvaluationCollection(
        name=folder.resolve().name,
        texts=tuple(Text(id=r.id, title=r.title or "", text=r.text) for _, r in corpus),
        questions=tuple(unique(folder / "queries.jsonl", questions)),
    )


def _qrel(line: str) -> tuple[str, str, int]:
    """Query id, text id and grade of a line; the header has no grade."""
    fields = line.split("\t")
    if len(fields) != 3:
        raise ValueError("a line must be query-id, corpus-id and score, separated by tabs")
    query, work, grade = fields
    return query, work, 0 if query == _HEADER else int(grade)
