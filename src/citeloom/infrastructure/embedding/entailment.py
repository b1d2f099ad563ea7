"""Classifiers of natural language inference: ONNX files here, or a service."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from citeloom.application.ports.answer_model import EntailmentJudgement, EntailmentModel
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.answers.answer import Entailment
from citeloom.domain.errors import ConfigError, ModelUnavailable
from citeloom.infrastructure.embedding.fastembed.model_cache import LoadedOnce, ModelCache, loading
from citeloom.infrastructure.remote.retries import RetryPolicy
from citeloom.infrastructure.remote.service import InvalidAnswer, RemoteService, RequestRefused

_TRIES = 2
_LONGEST_WAIT = 1.0
_WINDOW = 512
_FILES = ("model.onnx", "onnx/model.onnx")
_HINT = "Download the model whole again: model.onnx, tokenizer.json and config.json."
_NOT = ("not", "non", "no")


def entailment_of_label(label: str) -> Entailment | None:
    """What a classifier's label says: `entailment`, `contradiction`, `neutral` or `not_entailment`,
    in any case; None for any other.
    """
    words = label.casefold().replace("-", "_").split("_")
    if any(word.startswith("entail") for word in words):
        return Entailment.NO if words[0] in _NOT else Entailment.YES
    if words[0].startswith("contradict"):
        return Entailment.NO
    return Entailment.UNCLEAR if words[0] == "neutral" else None


class OnnxEntailment(EntailmentModel):
    """A cross-encoder for natural language inference: `model.onnx`, `tokenizer.json`, and
    `config.json`, whose `id2label` names its classes. It is loaded at first use and never
    downloaded.

    `name` is its folder, or its name on the hub where the model cache has it. Raises `ConfigError`
    for a model whose labels do not say which of them is entailment.
    """

    destination = None

    def __init__(
        self, name: str, *, folder: Path, cache_dir: Path | None = None, threads: int | None = None
    ) -> None:
        self.model_id = name
        self._folder = folder
        self._cache_dir = cache_dir
        self._threads = threads
        self._classifier = LoadedOnce(self._load)

    def judge(
        self,
        sentence: str,
        quotes: Sequence[str],
        cancellation: Cancellation | None = None,  # noqa: ARG002 - a call takes milliseconds
    ) -> EntailmentJudgement:
        entailment = self._classifier().judge(" ".join(quotes), sentence)
        return EntailmentJudgement(entailment=entailment)

    def _load(self) -> _Classifier:
        folder = self._folder if self._folder.is_dir() else self._cached()
        try:
            with loading(self.model_id, folder):
                return _Classifier(self.model_id, folder, self._threads)
        except ModelUnavailable as error:
            raise ModelUnavailable(error.message, _HINT) from error

    def _cached(self) -> Path:
        """The model's folder in the cache."""
        cache = ModelCache(self._cache_dir).hub.cache
        snapshots = cache / f"models--{self.model_id.replace('/', '--')}" / "snapshots"
        for folder in sorted(snapshots.glob("*")):
            return folder
        raise ModelUnavailable(
            f"the entailment model {self.model_id} is neither a folder nor in {cache}",
            "Download it once, and write its folder as model under [entailment].",
        )


class _Classifier:
    """The files of a classifier, loaded. Any number of threads may use it."""

    def __init__(self, name: str, folder: Path, threads: int | None) -> None:
        import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy
        from tokenizers import Tokenizer  # noqa: PLC0415 - heavy

        config = _json_of(folder / "config.json", name)
        self._labels = _labels_of(config, name)
        settings = folder / "tokenizer_config.json"
        stated = json.loads(settings.read_text(encoding="utf-8")) if settings.is_file() else {}
        limits = (stated.get("model_max_length"), config.get("max_position_embeddings"), _WINDOW)
        self._window = min(limit for limit in limits if isinstance(limit, int) and limit > 0)
        """The most tokens that a pair may have."""
        tokenizer = _json_of(folder / "tokenizer.json", name)
        self._tokenizer = Tokenizer.from_str(json.dumps(tokenizer))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        path = next(
            (folder / file_name for file_name in _FILES if (folder / file_name).is_file()), None
        )
        if path is None:
            raise _incomplete(name, folder / _FILES[0])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or 0
        self._session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self._name = name

    def judge(self, premise: str, hypothesis: str) -> Entailment:
        """The most probable class of a pair; unclear for a pair longer than the model reads."""
        import numpy as np  # noqa: PLC0415 - heavy

        encoded = self._tokenizer.encode(premise, hypothesis)
        if len(encoded.ids) > self._window:
            return Entailment.UNCLEAR
        known = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        names = [tensor.name for tensor in self._session.get_inputs() if tensor.name in known]
        inputs = {name: np.array([known[name]], dtype=np.int64) for name in names}
        (logits,) = self._session.run(None, inputs)[0]
        if len(logits) != len(self._labels) or not np.isfinite(logits).all():
            raise ModelUnavailable(
                f"{self._name} gave {len(logits)} scores for its {len(self._labels)} labels, or "
                "one that is no number",
                "Its files may not belong together: choose another model under [entailment].",
            )
        return self._labels[int(np.argmax(logits))]


def _labels_of(config: Mapping[str, Any], name: str) -> list[Entailment]:
    """The meaning of each class, in the order of the scores."""
    stated = config.get("id2label")
    label_names: Mapping[str, object] = stated if isinstance(stated, dict) else {}
    places = [str(place) for place in range(len(label_names))]
    if set(places) == set(label_names):
        entailments = [entailment_of_label(str(label_names[place])) for place in places]
        labels = [entailment for entailment in entailments if entailment is not None]
        if len(labels) == len(entailments) and Entailment.YES in labels:
            return labels
    raise ConfigError(
        f"the config.json of {name} does not say which of its labels is entailment: {stated}",
        'Choose a model whose id2label names "entailment", "neutral" and "contradiction".',
    )


def _json_of(path: Path, name: str) -> Any:
    if not path.is_file():
        raise _incomplete(name, path)
    return json.loads(path.read_text(encoding="utf-8"))


def _incomplete(name: str, path: Path) -> ModelUnavailable:
    return ModelUnavailable(
        f"the entailment model {name} has no {path.name} in {path.parent}", _HINT
    )


class _Scored(msgspec.Struct):
    label: str
    score: float


class TeiEntailment(EntailmentModel):
    """A classifier that Text Embeddings Inference serves (`POST /predict`), one pair a request."""

    def __init__(self, model_id: str, *, service: RemoteService, seconds: float) -> None:
        self.model_id = model_id
        self._service = service
        self.destination = service.host
        self._retry_policy = RetryPolicy(tries=_TRIES, seconds=seconds, longest_wait=_LONGEST_WAIT)

    def judge(
        self,
        sentence: str,
        quotes: Sequence[str],
        cancellation: Cancellation | None = None,
    ) -> EntailmentJudgement:
        stop = threading.Event()
        body = {"inputs": [[" ".join(quotes), sentence]], "truncate": False}
        try:
            with (cancellation or Cancellation()).ending(stop.set):
                answer = self._service.post("/predict", body, self._retry_policy, stop)
            return EntailmentJudgement(entailment=_read(answer))
        except RequestRefused as error:
            raise self._service.unavailable(
                f"it refuses the request: {error}",
                "See base_url under [entailment]; a quote may be longer than the model reads.",
            ) from error
        except InvalidAnswer as error:
            raise self._service.unavailable(
                f"its answer cannot be used: {error}",
                "See that base_url under [entailment] is that of a model for entailment.",
            ) from error


def _read(answer: bytes) -> Entailment:
    """The label with the highest score. Raises `InvalidAnswer`."""
    try:
        (scored,) = msgspec.json.decode(answer, type=list[list[_Scored]])
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise InvalidAnswer(f"it is not that of a classifier ({error})") from error
    best = max(scored, key=lambda label: label.score, default=None)
    entailment = entailment_of_label(best.label) if best else None
    if entailment is None:
        raise InvalidAnswer(f"no label says entailment: {[label.label for label in scored]}")
    return entailment
