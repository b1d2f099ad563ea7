"""FastEmbed's BM25 without its download: it has no weights, and the stop words are our own."""

from __future__ import annotations

import tempfile
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.embedding.fastembed.stop_words import ENGLISH_STOP_WORDS

if TYPE_CHECKING:
    from fastembed import SparseTextEmbedding

MODEL_ID = "Qdrant/bm25"

# Invisible characters at which the tokenizer would split a word: the soft hyphen and characters
# of zero width.
_INVISIBLE = dict.fromkeys([0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25Settings:
    """The constants of BM25, which stored vectors depend on.

    `k` limits the effect of term frequency, `b` is the strength of length normalisation, and
    `average_length` is the assumed mean length in terms without stop words, that of a chunk of
    200 tokens.
    `language` chooses the stemmer; stop words are left out of English only.
    """

    k: float = 1.2
    b: float = 0.75
    average_length: float = 95.0
    language: str = "english"


def is_bm25(model_id: str) -> bool:
    """Whether the name is BM25's, of whatever language; case does not count, as with FastEmbed."""
    return model_id.partition(":")[0].lower() == MODEL_ID.lower()


def language_of(model_id: str) -> str | None:
    """The language that follows the name: `Qdrant/bm25:portuguese`; None without one."""
    return model_id.partition(":")[2].lower() or None


def load_bm25(settings: Bm25Settings) -> SparseTextEmbedding:
    """FastEmbed's BM25, with nothing read from any file.

    Raises `ConfigError` for a language without a stemmer.
    """
    from fastembed import SparseTextEmbedding  # noqa: PLC0415 - half a second
    from fastembed.sparse import bm25  # noqa: PLC0415 - as above

    if settings.language not in bm25.supported_languages:
        raise ConfigError(
            f"BM25 has no stemmer for '{settings.language}'",
            f"Choose one of {', '.join(bm25.supported_languages)}.",
        )
    # FastEmbed walks all of Unicode for the punctuation that may be a token, 0.2 s of every
    # cold query; its tokenizer leaves none but the underscore.
    bm25.get_all_punctuation = lambda: {"_"}  # type: ignore[attr-defined]
    return SparseTextEmbedding(
        MODEL_ID,
        cache_dir=tempfile.gettempdir(),
        specific_model_path=tempfile.gettempdir(),
        k=settings.k,
        b=settings.b,
        avg_len=settings.average_length,
        language=settings.language,
        stopwords=set(ENGLISH_STOP_WORDS) if settings.language == "english" else set(),
    )


def normalised(text: str) -> str:
    """`text` with composed letters, ligatures and widths normalised, and invisible characters
    removed, so that the same word always gives the same term.
    """
    return unicodedata.normalize("NFKC", text.translate(_INVISIBLE))
