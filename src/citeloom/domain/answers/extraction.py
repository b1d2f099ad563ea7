"""Choosing the sentences of passages that answer a question best, and the excerpt around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from unicodedata import east_asian_width

from citeloom.domain.answers.untrusted import trusted_length
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.retrieval.passage import ChunkWords, Passage, StoredChunk
from citeloom.domain.retrieval.words import asks_or_joins
from citeloom.domain.text.normal_form import letters_of
from citeloom.domain.text.tokens import (
    SENTENCE_ENDS,
    has_unsegmented,
    sentence_spans,
    unsegmented_letters,
)

_WORD = re.compile(r"[^\W\d_]+(?:[-'\u2019][^\W\d_]+)*")
_JOINED = re.compile(r"[a-z][A-Z]")
_PUNCTUATION = ".,;:!?()[]\"'\u2018\u2019\u201c\u201d\u201e«»…"
_OPENING = "\"'(\\[\u2018\u201c\u201e«¿¡\u300c\u300e\uff08\u3010\u300a"
_CLOSING = re.escape("\"')]\u2019\u201d»\u300d\u300f\uff09\u3011\u300b")
_BEGUN = re.compile(rf"[{_OPENING}]*[^\W_]")
_ENDED = re.compile(rf"[{SENTENCE_ENDS}][{_CLOSING}\d]*$")
_ENDED_IN_THAI = re.compile("[\u0e01-\u0e4e\u0e80-\u0edf]$")
_LONGEST_HEADING = 40
"""A line of Thai or Lao, which have no full stop, is a sentence if it is longer."""
_MARKER = re.compile(
    r"(?:[\u2022\u25aa\u25e6\u2023\u00b7*\u2013\u2014-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s+"
)
"""The bullet or number of an item of a list."""
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|table|tab\.|listing|algorithm|scheme|box|plate|abb(?:ildung|\.)|tabelle"
    r"|tabela|figura|quadro|tableau|tabla|[图圖図表]|그림|표|ภาพที่|รูปที่|ตารางที่)\s*[A-Z]?\d[\d.]*\s*(?:[:.|\uff1a\u2013\u2014-]|(?-i:[A-Z(]))",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"(?:\[\d+\]|[^\W\d_][\w'\u2019-]+, (?:[^\W\d_a-z]\.[ -]?)+)[^\n]*(?:19|20)\d\d"
)
"""The beginning of an entry of a reference list."""
_LINKED = re.compile(r"\bdoi:|doi\.org/|https?://\S+$", re.IGNORECASE)
_CITED_BEFORE = re.compile(r"\[\d+(?:[,\u2013-] ?\d+)*\],?\s+[a-z]")
_SMALL_WORD = re.compile(r"[a-z][^\s]*")
_WRITTEN_AS_NAME = re.compile(r"[A-Z\d_().]")
_CELLS = " | "
"""What stands between two cells of a table's row."""
_FOLLOWING = 0.02
"""What a sentence behind the best counts more than one before it: an answer goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionPolicy:
    """How an extractive answer is chosen.

    A sentence of the best `passages` scores the cosine with the question, plus `term_weight` times
    the share of the weight of the question's words that it holds. The passage whose best sentence,
    plus `rank_weight` / rank of the passage, is highest gives up to `first` columns around that
    sentence, each other one up to `further`, until `total` columns are there: one for each
    character, two for a wide one. What scores less than `least_share` of the best sentence is left
    out, and where the first has `whole` of the words' weight there are `most_beside_whole` more.
    """

    passages: int = 6
    first: int = 800
    further: int = 350
    total: int = 1_500
    least_words: int = 5
    longest: int = 600
    term_weight: float = 0.1
    rank_weight: float = 0.2
    least_share: float = 0.6
    whole: float = 0.8
    most_beside_whole: int = 2

    def __post_init__(self) -> None:
        if self.passages < 1 or self.least_words < 1:
            raise ValueError("an answer needs at least one passage and one word a sentence")
        if not 0 < self.longest <= self.first <= self.total or self.further < 1:
            raise ValueError("an excerpt must hold its longest sentence, and an answer an excerpt")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceCandidate(ChunkWords):
    """A sentence of a passage, or several that follow one another: the rank of the passage from 1,
    the cosine with the question, and the share of the weight of its words there. A listing of code
    is one, and compared with what introduces it, `intro`.
    """

    rank: int
    similarity: float = 0.0
    terms: float = 0.0
    intro: str = ""

    @property
    def is_code(self) -> bool:
        return self.stored.chunk.is_code(self.start, self.end)

    @property
    def compared(self) -> str:
        """What is compared with a question."""
        return f"{self.intro}\n{self.text}" if self.intro else self.text

    def score(self, policy: ExtractionPolicy) -> float:
        return self.similarity + policy.term_weight * self.terms


def quotable_sentences(
    passages: Sequence[Passage], policy: ExtractionPolicy
) -> list[SentenceCandidate]:
    """The sentences of the best passages that can be quoted, each once: none behind an order to a
    model, none that crosses the cells of a table, no title of a section.
    """
    first: dict[str, SentenceCandidate] = {}
    for rank, passage in enumerate(passages[: policy.passages], start=1):
        stored, chunk = passage.stored, passage.stored.chunk
        trusted, titles = trusted_length(chunk.text), set(map(letters_of, chunk.titles))
        for start, end in quotable_spans(chunk.text, policy):
            crosses = chunk.kind is ChunkKind.TABLE and _CELLS in chunk.text[start:end]
            letters = letters_of(chunk.text[start:end])
            is_code = any(begun < end and start < ended for begun, ended in chunk.code)
            if end <= trusted and not crosses and not is_code and letters not in titles:
                candidate = SentenceCandidate(stored=stored, start=start, end=end, rank=rank)
                first.setdefault(letters, candidate)
        for start, end in chunk.code:
            if end <= trusted and end - start <= policy.longest:
                candidate = SentenceCandidate(
                    stored=stored, start=start, end=end, rank=rank, intro=_intro(stored, start)
                )
                first.setdefault(chunk.text[start:end], candidate)
    return list(first.values())


def _intro(stored: StoredChunk, start: int) -> str:
    """The heading above a listing, and the paragraph before it."""
    before = stored.chunk.text[:start].rstrip().rpartition("\n\n")[2]
    headings = [stored.chunk.section_heading or "", before]
    return "\n".join(dict.fromkeys(filter(None, headings)))


def quotable_spans(text: str, policy: ExtractionPolicy) -> Iterator[tuple[int, int]]:
    """The `(start, end)` of each sentence of prose in `text`, items of lists without their bullet.

    A title, a caption, a line of a program or formula, an entry of a reference list is none, nor is
    a sentence without its beginning or end.
    """
    skipped = -1
    for begun, end in sentence_spans(text):
        start = begun
        if begun == 0 or text[begun - 1] == "\n":
            if _CAPTION.match(text, begun) or _ENTRY.match(text, begun):
                skipped = text.find("\n", begun) % (len(text) + 1)
            if marker := _MARKER.match(text, begun, end):
                start = marker.end()
        prose = start > skipped and _begins(text, start) and _is_prose(text[start:end], policy)
        if prose and (_ENDED.search(text[start:end]) or _ends_in_thai(text, start, end)):
            yield start, end


def _ends_in_thai(text: str, start: int, end: int) -> bool:
    """Whether a sentence ends as one of Thai or Lao does, and is no heading: a short line."""
    if not _ENDED_IN_THAI.search(text[start:end]):
        return False
    alone = not (text[:start].rpartition("\n")[2].strip() or text[end:].partition("\n")[0].strip())
    return not alone or end - start > _LONGEST_HEADING


def _begins(text: str, start: int) -> bool:
    """Whether a sentence begins there: with no citation that belongs to one before, and with a
    small letter only in a name, which the text has more than once or writes as no other word.
    """
    if _CITED_BEFORE.match(text, start):
        return False
    first = _SMALL_WORD.match(text, start)
    if first is None or _WRITTEN_AS_NAME.search(first[0]):
        return True
    word = first[0]
    return not asks_or_joins(word) and len(re.findall(rf"\b{re.escape(word)}\b", text)) > 1


def _is_prose(sentence: str, policy: ExtractionPolicy) -> bool:
    return (
        len(sentence) <= policy.longest
        and says_something(sentence, policy.least_words)
        and _BEGUN.match(sentence) is not None
        and not _LINKED.search(sentence)
    )


def says_something(sentence: str, least_words: int) -> bool:
    """Whether a sentence has enough words, does not only announce what follows, and is no line of
    a program or formula: at least a third of its words are written as words are. Where no spaces
    part words, two letters count as one.
    """
    if sentence.rstrip().endswith((":", "\uff1a")):
        return False
    spaced = [token for token in sentence.split() if not has_unsegmented(token)]
    unspaced = unsegmented_letters(sentence) // 2
    tokens = len(spaced) + unspaced
    return tokens >= least_words and 3 * (sum(map(_is_word, spaced)) + unspaced) >= tokens


def choose_excerpts(
    candidates: Iterable[SentenceCandidate], policy: ExtractionPolicy
) -> tuple[SentenceCandidate, ...]:
    """The excerpts that answer best, best first, at most one from each run of sentences."""
    best: list[tuple[float, tuple[SentenceCandidate, ...], int]] = []
    for run in _runs(candidates):
        at = max(range(len(run)), key=lambda n: run[n].score(policy))
        best.append((run[at].score(policy) + policy.rank_weight / run[at].rank, run, at))
    best.sort(key=lambda scored_run: -scored_run[0])
    least = policy.least_share * max((run[at].score(policy) for _, run, at in best), default=0.0)
    chosen: list[SentenceCandidate] = []
    room = policy.total
    for _, run, at in best:
        if chosen and (
            run[at].score(policy) < least
            or (chosen[0].terms >= policy.whole and len(chosen) > policy.most_beside_whole)
        ):
            continue
        most = min(policy.further if chosen else policy.first, room)
        if _width(run[at], run[at]) <= most:
            chosen.append(_grown(run, at, most, policy))
            room -= _width(chosen[-1], chosen[-1])
    return tuple(chosen)


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    """The cosine of two vectors of unit length."""
    return sum(a * b for a, b in zip(first, second))


def _runs(candidates: Iterable[SentenceCandidate]) -> Iterator[tuple[SentenceCandidate, ...]]:
    """The candidates, each with those that follow it with nothing but white space between."""
    run: list[SentenceCandidate] = []
    for candidate in candidates:
        if run:
            before, text = run[-1], candidate.stored.chunk.text
            goes_on = before.stored is candidate.stored and not (
                before.is_code or candidate.is_code
            )
            if not goes_on or text[before.end : candidate.start].strip():
                yield tuple(run)
                run = []
        run.append(candidate)
    if run:
        yield tuple(run)


def _grown(
    run: Sequence[SentenceCandidate], at: int, most: int, policy: ExtractionPolicy
) -> SentenceCandidate:
    """The sentence at `at` with the better of its neighbours, one by one, up to `most` columns."""
    first = last = at
    while True:
        sides = []
        if first > 0 and _width(run[first - 1], run[last]) <= most:
            sides.append((run[first - 1].score(policy), first - 1, last))
        if last + 1 < len(run) and _width(run[first], run[last + 1]) <= most:
            sides.append((run[last + 1].score(policy) + _FOLLOWING, first, last + 1))
        if not sides:
            return replace(run[first], end=run[last].end)
        _, first, last = max(sides)


def _width(first: SentenceCandidate, last: SentenceCandidate) -> int:
    """How many columns sentences take that follow one another: two for a wide letter, as of Chinese
    and Japanese, which says as much as several others.
    """
    text = first.stored.chunk.text[first.start : last.end]
    return len(text) + sum(east_asian_width(char) in "WF" for char in text)


def _is_word(token: str) -> bool:
    bare = token.strip(_PUNCTUATION)
    return _WORD.fullmatch(bare) is not None and not _JOINED.search(bare)
