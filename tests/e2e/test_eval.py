"""`citeloom eval`: questions with known evidence, test collections, runs kept and compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.command import Desk, MakeDesk

QUESTIONS = [
    {"id": "mud", "question": "When was a nest rebuilt?", "citekey": "moreau2015", "pages": [1]},
    {
        "id": "ledge",
        "kind": "exact",
        "question": "How much do wooden ledges beneath girders cost?",
        "citekey": "moreau2015",
        "pages": [2],
        "evidence": "they cost less than one hour of work",
    },
    {"id": "opera", "kind": "unanswerable", "question": "Who sang in the opera?", "pages": []},
]


def lines(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lines(tmp_path_factory.mktemp("questions") / "questions.jsonl", *QUESTIONS)


def test_questions_are_asked_and_measured(ingested: Desk, questions: Path, tmp_path: Path) -> None:
    kept = tmp_path / "run.json"
    told = ingested.must("eval", "run", "--questions", questions, "-k", "3", "--output", kept)
    assert "2 answerable questions" in told.out
    assert all(measure in told.out for measure in ("nDCG@10", "page hit@3", "text hit@1", "AUROC"))
    run = json.loads(kept.read_text(encoding="utf-8"))
    assert [mode["mode"] for mode in run["modes"]] == ["hybrid", "dense", "sparse"]
    assert run["modes"][0]["overall"]["means"]["page hit@3"] == 1.0
    assert run["provenance"]["versions"]["citeloom"]
    assert run["provenance"]["chunks"] == len(ingested.chunks())
    again = ingested.must(
        "eval", "run", "-q", questions, "-k", "3", "--mode", "hybrid", "--format", "json"
    ).json
    assert again["modes"] == run["modes"][:1]


def test_a_collection_is_indexed_for_the_time_being(make_desk: MakeDesk) -> None:
    desk = make_desk("collection")
    grain = desk.folder / "grain"
    texts = ["Rye is sown late in autumn.", "Oats are sown early.", "Maize needs warm soil."]
    lines(grain / "corpus.jsonl", *({"_id": str(n), "text": t} for n, t in enumerate(texts)))
    lines(grain / "queries.jsonl", {"_id": "a", "text": "when to sow oats"})
    (grain / "qrels").mkdir()
    (grain / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\na\t1\t1\n")
    run = desk.must("eval", "ir", grain, "--format", "json").json
    assert [mode["overall"]["means"]["nDCG@10"] for mode in run["modes"]] == [1.0, 1.0, 1.0]
    assert not (desk.data / "projects").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"question": "", "pages": [1]}', "line 1: question"),
        ("", "is empty"),
        ('{"question": "a", "id": 1', "line 1"),
    ],
)
def test_what_are_no_questions_is_said_in_a_line(
    ingested: Desk, tmp_path: Path, content: str, said: str
) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(content, encoding="utf-8")
    outcome = ingested.run("eval", "run", "--questions", path)
    assert outcome.code == 14
    assert "[INVALID_JUDGEMENTS]" in outcome.err
    assert said in outcome.err
    assert "Traceback" not in outcome.err


def test_a_folder_without_a_collection_is_refused(ingested: Desk, tmp_path: Path) -> None:
    outcome = ingested.run("eval", "ir", tmp_path)
    assert (outcome.code, "corpus.jsonl" in outcome.err) == (14, True)
