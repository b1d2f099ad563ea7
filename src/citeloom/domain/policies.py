"""The policies of a project, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import ceil
from typing import Annotated

from annotated_types import Ge, Le

from citeloom.domain.documents.language import is_language_code
from citeloom.domain.errors import ConfigError
from citeloom.domain.fields import (
    Count,
    CountOrZero,
    Example,
    Number,
    Share,
    Texts,
    WithinBounds,
    check_bounds,
    part,
)

# The chunking strategies by name, and the parameters that each has of its own.


class StrategyName(StrEnum):
    """How a document is divided."""

    HEADINGS = "headings"
    SECTIONS = "sections"
    LESSONS = "lessons"
    CHARACTERS = "characters"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledStrategy:
    """A strategy of another distribution; documents are divided again when its version changes.

    `divide` is its `ChunkingStrategy`; runs of evaluations are read and written without it.
    """

    value: str
    version: str
    divide: object = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionParameters:
    """Parameters of `sections`."""

    target_tokens: Annotated[tuple[Count, Count] | None, Example((300, 500))] = None
    """`sections`: the target sizes, smallest and largest. Short neighbours are joined and long
    sections divided; unless set, max_tokens is a fifth above the larger. Unset, each section is one
    chunk.
    """

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
class LessonParameters(WithinBounds):
    """Parameters of `lessons`."""

    structural_titles: Texts = (
        "Learning Objectives",
        "Key Takeaways",
        "Check Your Understanding",
        "Next Steps",
        "Prerequisites",
        "Summary",
    )
    """`lessons`: a section whose title contains one of these is structural; any other with two code
    blocks is code-heavy, the rest are instructional.
    """
    enrich_below: CountOrZero = 250
    """`lessons`: a structural section of fewer tokens is embedded with the context_fields and the
    titles above it put before it; its text does not change.
    """
    context_fields: Texts = ("module", "chapter", "title")
    """`lessons`: the front-matter fields embedded before short structural sections."""
    split_code_above: Count = 700
    """`lessons`: a code-heavy section of more tokens is divided into overlapping windows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterParameters:
    """Parameters of `characters`."""

    chunk_characters: Count = 1000
    """`characters`: the longest chunk, in characters."""
    overlap_characters: CountOrZero = 150
    """`characters`: the most characters that a chunk repeats from the one before."""

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.overlap_characters >= self.chunk_characters:
            raise ValueError(
                f"overlap_characters ({self.overlap_characters}) must lie in "
                f"0..{self.chunk_characters - 1}, below chunk_characters"
            )


DEFAULT_DENSE_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
MULTILINGUAL_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
"""FastEmbed's smallest model that was trained on fifty languages."""
DEFAULT_SPARSE_MODEL = "Qdrant/bm25"
DEFAULT_MAX_TOKENS = 450
_SHORT_SECTION = 0.7
DEFAULT_SECTION_TOKENS = 1000
DEFAULT_OCR_LANGUAGES = ("en", "de")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingPolicy:
    """How documents are split into chunks. Sizes are in tokens of the embedding model.

    Each strategy has parameters of its own.
    """

    strategy: StrategyName | InstalledStrategy = StrategyName.HEADINGS
    """How documents are split: evenly along their headings, into whole sections, into typed H2
    sections, or by number of characters; or the name of an installed chunker.
    """
    max_tokens: Annotated[Count | None, Example(DEFAULT_MAX_TOKENS)] = None
    """Largest chunk, headings included. Unset, it follows the model: 450 along headings and 1000
    else, or its window if that is smaller.
    """
    overlap_tokens: CountOrZero = 60
    """Tokens repeated from the preceding chunk, for context."""
    heading_context: CountOrZero = 2
    """Number of ancestor headings put before a chunk's text for embedding."""
    min_chunk_tokens: Count = 50
    """Smallest chunk; a shorter one is merged with a neighbour, or left out if none fits. A section
    stands alone from seven tenths of it on. Of the other strategies, only `sections` with
    target_tokens merges short chunks, and none leaves any out.
    """
    min_signal_to_noise: Share = 0.3
    """Minimum share of meaningful characters; a chunk below it is left out."""
    sections: SectionParameters = field(
        default_factory=SectionParameters, metadata=part(SectionParameters)
    )
    lessons: LessonParameters = field(
        default_factory=LessonParameters, metadata=part(LessonParameters)
    )
    characters: CharacterParameters = field(
        default_factory=CharacterParameters, metadata=part(CharacterParameters)
    )

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.size < self.min_chunk_tokens:
            raise ValueError(
                f"max_tokens ({self.size}) must not be less than "
                f"min_chunk_tokens ({self.min_chunk_tokens})"
            )
        if self.overlap_tokens >= self.size:
            raise ValueError(
                f"overlap_tokens ({self.overlap_tokens}) must lie in "
                f"0..{self.size - 1}, below max_tokens"
            )
        if self.strategy is StrategyName.SECTIONS:
            self.sections.check(self.min_chunk_tokens, self.size)

    @property
    def size(self) -> int:
        """The largest chunk in tokens; a target range may be exceeded by a fifth."""
        if self.max_tokens is not None:
            return self.max_tokens
        if self.strategy is StrategyName.HEADINGS:
            return DEFAULT_MAX_TOKENS
        if self.strategy is StrategyName.SECTIONS and self.sections.target_tokens:
            high = self.sections.target_tokens[1]
            return high + high // 5
        return DEFAULT_SECTION_TOKENS

    def least_tokens(self, *, is_section: bool) -> int:
        """The smallest chunk; one that is the text of a section may be shorter."""
        return ceil(self.min_chunk_tokens * (_SHORT_SECTION if is_section else 1))

    @property
    def parameters(self) -> SectionParameters | LessonParameters | CharacterParameters | None:
        """The parameters of the strategy in force; None where it has none of its own."""
        if isinstance(self.strategy, InstalledStrategy):
            return None
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
class RetrievalPolicy(WithinBounds):
    """How a query is answered."""

    top_k: Annotated[int, Ge(1), Le(MAX_TOP_K)] = 6
    """Number of passages a query returns."""
    rrf_k: Count = 60
    """The constant k of the fusion, 1 / (k + rank) with ranks from 1; a smaller one favours the
    first ranks.
    """
    candidates: Annotated[int, Ge(1), Le(MAX_CANDIDATES)] = 50
    """Number of results from each search, dense and sparse, that a hybrid query fuses."""
    feedback: CountOrZero = 3
    """Number of best passages whose terms expand a hybrid query; 0 turns expansion off."""
    diversify_by_page: bool = True
    """Whether the best passage of each page comes before the second best of any page."""
    fold_duplicates: bool = True
    """Whether nearly the same text in several documents is returned once, under the best hit."""
    min_score: Annotated[Number | None, Example(0.02)] = None
    """Minimum score; passages below it are not returned. Hybrid scores are less than
    2 / (rrf_k + 1), which is 0.033 by default; dense scores are cosines, up to 1; sparse scores
    have no upper bound.
    """
    floor: bool = False
    """Whether a query returns nothing for a question that the library does not cover, by the
    threshold of `citeloom calibrate`.
    """
    calibrate: bool = True
    """Whether an ingest calibrates the verdicts on questions at its end, if the library has 300
    passages or more and has changed by more than a tenth since the last calibration.
    """
    rerank: bool = True
    """Whether the reranker of [rerank], if there is one, puts the best passages in order."""
    max_chars_per_chunk: Count = 1800
    """A passage's text is trimmed to this many characters, between words."""


class OcrSource(StrEnum):
    """Where the OCR languages come from."""

    ZOTERO_METADATA = "zotero_metadata"
    EXPLICIT_CONFIG = "explicit_config"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrOptions:
    """The OCR languages and their source; with `again`, scans that have a text of their own are
    read, too.
    """

    languages: tuple[str, ...] = DEFAULT_OCR_LANGUAGES
    source: OcrSource = OcrSource.DEFAULT
    again: bool = False

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


# Sessions.

MOST_TURNS = 200
"""The turns of a session that are kept; of a longer one the last."""
