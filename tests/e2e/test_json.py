"""What `--json` prints has the keys of its description, and no other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citeloom.application.delete import DeleteReport
from citeloom.application.documents import ListedDocument
from citeloom.application.evaluate.sweep import SweepReport
from citeloom.application.library_info import ProjectSummary
from citeloom.application.match import MatchCandidates
from citeloom.application.repair import RepairReport
from citeloom.domain.evaluation.comparison import RunComparison
from citeloom.domain.evaluation.measures import EvaluationRun
from citeloom.infrastructure.answers.ask import (
    AskAnswer,
    SessionAnswer,
    SessionEntry,
    TurnAnswer,
)
from citeloom.infrastructure.answers.evaluations import (
    AnswerEvaluationAnswer,
    ClaimEvaluationAnswer,
    PagesAnswer,
)
from citeloom.infrastructure.answers.ingests import IngestAnswer
from citeloom.infrastructure.answers.library import (
    InspectAnswer,
    ManifestAnswer,
    ModelsAnswer,
    StoreAnswer,
    Validation,
)
from citeloom.infrastructure.answers.passages import (
    ChapterText,
    CollectedAnswer,
    CollectedChapter,
    FoundPassage,
    QueryAnswer,
    ShownPassage,
)
from tests.described import assert_described
from tests.e2e.command import Desk
from tests.e2e.in_process import run
from tests.e2e.papers import CLAY
from tests.e2e.test_eval import QUESTIONS, lines

QUESTION = "How were tiles dried?"


@pytest.mark.parametrize(
    ("command", "description"),
    [
        (("query", QUESTION, "--explain", "--context", "1", "--format", "json"), QueryAnswer),
        (("query", QUESTION, "--full-text", "--format", "jsonl"), FoundPassage),
        (("ask", QUESTION, "--format", "json"), AskAnswer),
        (("ask", "What is this library about?", "--format", "json"), AskAnswer),
        (("show", CLAY.citekey, "--json"), list[ShownPassage]),
        (("list", "--json"), list[ListedDocument]),
        (("list", "--manifest", "--json"), ManifestAnswer),
        (("inspect", "--sample", "2", "--json"), InspectAnswer),
        (("validate", "--format", "json"), Validation),
        (("ingest", "--dry-run", "--json"), IngestAnswer),
        (("projects", "--json"), list[ProjectSummary]),
        (("models", "--json"), ModelsAnswer),
        (("match", "--json"), list[MatchCandidates]),
        (("store", "check", "--json"), StoreAnswer),
    ],
)
def test_json_has_the_keys_of_its_description(
    ingested: Desk, command: tuple[str, ...], description: Any
) -> None:
    for value in printed(ingested, *command):
        assert_described(value, description)


def test_evaluations_have_the_keys_of_their_descriptions(small: Desk, tmp_path: Path) -> None:
    questions = lines(tmp_path / "questions.jsonl", *QUESTIONS)
    claim = {"claim": "Tiles were dried.", "quotes": ["Tiles were dried"], "supported": True}
    claims, kept = lines(tmp_path / "claims.jsonl", claim), str(tmp_path / "run.json")
    asked, as_json = ("-q", str(questions)), ("--format", "json")
    for command, description in (
        (("eval", "run", *asked, "-o", kept, *as_json), EvaluationRun),
        (("eval", "compare", kept, kept, *as_json), RunComparison),
        (("eval", "sweep", *asked, "--fusion-only", *as_json), SweepReport),
        (("eval", "answers", *asked, *as_json), AnswerEvaluationAnswer),
        (("eval", "claims", str(claims), *as_json), ClaimEvaluationAnswer),
        (("eval", "pages", *as_json), PagesAnswer),
    ):
        (value,) = printed(small, *command)
        assert_described(value, description)


def test_reports_on_changes_have_the_keys_of_their_descriptions(small: Desk) -> None:
    (report,) = printed(small, "repair", "--dry-run", "--json")
    assert_described(report, RepairReport)
    (report,) = printed(small, "delete", "--citekey", CLAY.citekey, "--yes", "--json")
    assert report["documents"]
    assert_described(report, DeleteReport)


def test_a_conversation_has_the_keys_of_its_description(small: Desk) -> None:
    (turn,) = printed(small, "chat", "--format", "json", stdin=f"{QUESTION}\n".encode())
    assert_described(turn, TurnAnswer)
    (sessions,) = printed(small, "chat", "list", "--json")
    assert_described(sessions, list[SessionEntry])
    (session,) = printed(small, "chat", "export", turn["session_id"], "--format", "json")
    assert_described(session, SessionAnswer)


def test_a_collected_passage_has_the_keys_of_its_description(small: Desk) -> None:
    chunk = small.chunks()[0].chunk.id
    (passage,) = printed(small, "collect", chunk, "--chapter", "1 Clay", "--json")
    assert_described(passage, CollectedAnswer)
    (chapters,) = printed(small, "collect", "--json")
    assert_described(chapters, list[CollectedChapter])
    (chapter,) = printed(small, "collect", "--chapter", "1 Clay", "--json")
    assert_described(chapter, ChapterText)


def printed(desk: Desk, *command: str, stdin: bytes = b"") -> list[Any]:
    """What a command prints: one value, or one a line."""
    ended = run(*command, folder=desk.folder, stdin=stdin, env=desk.environment)
    assert ended.code == 0, ended.err
    try:
        return [json.loads(ended.out)]
    except ValueError:
        return [json.loads(line) for line in ended.out.splitlines()]
