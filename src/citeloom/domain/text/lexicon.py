"""How usual the words of a language are: lists of words with frequencies, which are files of the
package `pyspellchecker`; none of its code is run.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache
from heapq import nlargest
from importlib.util import find_spec
from pathlib import Path

LEAST_FREQUENCY = 50
"""That of a word which was never counted, or so often."""
_LEAST = 100_000  # words of a list that has nearly all of its language: shorter ones lack forms
_NO_WORDS: Mapping[str, int] = {}


@cache
def word_frequencies(language: str) -> Mapping[str, int]:
    """How often each word of a language, in small letters, stands in the texts that were counted;
    empty for a language of which few words are listed.
    """
    package = find_spec("spellchecker")
    folders = package.submodule_search_locations if package else None
    for folder in folders or ():
        file = Path(folder, "resources", f"{language}.json.gz")
        if file.is_file():
            words = json.loads(gzip.decompress(file.read_bytes()))
            return words if len(words) >= _LEAST else _NO_WORDS
    return _NO_WORDS


@cache
def most_frequent(language: str, number: int) -> frozenset[str]:
    """So many words of a language, those that are most frequent in its list."""
    listed = word_frequencies(language)
    return frozenset(nlargest(number, listed, key=listed.__getitem__))


@cache
def letters_of(language: str) -> frozenset[str]:
    """The letters of the words that are listed for a language."""
    return frozenset("".join(word_frequencies(language)))
