"""The result of a query: its passages, how well their works fit, and why each is where it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from citeloom.application.retrieval.search import neighbours, rankings, ranks
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.coverage import WeighedWords, terms_of_work, wording_by_letters
from citeloom.domain.retrieval.passage import Hit, Passage, Ranked, trim, work_of
from citeloom.domain.retrieval.sparse import matched_terms
from citeloom.domain.retrieval.words import VERBATIM, QueryCoverage, fit_of
from citeloom.domain.text.tokens import words_with_signs
from citeloom.domain.text.verbatim import holds_verbatim, holds_word

if TYPE_CHECKING:
    from citeloom.application.retrieval.question import AnalysedQuestion
    from citeloom.domain.project import Project
    from citeloom.domain.retrieval.candidates import Candidates, RerankTrace, StageTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """The passages found, best first, and how they were found.

    `feedback` are the ids of the chunks used for query expansion, `stages` the trace of each stage,
    `reranked` what a reranker did, `works_found` the number of works among the passages that were
    compared, shown or not. `references_configured` is False where the project has no references at
    all. `notes` are messages for the user, such as an unknown filter or a floor that nothing
    passed. `embedded_by` is the host that the question was sent to for its vector, if it was.
    """

    project: str
    query: str
    mode: Mode
    models: dict[str, str | None]
    fusion: str | None
    feedback: tuple[str, ...]
    passages: tuple[Passage, ...]
    stages: tuple[StageTrace, ...] = ()
    reranked: RerankTrace | None = None
    works_found: int = 0
    references_configured: bool = True
    embedded_by: str | None = None
    notes: tuple[str, ...] = ()
    duration_ms: float
    correlation_id: str

    @property
    def fit(self) -> QueryCoverage | None:
        """How well the first passage's work fits the question; None without passages."""
        return self.passages[0].fit if self.passages else None

    @property
    def works_shown(self) -> int:
        return len({work_of(passage.stored) for passage in self.passages})

    @property
    def reranked_by(self) -> str | None:
        """The host that the question and passages were sent to, to be put in order, if any."""
        return self.reranked.sent_to if self.reranked else None

    @property
    def destinations(self) -> tuple[str, ...]:
        """Every host that the question went to, alone or with passages."""
        return tuple(dict.fromkeys(filter(None, (self.reranked_by, self.embedded_by))))


def passages_of(
    candidates: Candidates, question: AnalysedQuestion, project: Project
) -> tuple[Passage, ...]:
    """The hits as passages with citation, fit and neighbours, and with reasons where these are
    asked for.
    """
    request, search = question.request, question.search
    fits = fit_of_works(candidates, question.words if question.terms else None)
    passages = [_passage(hit, candidates, question, project, fits) for hit in candidates.hits]
    if request.explain:
        explanation = Explanation.of(candidates, question)
        passages = [explanation.added_to(*pair) for pair in zip(passages, candidates.hits)]
    stored = [hit.stored for hit in candidates.hits]
    around = neighbours(search.reader, search.collection.name, stored, request.context)
    return tuple(
        replace(passage, before=before, after=after)
        for passage, (before, after) in zip(passages, around)
    )


def _passage(
    hit: Hit,
    candidates: Candidates,
    question: AnalysedQuestion,
    project: Project,
    fits: Mapping[str, QueryCoverage],
) -> Passage:
    request, chunk = question.request, hit.stored.chunk
    text, trimmed = chunk.text, False
    if not request.full_text:
        text, trimmed = trim(text, project.retrieval.max_chars_per_chunk)
    signs_too = all(holds_word(chunk.text, word) for word in words_with_signs(request.text))
    verbatim = chunk.id in candidates.quoted or (
        signs_too and holds_verbatim(chunk.text, request.text)
    )
    label = project.citation_label
    return Passage(
        stored=hit.stored,
        score=hit.score,
        text=text,
        trimmed=trimmed,
        verbatim=verbatim,
        fit=VERBATIM if verbatim else fits.get(chunk.doc_id),
        reranked=candidates.reranked.ranks.get(chunk.id) if candidates.reranked else None,
        citation_label=label.of(hit.stored) if label else None,
        duplicates=tuple(folded.stored for folded in candidates.folded.get(chunk.id, ())),
    )


def fit_of_works(
    candidates: Candidates, words: Callable[[], WeighedWords] | None
) -> dict[str, QueryCoverage]:
    """The fit of each work by its doc_id, judged by all of its passages that were found; none where
    the question is a quotation.

    `words` gives the question's words as they stand in the library; without it they are compared by
    their letters.
    """
    if candidates.settled:
        return {}
    works = {hit.stored.chunk.doc_id: hit.stored for hit in reversed(candidates.hits)}
    fits = {}
    for doc_id, stored in works.items():
        pool = candidates.pool or candidates.hits
        of_work = [hit for hit in pool if hit.stored.chunk.doc_id == doc_id]
        if words is None:
            texts = [hit.stored.chunk.text for hit in of_work]
            wording = wording_by_letters(candidates.text, texts)
        else:
            wording = words().wording([terms_of_work(of_work, words().term_weights)])
        citation, file = stored.citation, PurePath(stored.source_path).name
        fits[doc_id] = fit_of(
            wording, f"@{citation.citekey}" if citation else file, candidates.text
        )
    return fits


Ranks = Mapping[str, Ranked]
"""The ranks of chunks in one side of the search, by chunk id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Explains the passages of one answer: `dense` and `sparse` are the ranks in either side."""

    candidates: Candidates
    dense: Ranks
    sparse: Ranks
    words: Callable[[], WeighedWords]

    @classmethod
    def of(cls, candidates: Candidates, question: AnalysedQuestion) -> Explanation:
        """The explanation of candidates, whose ranks are searched for."""
        query, search = candidates.query, question.search
        search.look_ahead([], rankings(query))
        return cls(
            candidates=candidates,
            dense=ranks(query, search, Mode.DENSE),
            sparse=ranks(query, search, Mode.SPARSE),
            words=question.words,
        )

    def added_to(self, passage: Passage, hit: Hit) -> Passage:
        """The passage of a hit with its ranks and the reasons for its place, the most telling
        first.
        """
        chunk_id = hit.stored.chunk.id
        return replace(
            passage,
            dense=self.dense.get(chunk_id),
            sparse=self.sparse.get(chunk_id),
            why=tuple(self._reasons(hit)),
        )

    def _reasons(self, hit: Hit) -> Iterator[str]:
        chunk_id = hit.stored.chunk.id
        if chunk_id in self.candidates.quoted:
            yield "has the question word for word, and such passages come first"
        sides = (("by meaning", self.dense), ("by words", self.sparse))
        places = (
            f"{ordinal(rank.rank)} {how} ({rank.score:.3f})" if rank else f"not found {how}"
            for how, rank in ((how, ranks.get(chunk_id)) for how, ranks in sides)
        )
        yield f"in the whole search {', '.join(places)}"
        placing = self.candidates.placings.get(chunk_id)
        if placing is not None and placing.of == 1:
            yield "the only passage found of its work"
        elif placing is not None:
            rank = placing.by_words
            yield (
                f"among the {placing.of} passages found of its work "
                f"{ordinal(placing.by_meaning)} by meaning, "
                f"{f'{ordinal(rank)} by words' if rank else 'without its words'}"
            )
        yield from self._matched_words(hit)
        for word, holders in self.candidates.rare.items():
            if chunk_id in {hit.stored.chunk.id for hit in holders}:
                others = len(holders) - 1
                which = "no other passage has" if not others else f"{others} more have"
                yield f"has '{word}', which {which}: such a word keeps a place"
        done = self.candidates.reranked
        ranked = done.ranks.get(chunk_id) if done else None
        if done and ranked:
            first = ordinal(done.before.index(chunk_id) + 1)
            yield (
                f"{ordinal(ranked.rank)} of {done.passages} by {done.model} ({ranked.score:.3f}), "
                f"{first} before"
            )
        before, after = _rank(self.candidates.pool, chunk_id), _rank(self.candidates.hits, chunk_id)
        if before is not None and after is not None and before != after:
            yield f"{ordinal(before)} before the pages took turns and repeated texts were folded"
        if chunk_id in self.candidates.feedback:
            count = len(self.candidates.feedback)
            yield f"one of the {count} passages the question was expanded by"

    def _matched_words(self, hit: Hit) -> Iterator[str]:
        pool = self.candidates.pool
        vector = next((other.sparse for other in pool if other.stored is hit.stored), None)
        if vector is None:
            return
        matched = matched_terms(vector, self.words().term_weights)
        own = self._named(matched.own.keys())
        opening = [word for word in self._named(matched.opening) if word not in own]
        if own:
            yield f"has {_quoted(own)}"
        if opening:
            yield f"its work's opening has {_quoted(opening)}"

    def _named(self, indices: AbstractSet[int]) -> list[str]:
        """The question's words that have their terms among these."""
        words = self.words()
        return [word for word in words.forms if words.has(indices, word)]


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`, `11th`, `21st`."""
    teen = number % 100 in range(11, 14)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _rank(hits: Sequence[Hit], chunk_id: str) -> int | None:
    ids = [hit.stored.chunk.id for hit in hits]
    return ids.index(chunk_id) + 1 if chunk_id in ids else None


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
