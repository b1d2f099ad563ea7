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
    result = ingested.must("eval", "run", "--questions", questions, "-k", "3", "--output", kept)
    assert "2 answerable questions" in result.out
    assert all(
        measure in result.out for measure in ("nDCG@10", "page hit@3", "text hit@1", "AUROC")
    )
    run = json.loads(kept.read_text(encoding="utf-8"))
    assert [mode["mode"] for mode in run["modes"]] == ["hybrid", "dense", "sparse"]
    assert run["modes"][0]["overall"]["means"]["page hit@3"] == 1.0
    assert run["provenance"]["versions"]["citeloom"]
    assert run["provenance"]["chunks"] == len(ingested.chunks())
    again = ingested.must(
        "eval", "run", "-q", questions, "-k", "3", "--mode", "hybrid", "--format", "json"
    ).json
    assert again["modes"] == run["modes"][:1]


def written_collection(grain: Path) -> Path:
    texts = ["Rye is sown late in autumn.", "Oats are sown early.", "Maize needs warm soil."]
    lines(grain / "corpus.jsonl", *({"_id": str(n), "text": t} for n, t in enumerate(texts)))
    lines(grain / "queries.jsonl", {"_id": "a", "text": "when to sow oats"})
    (grain / "qrels").mkdir()
    (grain / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\na\t1\t1\n")
    return grain


def test_a_collection_is_indexed_for_the_time_being(make_desk: MakeDesk) -> None:
    desk = make_desk("collection")
    grain = written_collection(desk.folder / "grain")
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
    assert "[INVALID_QRELS]" in outcome.err
    assert said in outcome.err
    assert "Traceback" not in outcome.err


def test_a_folder_without_a_collection_is_refused(ingested: Desk, tmp_path: Path) -> None:
    outcome = ingested.run("eval", "ir", tmp_path)
    assert (outcome.code, "corpus.jsonl" in outcome.err) == (14, True)


def test_two_runs_are_compared(ingested: Desk, questions: Path, tmp_path: Path) -> None:
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    for kept, constant in ((before, "60"), (after, "5")):
        env = {"CITELOOM_RETRIEVAL__RRF_K": constant}
        made = ingested.run("eval", "run", "-q", questions, "--output", kept, env=env)
        assert made.code == 0, made.err
    output = ingested.must("eval", "compare", before, after).out
    assert "retrieval.rrf_k: 60 -> 5" in output
    assert "page hit@10" in output
    comparison = ingested.must("eval", "compare", before, before, "--format", "json").json
    assert comparison["conditions"] == {}
    differences = [d for mode in comparison["modes"] for d in mode["differences"]]
    assert {(d["wins"], d["losses"], d["p"]) for d in differences} == {(0, 0, 1.0)}
    refused = ingested.run("eval", "compare", before, after, "--measure", "luck")
    assert (refused.code, "nDCG@10" in refused.err) == (2, True)
    assert ingested.run("eval", "compare", before, questions).code == 14


def test_a_sweep_says_what_can_be_said(small: Desk, questions: Path) -> None:
    grain = written_collection(small.folder / "grain")
    report = small.must("eval", "sweep", "-q", questions, "--ir", grain, "--format", "json").json
    assert report["questions"] == {"questions.jsonl": 2, "grain": 1}
    names = [result["variant"]["name"] for result in report["results"]]
    assert {"rrf k=5", "dbsf", "no headings", "chunks of 128 tokens"} <= set(names)
    assert {result["overall"]["corrected_p"] for result in report["results"]} == {1.0}
    text = small.must("eval", "sweep", "-q", questions, "--fusion-only").out
    assert "present" in text
    assert "unclear" in text
    assert "no headings" not in text
    assert small.must("query", "nests under bridges").out


def test_questions_without_any_answer_are_no_failure(ingested: Desk, tmp_path: Path) -> None:
    path = lines(tmp_path / "questions.jsonl", QUESTIONS[-1])
    assert "0 answerable questions" in ingested.must("eval", "run", "-q", path).out


def test_a_run_is_not_made_that_cannot_be_kept(ingested: Desk, questions: Path) -> None:
    outcome = ingested.run("eval", "run", "-q", questions, "-o", "nowhere/run.json")
    assert (outcome.code, "nowhere" in outcome.err) == (2, True)
