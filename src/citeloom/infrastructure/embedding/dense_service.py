"""Dense vectors from a service, in batches, each paid for once."""

from __future__ import annotations

import hashlib
import math
import re
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from citeloom.application.ports.embedders import EmbeddingUsage, RemoteEmbedder, TokenCounter
from citeloom.domain.errors import EmbeddingMismatch, ModelUnavailable, TextRefused
from citeloom.domain.retrieval.passage import DenseVector
from citeloom.domain.text.tokens import SPELLED, SYLLABLES
from citeloom.infrastructure.embedding.dialects import Dialect, Role
from citeloom.infrastructure.embedding.vector_cache import VectorCache
from citeloom.infrastructure.remote.retries import RetryPolicy
from citeloom.infrastructure.remote.service import InvalidAnswer, RemoteService, RequestRefused


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """The most texts and tokens of a request, and the most requests under way at once."""

    texts: int
    tokens: int
    at_once: int


def batches(
    texts: Sequence[str], count: Callable[[str], int], limits: RequestLimits
) -> Iterator[list[str]]:
    """The texts in order, in as few requests as the limits allow; a text longer than a request may
    be goes alone.
    """
    batch: list[str] = []
    tokens = 0
    for text in texts:
        more = count(text)
        if batch and (len(batch) == limits.texts or tokens + more > limits.tokens):
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += more
    if batch:
        yield batch


_PIECE = re.compile(r"[A-Za-z]+|[^\W\d_]|\S")
_WORD_OR_PIECE = re.compile(rf"[{SPELLED}]{{2,}}|[{SYLLABLES}]+|{_PIECE.pattern}")
_SYLLABLE = re.compile(f"[{SYLLABLES}]")
_LETTERS_A_TOKEN, _SYLLABLES_A_TOKEN = 4, 2
_ALPHABETS_END = "\u2e80"
"""From here on, most characters are ideographs or emoji."""


class EstimatedTokens(TokenCounter):
    """An estimate: a token for every four letters of a plain word, and for every other letter,
    digit and mark; two for an ideograph. For text in the Latin alphabet it is above what the usual
    tokenizers count.

    With `any_word`, words of other alphabets count as plain ones do, and two syllables or an
    ideograph as a token: passages are as long as English ones then, and requests larger than this
    says.
    """

    def __init__(self, window: int, special_tokens: int = 2, *, any_word: bool = False) -> None:
        self._window = window
        self._special_tokens = special_tokens
        self._any_word = any_word

    @classmethod
    def for_chunks(cls, size: int, window: int) -> EstimatedTokens:
        """The estimate for chunks of so many tokens: with any word, where the window holds them
        though each of their letters be a token.
        """
        return cls(window, any_word=size * _LETTERS_A_TOKEN <= window)

    @property
    def window(self) -> int:
        return self._window

    @property
    def special_tokens(self) -> int:
        return self._special_tokens

    @property
    def exact(self) -> bool:
        return False

    def count(self, text: str) -> int:
        pieces, ideograph = (_WORD_OR_PIECE, 1) if self._any_word else (_PIECE, 2)
        return sum(_tokens(text, pieces, ideograph))

    def count_all(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


def _tokens(text: str, pieces: re.Pattern[str], ideograph: int) -> Iterator[int]:
    for piece in pieces.findall(text):
        if len(piece) == 1:
            yield ideograph if piece >= _ALPHABETS_END else 1
        else:
            letters = _SYLLABLES_A_TOKEN if _SYLLABLE.match(piece) else _LETTERS_A_TOKEN
            yield -(-len(piece) // letters)


def unit(vector: Sequence[float]) -> DenseVector:
    """The vector at unit length, in the index's precision.

    Raises `InvalidAnswer` for one that is empty or zero, or holds a value that is no number.
    """
    length = math.hypot(*vector)
    if not math.isfinite(length):
        raise InvalidAnswer("a vector holds a value that is no number")
    if length == 0.0:
        raise InvalidAnswer("a vector is empty, or all zeros")
    return array("f", [value / length for value in vector]).tolist()


_STAND_IN = "."
"""Sent for a text without words, which services refuse."""
_PROBE = "What is warm?"
_QUESTION_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The settings of requests: how passages differ from questions, the limits of a request, the
    configured dimension, and the seconds that a request may take.
    """

    inputs: str
    limits: RequestLimits
    dimension: int | None
    seconds: float


class RemoteDense(RemoteEmbedder):
    """Dense vectors by a service, in requests of limited size, several at once.

    Every vector of a passage is cached as soon as its request is answered, so that a killed run
    repeats at most the requests that were running. Questions are not cached. A request that is
    refused as too large is sent in halves; a single passage that is refused raises `TextRefused`.
    """

    def __init__(
        self,
        model_id: str,
        *,
        service: RemoteService,
        dialect: Dialect,
        counter: TokenCounter,
        cache: VectorCache,
        asking: Asking,
    ) -> None:
        self.model_id = model_id
        self._service = service
        self._dialect = dialect
        self._counter = counter
        self._cache = cache
        self._asking = asking
        self._seen = 0
        self._usage = EmbeddingUsage()
        self._counting = threading.Lock()
        self._patient = RetryPolicy(tries=6, seconds=asking.seconds, longest_wait=120)
        question_seconds = min(asking.seconds, _QUESTION_SECONDS)
        self._prompt = RetryPolicy(tries=2, seconds=question_seconds, longest_wait=2)

    @property
    def dimension(self) -> int:
        """The length of the service's vectors; sends a request if none has been answered yet."""
        if not self._seen:
            self.embed_query(_PROBE)
        return self._seen

    @property
    def usage(self) -> EmbeddingUsage:
        return self._usage

    def embed_query(self, text: str) -> DenseVector:
        try:
            (vector,) = self._ask([text if text.strip() else _STAND_IN], Role.QUERY, self._prompt)
        except RequestRefused as error:
            raise ModelUnavailable(
                f"{self.model_id} refuses the request: {error}",
                "See the model's name and address in citeloom.toml; a question may be too long.",
            ) from error
        return vector

    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        inputs = [text if text.strip() else _STAND_IN for text in texts]
        keys = {text: self._key(text) for text in inputs}
        cached = self._cache.get(keys.values())
        missing = [text for text, key in keys.items() if key not in cached]
        self._count(EmbeddingUsage(reused=len(keys) - len(missing)))
        for vectors in self._embedded(missing):
            cached |= vectors
        return [cached[keys[text]] for text in inputs]

    def estimate(self, texts: Sequence[str]) -> EmbeddingUsage:
        keys = {text: self._key(text) for text in texts if text.strip()}
        cached = self._cache.get(keys.values())
        missing = [text for text, key in keys.items() if key not in cached]
        return EmbeddingUsage(
            calls=sum(1 for _ in self._batches(missing)),
            tokens=sum(self._counter.count_all(missing)),
            reused=len(keys) - len(missing),
        )

    def _embedded(self, texts: Sequence[str]) -> Iterator[Mapping[bytes, DenseVector]]:
        """The vectors of each batch by key as they come, also of those under way when one fails."""
        pool = ThreadPoolExecutor(self._asking.limits.at_once, thread_name_prefix="embedding")
        abandoned = threading.Event()
        pending = {pool.submit(self._batch, batch, abandoned) for batch in self._batches(texts)}
        failure: Exception | None = None
        try:
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    if error := _error(future):
                        failure = failure or error
                        abandoned.set()
                        pending = {other for other in pending if not other.cancel()}
                    else:
                        yield future.result()
        finally:
            abandoned.set()
            pool.shutdown(cancel_futures=True)
        if failure:
            raise failure

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        return batches(texts, self._counter.count, self._asking.limits)

    def _batch(
        self, texts: Sequence[str], abandoned: threading.Event
    ) -> Mapping[bytes, DenseVector]:
        """The vectors of a request by key, or of its halves where it is refused; safe in the cache
        before another request is made.
        """
        try:
            answer = self._ask(texts, Role.PASSAGE, self._patient, abandoned)
        except RequestRefused as error:
            if len(texts) == 1:
                raise TextRefused(
                    f"{self.model_id} refuses a passage of about "
                    f"{self._counter.count(texts[0])} tokens ({len(texts[0])} characters): {error}",
                    f'Set window under [models."{self.model_id}"] to what the service takes, or '
                    "max_tokens under [chunking] lower.",
                ) from error
            half = len(texts) // 2
            return {**self._batch(texts[:half], abandoned), **self._batch(texts[half:], abandoned)}
        vectors = dict(zip(map(self._key, texts), answer))
        self._cache.put(vectors)
        return vectors

    def _ask(
        self,
        texts: Sequence[str],
        role: Role,
        retry_policy: RetryPolicy,
        abandoned: threading.Event | None = None,
    ) -> list[DenseVector]:
        started = time.monotonic()
        body = self._dialect.body(texts, role)
        try:
            content = self._service.post(self._dialect.path, body, retry_policy, abandoned)
            answer = self._dialect.read(content, len(texts))
            vectors = [unit(vector) for vector in answer.vectors]
        except InvalidAnswer as error:
            raise ModelUnavailable(
                f"{self.model_id} gave an answer that cannot be used: {error}",
                "See that base_url is that of an embedding service, and that the model embeds.",
            ) from error
        finally:
            self._count(EmbeddingUsage(seconds=time.monotonic() - started))
        dimensions = {len(vector) for vector in vectors}
        with self._counting:
            expected = self._asking.dimension or self._seen or max(dimensions)
            if dimensions != {expected}:
                sizes = " and ".join(map(str, sorted(dimensions)))
                raise EmbeddingMismatch(
                    f"{self.model_id} gives vectors of {sizes} dimensions, not {expected}",
                    f'See dimension under [models."{self.model_id}"]: a service may ignore that '
                    "it is asked to shorten them.",
                )
            self._seen = expected
        tokens = answer.tokens
        if tokens is None:
            tokens = sum(self._counter.count_all(texts))
        self._count(EmbeddingUsage(calls=1, tokens=tokens))
        return vectors

    def _count(self, more: EmbeddingUsage) -> None:
        with self._counting:
            self._usage += more

    def _key(self, text: str) -> bytes:
        """The cache key: a hash of everything that a vector depends on."""
        parts = (self.model_id, self._asking.inputs, str(self._asking.dimension), text)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()


def _error(future: Future[Mapping[bytes, DenseVector]]) -> Exception | None:
    """The error of a finished request, if any; an error that is no `Exception` is raised."""
    error = None if future.cancelled() else future.exception()
    if error is None or isinstance(error, Exception):
        return error
    raise error
