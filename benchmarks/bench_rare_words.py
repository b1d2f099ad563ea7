"""Ask a project for words that stand in one of its passages only, in three forms.

usage: python -m benchmarks.bench_rare_words CONFIG PROJECT [--each 40] [--mode hybrid]

The words are chosen from the stored passages by their hash: names, acronyms, identifiers, numbers
and symbols, `--each` of every kind. Each is asked for alone, with two more words of its passage,
and as "What does the library say about …?". One half, by another bit of the hash, is for choosing
rules on, the other for reporting. A line says for how many of the words a passage that has the
word comes first, and is among the first six.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.open_project import OpenProject
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.domain.chunks.chunk import LEFT_OUT
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import Selection
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.settings import load_settings

FIRST = 6
HALVES = ("chosen on", "held back")

_TOKEN = re.compile(r"[^\s\[\](){}<>\"'“”‘’,;]+")  # noqa: RUF001 - typographic quotes
_KINDS: Mapping[str, re.Pattern[str]] = {
    "name": re.compile(r"[A-Z][a-z]{3,}"),
    "acronym": re.compile(r"[A-Z]{3,6}"),
    "identifier": re.compile(
        r"[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w+|[A-Za-z]\w+(?:\.[a-z]\w+)+|[A-Za-z]{2,}-?\d+\w*"
    ),
    "number": re.compile(r"\d[\d.]*\d\d|\d+\.\d+"),
    "symbol": re.compile(
        r"[\u0370-\u03ff\u2190-\u22ff\u00b1\u00d7\u00b0\u00b5\u00a7]\w*"
        r"|[A-Za-z]\w*[+#]+|[A-Za-z]=\S+"
    ),
}
_CONTENT = re.compile(r"[a-z]{5,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RareWord:
    """A word, its kind, the passage that has it, and two other words of that passage."""

    word: str
    kind: str
    passage: str
    others: tuple[str, ...]

    @property
    def half(self) -> str:
        """Whether rules may be chosen on the word."""
        return HALVES[_hash(self.word) >> 7 & 1]

    def forms(self) -> dict[str, str]:
        """The three questions by what they are called."""
        return {
            "alone": self.word,
            "two more": " ".join((self.word, *self.others)),
            "library": f"What does the library say about {self.word}?",
        }


def rare_words(texts: Mapping[str, str], each: int) -> list[RareWord]:
    """Words of every kind that stand in one of the texts only, by their hash."""
    holders: dict[str, set[str]] = defaultdict(set)
    for passage, text in texts.items():
        for token in _tokens(text):
            holders[token.casefold()].add(passage)
    folded = {passage: text.casefold() for passage, text in texts.items()}
    chosen: list[RareWord] = []
    for kind, pattern in _KINDS.items():
        found = {
            token: passage
            for passage, text in sorted(texts.items())
            for token in _tokens(text)
            if pattern.fullmatch(token) and len(holders[token.casefold()]) == 1
        }
        alone = (
            RareWord(word=token, kind=kind, passage=passage, others=_others(token, texts[passage]))
            for token, passage in sorted(found.items(), key=lambda item: _hash(item[0]))
            if sum(token.casefold() in text for text in folded.values()) == 1
        )
        chosen.extend(one for one, _ in zip(alone, range(each)))
    return chosen


def _tokens(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        yield token.strip(".:!?*-/")


def _others(word: str, text: str) -> tuple[str, ...]:
    words = {one for one in _CONTENT.findall(text) if one not in word.casefold()}
    return tuple(sorted(words, key=lambda one: _hash(word + one))[:2])


def _hash(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16)


def texts_of(opened: OpenProject) -> dict[str, str]:
    """The passages of a project that questions may find, by their ids."""
    selection = Selection(project_id=opened.settings.id, without_kinds=LEFT_OUT)
    stored = opened.index.scroll(opened.settings.collection, selection)
    return {one.chunk.id: one.chunk.text for one in stored}


def place(opened: OpenProject, question: str, passage: str, mode: Mode | None) -> int | None:
    """The place of a passage, or of one that it was folded under, among the first six."""
    passages = query(opened, QueryRequest(text=question, top_k=FIRST, mode=mode)).passages
    for at, found in enumerate(passages, start=1):
        ids = {found.stored.chunk.id, *(other.chunk.id for other in found.duplicates)}
        if passage in ids:
            return at
    return None


def table(opened: OpenProject, words: Iterable[RareWord], mode: Mode | None) -> Iterator[str]:
    """A line for each half, kind and form: how many words, first, and in the first six."""
    places: dict[tuple[str, str, str], list[int | None]] = defaultdict(list)
    for word in words:
        for form, question in word.forms().items():
            at = place(opened, question, word.passage, mode)
            places[word.half, "all", form].append(at)
            places[word.half, word.kind, form].append(at)
    for half, kind, form in sorted(places):
        found = places[half, kind, form]
        first, six = found.count(1), len(found) - found.count(None)
        yield f"{half:<11}{kind:<12}{form:<10}{len(found):5}{first:6}{six:6}"


def main() -> None:
    """Choose the words, ask for each, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", type=Path)
    parser.add_argument("project")
    parser.add_argument("--each", type=int, default=40, help="words of each kind")
    parser.add_argument("--mode", type=Mode, help="hybrid, dense or sparse")
    options = parser.parse_args()
    library = Library(load_settings(config=options.config))
    opened = library.project(options.project).opened
    words = rare_words(texts_of(opened), options.each)
    print(f"{'half':<11}{'kind':<12}{'form':<10}words first   six")
    print("\n".join(table(opened, words, options.mode)))
    library.parts.close()


if __name__ == "__main__":
    main()
