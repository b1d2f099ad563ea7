"""The policies of a project, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import isfinite

from citeloom.domain.errors import ConfigError
from citeloom.domain.references.citation import is_language_code

# The chunking strategies by name, and the parameters that each has of its own.


class StrategyName(StrEnum):
    """How a document is divided."""

    HEADINGS = "headings"
    SECTIONS = "sections"
    LESSONS = "lessons"
    CHARACTERS = "characters"


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionParameters:
    """Parameters of `sections`.

    Chunks are aimed at `target_tokens`, the least and the most; without it each section stands
    alone.
    """

    target_tokens: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.target_tokens and not 1 <= self.target_tokens[0] <= self.target_tokens[1]:
            raise ValueError("target_tokens must be two numbers, the smaller first")

    def check(self, least: int, most: int) -> None:
        """Raise `ValueError` unless the target lies between the smallest and the largest chunk."""
        low, high = self.target_tokens or (least, most)
        if low < least or high > most:
            raise ValueError(
                f"target_tokens ({low} to {high}) must lie between min_chunk_tokens ({least}) "
                f"and max_tokens ({most})"
            )

    def within(self, least: int, most: int) -> SectionParameters:
        """A target that reaches above `most`, in proportion."""
        if self.target_tokens is None or self.target_tokens[1] <= most:
            return self
        low, high = self.target_tokens
        return replace(self, target_tokens=(min(max(low * most // high, least), most), most))


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonParameters:
    """Parameters of `lessons`.

    A section whose title holds one of `structural_titles` is structural; if it has less than
    `enrich_below` tokens, the `context_fields` of the document's metadata and all titles above are
    embedded before it. A code-heavy section of more than `split_code_above` tokens is divided.
    """

    structural_titles: tuple[str, ...] = (
        "Learning Objectives",
        "Key Takeaways",
        "Check Your Understanding",
        "Next Steps",
        "Prerequisites",
        "Summary",
    )
    enrich_below: int = 250
    split_code_above: int = 700
    context_fields: tuple[str, ...] = ("module", "chapter", "title")

    def __post_init__(self) -> None:
        if self.enrich_below < 0:
            raise ValueError("enrich_below must not be negative")
        if self.split_code_above < 1:
            raise ValueError("split_code_above must be at least 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterParameters:
    """Parameters of `characters`: the longest chunk and the overlap, both in characters."""

    chunk_characters: int = 1000
    overlap_characters: int = 150

    def __post_init__(self) -> None:
        if self.chunk_characters < 1:
            raise ValueError("chunk_characters must be at least 1")
        if not 0 <= self.overlap_characters < self.chunk_characters:
            raise ValueError(
                f"overlap_characters ({self.overlap_characters}) must lie in "
                f"0..{self.chunk_characters - 1}, below chunk_characters"
            )


DEFAULT_DENSE_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
MULTILINGUAL_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
"""FastEmbed's smallest model that was trained on fifty languages."""
DEFAULT_SPARSE_MODEL = "Qdrant/bm25"
DEFAULT_MAX_TOKENS = 450
DEFAULT_SECTION_TOKENS = 1000
DEFAULT_OCR_LANGUAGES = ("en", "de")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingPolicy:
    """How documents are chunked. Sizes are in tokens of the bound model's tokenizer.

    `max_tokens` bounds what the model reads of a chunk, heading context and special tokens
    included; None follows the strategy and the model: 450 along headings, 1,000 else, or the
    model's window where that is less. `heading_context` is the number of headings embedded before
    the text, after the document's title. Each strategy has parameters of its own.
    """

    strategy: StrategyName = StrategyName.HEADINGS
    max_tokens: int | None = None
    overlap_tokens: int = 60
    heading_context: int = 2
    min_chunk_tokens: int = 50
    min_signal_to_noise: float = 0.3
    sections: SectionParameters = field(default_factory=SectionParameters)
    lessons: LessonParameters = field(default_factory=LessonParameters)
    characters: CharacterParameters = field(default_factory=CharacterParameters)

    def __post_init__(self) -> None:
        if self.min_chunk_tokens < 1:
            raise ValueError("min_chunk_tokens must be at least 1")
        if self.size < self.min_chunk_tokens:
            raise ValueError(
                f"max_tokens ({self.size}) must not be less than "
                f"min_chunk_tokens ({self.min_chunk_tokens})"
            )
        if not 0 <= self.overlap_tokens < self.size:
            raise ValueError(
                f"overlap_tokens ({self.overlap_tokens}) must lie in "
                f"0..{self.size - 1}, below max_tokens"
            )
        if self.heading_context < 0:
            raise ValueError("heading_context must not be negative")
        if not 0.0 <= self.min_signal_to_noise <= 1.0:
            raise ValueError("min_signal_to_noise must lie in 0..1")
        if self.strategy is StrategyName.SECTIONS:
            self.sections.check(self.min_chunk_tokens, self.size)

    @property
    def size(self) -> int:
        """The largest chunk in tokens."""
        return self._default_size() if self.max_tokens is None else self.max_tokens

    def _default_size(self) -> int:
        """That of the strategy; a target range may be exceeded by a fifth."""
        if self.strategy is StrategyName.HEADINGS:
            return DEFAULT_MAX_TOKENS
        if self.strategy is StrategyName.SECTIONS and self.sections.target_tokens:
            high = self.sections.target_tokens[1]
            return high + high // 5
        return DEFAULT_SECTION_TOKENS

    @property
    def parameters(self) -> SectionParameters | LessonParameters | CharacterParameters | None:
        """The parameters of the strategy in force; None where it has none of its own."""
        return {
            StrategyName.HEADINGS: None,
            StrategyName.SECTIONS: self.sections,
            StrategyName.LESSONS: self.lessons,
            StrategyName.CHARACTERS: self.characters,
        }[self.strategy]

    @property
    def keeps_short(self) -> bool:
        """Whether chunks below `min_chunk_tokens` are kept: only along headings they are not."""
        return self.strategy is not StrategyName.HEADINGS

    def along_headings(self) -> ChunkingPolicy:
        """This policy with the strategy that suits any text, and the same sizes."""
        if self.strategy is StrategyName.HEADINGS:
            return self
        return replace(self, strategy=StrategyName.HEADINGS, max_tokens=self.size)

    def fitted(self, window: int) -> ChunkingPolicy:
        """This policy for a model with a window of `window` tokens.

        Raises `ConfigError` if a larger `max_tokens` is configured: the model would truncate such
        chunks. Sizes that follow the model, and a target range, come down to the window.
        """
        if self.size <= window:
            return self
        if self.max_tokens is not None:
            raise ConfigError(
                f"chunking.max_tokens is {self.max_tokens}, but the model reads only {window} "
                "tokens and would ignore the rest of each chunk",
                f"Set max_tokens to {window} or less, or leave it out to follow the model.",
            )
        least = min(self.min_chunk_tokens, max(window // 2, 1))
        return replace(
            self,
            max_tokens=window,
            overlap_tokens=min(self.overlap_tokens, window - 1),
            min_chunk_tokens=least,
            sections=self.sections.within(least, window),
        )


class GroupBy(StrEnum):
    """How passages of one work stand together; unset, two come before a work that fits alike."""

    DOCUMENT = "document"
    NONE = "none"


class Mode(StrEnum):
    """Which vectors a query uses."""

    HYBRID = "hybrid"
    DENSE = "dense"
    SPARSE = "sparse"


MAX_TOP_K = 1000
"""The maximum number of passages of a query."""

MAX_CANDIDATES = 10_000
"""The maximum number of candidates on each side of a hybrid query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalPolicy:
    """How a query is answered.

    `rrf_k` is the constant of reciprocal rank fusion, 1 / (k + rank) with ranks from 1.
    `candidates` is the depth of each side of a hybrid query before fusion. For a query that may be
    a quotation, verbatim passages come first. Any other hybrid query is expanded by its `feedback`
    best passages (0 turns that off), and with `diversify_by_page` the best passage of each page
    comes before the second best of any. With `fold_duplicates` nearly the same text in several
    documents is returned once. Passages with a score below `min_score` are removed. With `floor`
    nothing is returned for a question that the collection is not about. With `rerank` the reranker,
    where there is one, puts the best passages in order.
    """

    top_k: int = 6
    rrf_k: int = 60
    candidates: int = 50
    feedback: int = 3
    diversify_by_page: bool = True
    fold_duplicates: bool = True
    min_score: float | None = None
    floor: bool = False
    rerank: bool = True
    max_chars_per_chunk: int = 1800

    def __post_init__(self) -> None:
        for name in ("top_k", "rrf_k", "candidates", "max_chars_per_chunk"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1")
        for name, most in (("top_k", MAX_TOP_K), ("candidates", MAX_CANDIDATES)):
            if getattr(self, name) > most:
                raise ValueError(f"{name} must be at most {most}")
        if self.feedback < 0:
            raise ValueError("feedback must not be negative")
        if self.min_score is not None and not isfinite(self.min_score):
            raise ValueError("min_score must be a finite number")


class OcrSource(StrEnum):
    """Where the OCR languages come from."""

    ZOTERO_METADATA = "zotero_metadata"
    EXPLICIT_CONFIG = "explicit_config"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrOptions:
    """The OCR languages and their source."""

    languages: tuple[str, ...] = DEFAULT_OCR_LANGUAGES
    source: OcrSource = OcrSource.DEFAULT

    def __post_init__(self) -> None:
        if not self.languages:
            raise ValueError("OCR needs at least one language")
        for code in self.languages:
            if not is_language_code(code):
                raise ValueError(f"not a language code: {code!r}")

    @classmethod
    def choose(cls, *, zotero: str | None, configured: tuple[str, ...]) -> OcrOptions:
        """The reference's language, else the configured ones, else English and German."""
        if zotero:
            return cls(languages=(zotero,), source=OcrSource.ZOTERO_METADATA)
        if configured:
            return cls(languages=configured, source=OcrSource.EXPLICIT_CONFIG)
        return cls()
