"""A BERT of two small layers with random weights, and the same arithmetic in NumPy."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citeloom.infrastructure.embedding.fastembed.bert_onnx import BertShape

SHAPE = BertShape(layers=2, heads=2, hidden=8, epsilon=1e-12)
WORDS = 20
PLACES = 16

Array = NDArray[np.float32]


def random_weights(seed: int) -> dict[str, Array]:
    """Weights under the names BERT gives them."""
    chance = np.random.default_rng(seed)
    hidden, inner = SHAPE.hidden, 4 * SHAPE.hidden
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, hidden),
        "embeddings.position_embeddings.weight": (PLACES, hidden),
        "embeddings.token_type_embeddings.weight": (2, hidden),
        **_normed("embeddings.LayerNorm"),
    }
    for layer in (f"encoder.layer.{number}" for number in range(SHAPE.layers)):
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            shapes |= _linear(f"{layer}.attention.{part}", hidden, hidden)
        shapes |= _normed(f"{layer}.attention.output.LayerNorm")
        shapes |= _linear(f"{layer}.intermediate.dense", inner, hidden)
        shapes |= _linear(f"{layer}.output.dense", hidden, inner)
        shapes |= _normed(f"{layer}.output.LayerNorm")
    return {name: chance.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def _linear(name: str, out: int, into: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (out, into), f"{name}.bias": (out,)}


def _normed(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (SHAPE.hidden,), f"{name}.bias": (SHAPE.hidden,)}


@dataclass(frozen=True)
class ReferenceBert:
    """One text at a time, without padding, as the paper has it."""

    weights: dict[str, Array]

    def states(self, ids: list[int]) -> Array:
        table = self.weights
        states = (
            table["embeddings.word_embeddings.weight"][ids]
            + table["embeddings.position_embeddings.weight"][: len(ids)]
            + table["embeddings.token_type_embeddings.weight"][0]
        )
        states = self._norm(states, "embeddings.LayerNorm")
        for number in range(SHAPE.layers):
            states = self._layer(states, f"encoder.layer.{number}")
        return states

    def _layer(self, states: Array, name: str) -> Array:
        attention = f"{name}.attention"
        query, key, value = (
            self._dense(states, f"{attention}.self.{part}") for part in ("query", "key", "value")
        )
        size = SHAPE.head_size
        context = np.concatenate(
            [
                _softmax(query[:, at : at + size] @ key[:, at : at + size].T / math.sqrt(size))
                @ value[:, at : at + size]
                for at in range(0, SHAPE.hidden, size)
            ],
            axis=1,
        )
        attended = self._dense(context, f"{attention}.output.dense")
        states = self._norm(states + attended, f"{attention}.output.LayerNorm")
        inner = self._dense(states, f"{name}.intermediate.dense")
        grown = np.array([[x / 2 * (1 + math.erf(x / math.sqrt(2))) for x in row] for row in inner])
        return self._norm(
            states + self._dense(grown, f"{name}.output.dense"), f"{name}.output.LayerNorm"
        )

    def _dense(self, states: Array, name: str) -> Array:
        moved: Array = states @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]
        return moved

    def _norm(self, states: Array, name: str) -> Array:
        centred = states - states.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + SHAPE.epsilon)
        normed: Array = scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        return normed


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    softened: Array = powers / powers.sum(axis=1, keepdims=True)
    return softened
