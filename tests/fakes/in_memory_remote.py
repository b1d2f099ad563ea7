"""A remote embedder without a service."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.application.ports.embedders import EmbeddingUsage, RemoteEmbedder
from citeloom.domain.errors import ModelUnavailable, TextRefused
from citeloom.domain.retrieval.passage import DenseVector
from tests.fakes.embedders import HashingDense

_BATCH = 4


class InMemoryRemote(RemoteEmbedder):
    """Embeds four texts a call, remembers them, and refuses what holds a word of `refused`.

    A service that is `gone` answers no call.
    """

    def __init__(self, dimension: int = 32, refused: tuple[str, ...] = ()) -> None:
        self.model_id = "openai/in-memory"
        self._inner = HashingDense(self.model_id, dimension)
        self._refused = refused
        self._kept: dict[str, DenseVector] = {}
        self._usage = EmbeddingUsage()
        self.gone = False

    @property
    def dimension(self) -> int:
        self._call(1, 4)
        return self._inner.dimension

    @property
    def usage(self) -> EmbeddingUsage:
        return self._usage

    def embed_query(self, text: str) -> DenseVector:
        self._call(1, len(text))
        return self._inner.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        if any(word in text for word in self._refused for text in texts):
            raise TextRefused("too long", "Set window lower.")
        missing = [text for text in dict.fromkeys(texts) if text not in self._kept]
        self._usage += EmbeddingUsage(reused=len(set(texts)) - len(missing))
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            self._call(1, sum(map(len, batch)))
            self._kept |= dict(zip(batch, self._inner.embed_passages(batch)))
        return [self._kept[text] for text in texts]

    def estimate(self, texts: Sequence[str]) -> EmbeddingUsage:
        missing = [text for text in dict.fromkeys(texts) if text not in self._kept]
        return EmbeddingUsage(
            calls=-(-len(missing) // _BATCH),
            tokens=sum(map(len, missing)),
            reused=len(set(texts)) - len(missing),
        )

    def _call(self, calls: int, tokens: int) -> None:
        if self.gone:
            raise ModelUnavailable("the service is gone")
        self._usage += EmbeddingUsage(calls=calls, tokens=tokens, seconds=0.5)
