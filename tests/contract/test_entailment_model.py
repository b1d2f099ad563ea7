"""What every model that judges entailment promises, and how each of them fails."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from citeloom.application.answering.verification import AnswerModelEntailment
from citeloom.application.ports.answer_model import EntailmentModel
from citeloom.domain.answers.answer import Entailment
from citeloom.domain.errors import ConfigError, InvalidReply, ModelUnavailable
from citeloom.infrastructure.embedding.entailment import (
    OnnxEntailment,
    TeiEntailment,
    entailment_of_label,
)
from citeloom.infrastructure.remote.endpoint import ServiceEndpoint
from citeloom.infrastructure.remote.service import RemoteService
from tests.fakes.answer_model import ScriptedModel
from tests.fakes.chat_server import ChatService, chat_server
from tests.fakes.loopback import JsonHandler, listening
from tests.fakes.tiny_nli import LABELS, write_nli

QUOTES = ("Winter rye was sown", "on plot nine in September")
KEY = "sk-sEcReTkEyOfTheUser"


def said_of(claim: str, premise: str) -> Entailment:
    """What the tiny model would say."""
    added = set(claim.lower().split()) - set(premise.lower().split())
    if "not" in added:
        return Entailment.NO
    return Entailment.UNCLEAR if added else Entailment.YES


def judging(user: str) -> str:
    """The reply of an answer model that judges as the tiny model does."""
    asked = json.loads(user)
    assert asked.keys() == {"claim", "quotes"}
    return json.dumps({"entailed": said_of(asked["claim"], " ".join(asked["quotes"])).value})


@contextmanager
def predicting(
    bodies: list[Mapping[str, Any]], answer: bytes | None = None, *, late: float = 0.0
) -> Iterator[str]:
    """The address of a service with the API of Text Embeddings Inference for classifiers."""

    class Handler(JsonHandler):
        def reply_to(self, path: str, headers: Mapping[str, str], posted: Any) -> None:
            assert path == "/predict"
            assert headers["authorization"] == f"Bearer {KEY}"
            bodies.append(posted)
            time.sleep(late)
            ((premise, claim),) = posted["inputs"]
            names = dict(zip(("no", "yes", "unclear"), LABELS, strict=True))
            label = names[said_of(claim, premise)]
            scored = [{"label": name, "score": 0.8 if name == label else 0.1} for name in LABELS]
            body = json.dumps([scored]).encode() if answer is None else answer
            self.begin_reply(200, {}, len(body))
            self.wfile.write(body)

    with listening(Handler) as url:
        yield url


def served(url: str, seconds: float = 5.0) -> TeiEntailment:
    endpoint = ServiceEndpoint(
        model="tei/nli",
        base_url=url,
        place=("entailment",),
        timeout=seconds,
        key=KEY,
        variable="LAB_KEY",
    )
    service = RemoteService(endpoint, first_pause=0.01)
    return TeiEntailment("tei/nli", service=service, seconds=seconds)


@pytest.fixture(params=["OnnxEntailment", "TeiEntailment", "AnswerModelEntailment"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EntailmentModel]:
    if request.param == "OnnxEntailment":
        yield OnnxEntailment("models/nli", folder=write_nli(tmp_path / "nli"))
    elif request.param == "TeiEntailment":
        with predicting([]) as url:
            yield served(url)
    else:
        with chat_server(ChatService(reply=judging)) as chat:
            yield AnswerModelEntailment(chat.model())


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("Rye was sown in September", Entailment.YES),
        ("Rye was not sown in September", Entailment.NO),
        ("Rye was sown by hand", Entailment.UNCLEAR),
    ],
)
def test_a_sentence_is_judged_by_its_quotes(
    model: EntailmentModel, claim: str, said: Entailment
) -> None:
    assert model.judge(claim, QUOTES).entailment is said
    assert model.judge(claim, QUOTES).entailment is said
    assert model.judge(claim, (*QUOTES, claim)).entailment is Entailment.YES


def test_a_model_has_a_name_and_says_where_sentences_go(model: EntailmentModel) -> None:
    assert model.model_id
    assert model.destination is None or model.destination.startswith("127.0.0.1")


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("ENTAILMENT", Entailment.YES),
        ("entailed", Entailment.YES),
        ("not_entailment", Entailment.NO),
        ("non-entailment", Entailment.NO),
        ("Contradiction", Entailment.NO),
        ("neutral", Entailment.UNCLEAR),
        ("LABEL_0", None),
        ("", None),
    ],
)
def test_labels_are_read_by_their_names(label: str, said: Entailment | None) -> None:
    assert entailment_of_label(label) is said


class TestFilesHere:
    @pytest.mark.parametrize("labels", [LABELS, LABELS[::-1], ("entailment", "neutral")])
    def test_the_order_of_labels_is_that_of_the_configuration(
        self, tmp_path: Path, labels: tuple[str, ...]
    ) -> None:
        model = OnnxEntailment("nli", folder=write_nli(tmp_path / "nli", labels))
        assert model.judge("Rye was sown", QUOTES).entailment is Entailment.YES
        assert model.judge("Rye was sown by hand", QUOTES).entailment is Entailment.UNCLEAR

    def test_a_pair_longer_than_the_model_reads_is_unclear(self, tmp_path: Path) -> None:
        model = OnnxEntailment("nli", folder=write_nli(tmp_path / "nli", window=16))
        assert model.judge("Rye was sown", QUOTES).entailment is Entailment.YES
        assert model.judge("Rye was sown", QUOTES * 3).entailment is Entailment.UNCLEAR

    def test_labels_that_name_nothing_are_an_error_of_the_configuration(
        self, tmp_path: Path
    ) -> None:
        folder = write_nli(tmp_path / "nli")
        for named in ({"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}, {"7": "entailment"}, None):
            (folder / "config.json").write_text(json.dumps({"id2label": named}))
            with pytest.raises(ConfigError, match="which of its labels is entailment"):
                OnnxEntailment("nli", folder=folder).judge("Rye was sown", QUOTES)

    @pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "onnx/model.onnx"])
    def test_a_file_that_is_missing_or_damaged_is_named(self, tmp_path: Path, name: str) -> None:
        folder = write_nli(tmp_path / "nli")
        (folder / name).write_bytes(b"<html>")
        with pytest.raises(ModelUnavailable, match="cannot be loaded"):
            OnnxEntailment("nli", folder=folder).judge("Rye was sown", QUOTES)
        (folder / name).unlink()
        with pytest.raises(ModelUnavailable, match=f"has no {Path(name).name}"):
            OnnxEntailment("nli", folder=folder).judge("Rye was sown", QUOTES)

    def test_a_name_is_looked_up_in_the_cache_and_never_downloaded(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("FASTEMBED_CACHE_PATH", raising=False)
        name, nowhere = "lab/nli-small", tmp_path / "lab" / "nli-small"
        with pytest.raises(ModelUnavailable, match="neither a folder nor in"):
            OnnxEntailment(name, folder=nowhere, cache_dir=tmp_path).judge("Rye", QUOTES)
        hub = tmp_path / "models" / "hub"
        write_nli(hub / "models--lab--nli-small" / "snapshots" / "0001")
        model = OnnxEntailment(name, folder=nowhere, cache_dir=tmp_path)
        assert model.judge("Rye was sown", QUOTES).entailment is Entailment.YES


class TestServices:
    def test_the_sentence_and_its_quotes_are_sent_and_nothing_else(self) -> None:
        bodies: list[Mapping[str, Any]] = []
        with predicting(bodies) as url:
            served(url).judge("Rye was sown", QUOTES)
        assert bodies == [{"inputs": [[" ".join(QUOTES), "Rye was sown"]], "truncate": False}]

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            (b"<html>", "not that of a classifier"),
            (b"[]", "not that of a classifier"),
            (b"[[]]", "no label says entailment"),
            (b'[[{"label": "LABEL_1", "score": 0.9}]]', "no label says entailment"),
        ],
    )
    def test_an_answer_that_cannot_be_used_is_an_error_of_the_service(
        self, answer: bytes, said: str
    ) -> None:
        with predicting([], answer) as url, pytest.raises(ModelUnavailable, match=said) as caught:
            served(url).judge("Rye was sown", QUOTES)
        assert "[entailment]" in caught.value.hint
        assert KEY not in caught.value.message

    def test_it_waits_no_longer_than_configured(self) -> None:
        with predicting([], late=1.0) as url, pytest.raises(ModelUnavailable, match=r"0\.2 s"):
            served(url, seconds=0.2).judge("Rye was sown", QUOTES)


class TestAskedAgain:
    @pytest.mark.parametrize(
        "reply",
        [
            "",
            "yes",
            '"yes"',
            '{"entailed": "maybe"}',
            '{"entailed": ["yes"]}',
            '{"entailed": "yes", "why": "it says so"}',
            '{"entailed": "yes"} and more',
            '{"answer": "yes"}',
        ],
    )
    def test_a_reply_in_another_form_is_an_error_of_the_model(self, reply: str) -> None:
        with pytest.raises(InvalidReply, match="fake/scripted was asked whether") as caught:
            AnswerModelEntailment(ScriptedModel(reply)).judge("Rye was sown", QUOTES)
        assert "[entailment]" in caught.value.hint

    def test_it_is_asked_with_the_sentence_and_its_quotes_alone(self) -> None:
        asked = ScriptedModel('{"entailed": "no"}')
        judgement = AnswerModelEntailment(asked).judge("Rye was sown", QUOTES)
        assert judgement.entailment is Entailment.NO
        assert judgement.usage is not None
        (prompt,) = asked.prompts
        assert json.loads(prompt.user) == {"claim": "Rye was sown", "quotes": list(QUOTES)}
