"""Conversations: questions with their answers, and which words a follow-up takes from before."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from citeloom.domain.answers.answer import Answer, Citation, TokenUsage
from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.errors import NotFound
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import Passage, StoredChunk, trim
from citeloom.domain.retrieval.words import WordCoverage, languages_of_question
from citeloom.domain.text.tokens import WORD
from citeloom.domain.text.word_lists import word_list

# Conversations: questions one after another, each with its answer as it was given.

LONGEST_TITLE = 80


class FollowUpMethod(StrEnum):
    """How a question was made self-contained.

    `NONE`: unchanged. `CARRIED`: terms of earlier turns were added. `MODEL`: the answer model
    rewrote it.
    """

    NONE = "none"
    CARRIED = "carried"
    MODEL = "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """The self-contained question, and how it was made.

    `carried` are the terms taken over from earlier turns. `sent_to` and `usage` say where question
    and earlier turns were sent for that, and what it cost; None if nowhere.
    """

    asked: str
    method: FollowUpMethod = FollowUpMethod.NONE
    """How it was made."""
    carried: tuple[str, ...] = ()
    """The terms that were carried over."""
    sent_to: str | None = None
    """The host that question and earlier turns were sent to for that."""
    usage: TokenUsage | None = None
    notes: tuple[str, ...] = ()
    """What else is to be known of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question of a session and its answer, as it can be shown without the index.

    `id` is the question's, `answer_id` the answer's; `answer` holds of each passage the quoted
    words alone.
    """

    id: str
    answer_id: str
    session_id: str
    question: str
    follow_up: FollowUp
    answer: Answer
    asked_at: datetime
    answered_at: datetime

    @property
    def asked(self) -> str:
        return self.follow_up.asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation about one project; `asked` counts its questions, those no longer stored
    included.
    """

    id: str
    """The session."""
    project_id: str
    title: str
    """The first question."""
    created_at: datetime
    """When it began."""
    updated_at: datetime
    """When it was last used."""
    asked: int
    """The number of questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A session with its turns, oldest first; of a long one the last."""

    session: Session
    turns: tuple[Turn, ...] = field(default=())


def begun_with(project_id: str, turn: Turn) -> Conversation:
    """The new session of a project that begins with this turn, named after its question."""
    title, _ = trim(" ".join(turn.question.split()), LONGEST_TITLE)
    session = Session(
        id=turn.session_id,
        project_id=project_id,
        title=title,
        created_at=turn.asked_at,
        updated_at=turn.answered_at,
        asked=1,
    )
    return Conversation(session=session, turns=(turn,))


def no_session(session_id: str) -> NotFound:
    return NotFound(
        f"the project has no session '{session_id}'",
        "`citeloom chat list` shows its sessions.",
    )


# An answer as it is stored: the words that it quotes, and the locators of the rest.

MOST_PASSAGES = 20
LONGEST_QUOTE = 2_000
_LONGEST_PASSAGE = 200
_MOST_NAMES = 20
_LONGEST_VALUE = 500


def excerpt(answer: Answer) -> Answer:
    """The answer reduced to its quotes, as it is stored and shown.

    A cited passage is reduced to the quoted words, with their own locator; of the passages read,
    the first words of the first twenty stay. Sentences that were left out have no citations.
    """
    return replace(
        answer,
        sentences=tuple(
            replace(sentence, citations=tuple(map(_citation, sentence.citations)))
            for sentence in answer.sentences
        ),
        unverified=tuple(replace(sentence, citations=()) for sentence in answer.unverified),
        works=tuple(map(_work, answer.works)),
        passages=tuple(map(_passage, answer.passages[:MOST_PASSAGES])),
    )


def _citation(citation: Citation) -> Citation:
    start = citation.start
    end = min(citation.end, start + LONGEST_QUOTE)
    chunk = citation.stored.chunk.between(start, end)
    return replace(citation, stored=_small(citation.stored, chunk), start=0, end=end - start)


def _passage(passage: Passage) -> Passage:
    chunk = passage.stored.chunk
    text, _ = trim(chunk.text, _LONGEST_PASSAGE)
    begun = replace(chunk, text=text, page_starts=(), boxes=(), heading_context=())
    return replace(
        passage,
        stored=_small(passage.stored, begun),
        text=text,
        trimmed=True,
        before=(),
        after=(),
        duplicates=(),
    )


def _small(stored: StoredChunk, chunk: Chunk) -> StoredChunk:
    return replace(
        stored,
        chunk=chunk,
        citation=_work(stored.citation) if stored.citation else None,
        metadata={
            name: value
            for name, value in list(stored.metadata.items())[:_MOST_NAMES]
            if len(str(value)) <= _LONGEST_VALUE
        },
    )


def _work(work: CitationMeta) -> CitationMeta:
    return replace(
        work,
        title=trim(work.title, _LONGEST_VALUE)[0],
        authors=tuple(trim(name, _LONGEST_VALUE)[0] for name in work.authors[:_MOST_NAMES]),
        tags=work.tags[:_MOST_NAMES],
        collections=(),
    )


# Words by which a question leans on what was said before: English, German and Portuguese.

OPENINGS = re.compile(
    r"\s*(?:and|but|or|also|what about|how about|what else|anything else|why not|which ones?\b"
    r"|und|aber|oder|auch|sonst|was ist mit|wie ist es (?:mit|bei)|wie sieht es|wie steht es"
    r"|was noch|warum nicht|wieso nicht"
    r"|e|mas|ou|também|quanto a|que tal|o que mais|por que não|e se)\b",
    re.IGNORECASE,
)
"""How an elliptic question begins."""
REFERRING = re.compile(
    r"\b(?:"
    # A pronoun that is often something else: at the end, or behind a word that wants an object.
    r"(?:for|of|with|by|in|on|about|than|like|from|is|was|does|do|did|why|how) that\b"
    r"|that(?=\W*$)|das(?=\W*$)|(?:ist|war|geht|heißt|macht|bedeutet|tut) das\b(?! [^\W\d_]+)"
    # The work at hand, by its kind.
    r"|the (?:authors?|paper|article|study|work|book|tool|package|library|course|project|software)"
    r"|(?:der|die|das|den|dem|des) (?:autor(?:en|s|in)?|artikels?|studie|arbeit|buch(?:es)?"
    r"|werkzeugs?|pakets?|kurs(?:es)?|projekts?)"
    r"|(?:d?[oa]s?|n[oa]s?) (?:autor(?:es|a)?|artigo|estudo|trabalho|livro|ferramenta|pacote|curso"
    r"|projeto)"
    r")\b(?!['\u2019]|,? (?:of|on|for|by|who|that|which|whose"
    r"|von|zu|über|der|die|das|de|d[oa]s?|que|sobre)\b| (?-i:[A-Z]))",
    re.IGNORECASE,
)
"""Phrases that refer to what was said before, unless they go on to say what they mean."""
EXPLETIVES = re.compile(
    r"\b(?:(?:is|was|would|be) it (?:\w+ )?(?:possible|necessary|important|common|better|best|easy"
    r"|hard|difficult|true|worth|enough|useful)(?! than)"
    r"|(?:does|did|will|would) it (?:take|cost|mean) (?:\w+ ){0,3}to"
    r"|gibt es|es gibt|ist es (?:möglich|nötig|wichtig|besser|wahr|üblich)|handelt es sich"
    r"|geht es um)\b",
    re.IGNORECASE,
)
"""Where `it` and `es` stand for nothing."""
IT = frozenset({"it", "es"})
"""Words that stand for something, save where they are expletives."""
FORMAL = frozenset({"Sie", "Ihr", "Ihre", "Ihrem", "Ihren", "Ihrer", "Ihnen"})
"""German for `you`, which only its capital tells from `they`."""
DEFINING = re.compile(
    r"\W*(?:(?:and|und|e) )?(?:what(?: is| are|'s)|who (?:is|are|was)|was (?:ist|sind)"
    r"|wer (?:ist|war|sind)|o que (?:é|são|e)|quem (?:é|foi|são)|define|tell me about"
    r"|was bedeutet) (?!(?:the|a|an|mit)\b)",
    re.IGNORECASE,
)
"""How one asks what something named is, which makes it the subject."""

# Whether a question needs what was said before it, and what of that it needs.

_LANGUAGES = ("en", "de", "pt")
_DOTTED = re.compile(r"\w{2,}\.[^\W\d_]\w*")
_LETTERED = re.compile(r"[^\W\d_]-[^\W\d_]{3,}")
_STEM = 5


_FEW_WORDS = 3
"""So many content words still name no subject."""
_MOST_TERMS, _BESIDE_NAMES = 6, 2
"""How many terms are carried at most, also beside a question that has names of its own."""


def is_follow_up(question: str, *, few_words: int = _FEW_WORDS) -> bool:
    if _refers(question, few_words):
        return True
    content = content_words(question)
    if content and DEFINING.match(question):
        return False
    if OPENINGS.match(question):
        return True
    return not names(question) and len(content) <= few_words


def carried_terms(
    question: str, before: str, wording: WordCoverage, *, most_terms: int = _MOST_TERMS
) -> tuple[str, ...]:
    """The names and rarest words of the question asked before, in their order there, that the
    question itself has not. `wording` is how that question stands in the library.
    """
    own = {_stem(word) for word in WORD.findall(question)}
    named = names(before)
    known = dict.fromkeys(
        word for word in (*named, *content_words(before)) if _stem(word) not in own
    )
    by_weight = sorted(known, key=lambda word: (word not in named, -wording.weights.get(word, 0.0)))
    most = _BESIDE_NAMES if names(question) else most_terms
    chosen = set(by_weight[:most])
    return tuple(dict.fromkeys(word for word in WORD.findall(before) if word in chosen))


def with_terms(question: str, terms: tuple[str, ...]) -> str:
    return f"{question} ({', '.join(terms)})" if terms else question


def content_words(question: str) -> list[str]:
    """The words of a question that carry content, without names and numbers."""
    empty = _words_of("no subject", question)
    empty |= _words_of("anaphor", question)
    return [
        word
        for word in WORD.findall(question)
        if len(word) > 1 and word.casefold() not in empty and not word.isnumeric()
    ]


def names(question: str) -> list[str]:
    """The words of a question that name something: with a capital behind its first letter, with
    letters and digits, or with a capital behind the first word where that means a name.
    """
    words = WORD.findall(question)
    german = "de" in languages_of_question(question)
    empty = _words_of("no subject", question)
    return [
        word
        for place, word in enumerate(words)
        if _looks_like_a_name(word)
        or (place and not german and word[0].isupper() and word.casefold() not in empty)
    ]


def _refers(question: str, few_words: int) -> bool:
    """Whether a word stands for something said before, and not for something in the question."""
    anaphors = _words_of("anaphor", question) | IT
    if EXPLETIVES.search(question):
        anaphors -= IT
    phrases = {match.start() for match in REFERRING.finditer(question)}
    named, content = set(names(question)), set(content_words(question))
    passed = 0
    for match in WORD.finditer(question):
        word = match[0]
        if match.start() in phrases or (word.casefold() in anaphors and word not in FORMAL):
            return True
        passed += word in content
        if word in named or passed > few_words:
            return False
    return False


def _looks_like_a_name(word: str) -> bool:
    """Whether a word is written as no other word is: `nbGrader`, `h5py`, `causal.jl`, `k-means`."""
    letters = any(char.isalpha() for char in word)
    digits = any(char.isdigit() for char in word)
    capital = any(char.isupper() for char in word[1:])
    formed = _DOTTED.fullmatch(word) or (_LETTERED.fullmatch(word) and word.casefold() != "e-mail")
    return capital or (letters and digits) or bool(formed)


def _words_of(section: str, question: str) -> frozenset[str]:
    """The words of a list in the languages that a question is in, in all where none tells."""
    languages = [code for code in languages_of_question(question) if code in _LANGUAGES]
    return word_list(section, *(languages or _LANGUAGES))


def _stem(word: str) -> str:
    return word.casefold()[:_STEM]
