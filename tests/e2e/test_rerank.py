"""Rerankers in front of a library: in this process, as a service, and measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Desk
from tests.e2e.in_process import Outcome
from tests.fakes.rerank_server import KEY, RerankingService, ServedReranker, rerank_server
from tests.fakes.tiny_cross_encoder import NAME, write_cross_encoder

QUESTION = "How much do wooden ledges beneath girders cost?"
LATE = {"CITELOOM_RERANK__MODEL": "late-interaction", "CITELOOM_RERANK__TIMEOUT": "120"}


def asked(desk: Desk, *args: str, **env: str) -> Outcome:
    outcome = desk.run("query", QUESTION, *args, env={"CITELOOM_RERANK__TIMEOUT": "120", **env})
    assert outcome.code == 0, outcome.err
    assert KEY not in outcome.out + outcome.err
    return outcome


def order(answer: Any) -> list[str]:
    return [item["chunk_id"] for item in answer["items"]]


@pytest.fixture
def served() -> Iterator[ServedReranker]:
    with rerank_server(RerankingService(key=KEY)) as served:
        yield served


def test_the_default_model_reranks_without_a_download(ingested: Desk) -> None:
    answer = asked(ingested, "--format", "json", **LATE).json
    assert answer["rerank"]["model"] == "late-interaction"
    assert (answer["rerank"]["done"], answer["rerank"]["sent_to"]) == (True, None)
    assert answer["sent_to"] is None
    ranks = sorted(item["scores"]["rerank"]["rank"] for item in answer["items"])
    assert ranks[0] == 1
    output = asked(ingested, "--explain", **LATE).out
    assert f"1st of {answer['rerank']['passages']} by late-interaction (" in output
    assert "rerank: " in output
    off = asked(ingested, "--format", "json", CITELOOM_RETRIEVAL__RERANK="false", **LATE).json
    assert (off["rerank"], off["items"][0]["scores"]["rerank"]) == (None, None)
    assert "reranks     late-interaction, here" in ingested.run("inspect", env=LATE).out


def test_a_cross_encoder_is_loaded_from_the_cache_alone(ingested: Desk, tmp_path: Path) -> None:
    env = {
        "CITELOOM_RERANK__MODEL": NAME,
        "FASTEMBED_CACHE_PATH": str(tmp_path / "models" / "hub"),
    }
    plain = asked(ingested, "--format", "json").json
    without = asked(ingested, "--format", "json", **env)
    assert order(without.json) == order(plain)
    assert f"citeloom models --fetch {NAME}" in without.json["notes"][0]
    assert "not reranked" in without.err
    write_cross_encoder(tmp_path)
    answer = asked(ingested, "--format", "json", **env).json
    assert (answer["rerank"]["model"], answer["rerank"]["done"]) == (NAME, True)
    listed = ingested.run("models", "--json", env=env).json["models"]
    assert [m["usable"] for m in listed if m["name"] == NAME] == [True]
    wrong = {**env, "CITELOOM_RERANK__MODEL": "ms-marco-MiniLM"}
    assert ingested.run("query", QUESTION, env=wrong).code == 14


def service(served: ServedReranker) -> dict[str, str]:
    """The environment in which the service is the reranker."""
    return {
        "CITELOOM_RERANK__MODEL": "cohere/served",
        "CITELOOM_RERANK__BASE_URL": served.url,
        "CITELOOM_RERANK__API_KEY_ENV": "SERVED_API_KEY",
        "SERVED_API_KEY": KEY,
    }


def test_a_service_is_told_of_and_done_without(ingested: Desk, served: ServedReranker) -> None:
    env = service(served)
    outcome = asked(ingested, "--format", "json", **env)
    assert outcome.json["sent_to"] == outcome.json["rerank"]["sent_to"] == served.host
    assert f"passages were sent to {served.host} (cohere/served)" in outcome.err
    (request,) = served.service.asked
    assert len(request.texts) == outcome.json["rerank"]["passages"]
    answer = ingested.run("ask", QUESTION, "--format", "json", env=env).json
    assert answer["sent_to"] == served.host
    assert len(served.service.asked) == 2, "what judges the question asks for no order"
    with rerank_server() as gone:
        pass
    failed = asked(ingested, "--format", "json", **{**env, "CITELOOM_RERANK__BASE_URL": gone.url})
    assert order(failed.json) == order(asked(ingested, "--format", "json").json)
    assert failed.json["rerank"]["done"] is False
    assert gone.host in failed.json["notes"][0]


def test_its_gain_and_cost_are_measured(
    ingested: Desk, served: ServedReranker, tmp_path: Path
) -> None:
    questions = tmp_path / "questions.jsonl"
    row = {"id": "a", "question": QUESTION, "citekey": "moreau2015", "pages": [2]}
    questions.write_text(json.dumps(row), encoding="utf-8")
    kept = tmp_path / "run.json"
    args = ("--mode", "hybrid", "--reranker", "late-interaction", "--output", kept)
    table = ingested.must("eval", "run", "-q", questions, *args).out
    assert "reranked by late-interaction: the first 20 passages; nothing was sent" in table
    assert all(word in table for word in ("without", "with", "ms a question", "nDCG@10"))
    run = json.loads(kept.read_text(encoding="utf-8"))
    assert [mode["mode"] for mode in run["gain"]] == ["hybrid"]
    assert run["gain"][0]["differences"][0]["measure"] == "nDCG@10"
    assert run["reranked"]["costs"][0]["questions"] == 1
    assert ingested.must("eval", "compare", kept, kept).out
    by_service = ingested.run("eval", "run", "-q", questions, *args[:2], env=service(served))
    assert f"questions and passages are sent to {served.host}" in by_service.err
    assert (
        f"reranked by cohere/served: the first 20 passages; sent to {served.host}" in by_service.out
    )
    refused = ingested.run("eval", "run", "-q", questions, "--reranker", "cohere/rerank-v3.5")
    assert (refused.code, "[rerank]" in refused.err) == (14, True)
