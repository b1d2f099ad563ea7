"""Turns of conversations, with answers of every kind."""

from __future__ import annotations

from datetime import timedelta

from citeloom.domain.answers.answer import Answer, Citation, Fault, Sentence, TokenUsage
from citeloom.domain.answers.messages import AnswerLanguage, AnswerWording
from citeloom.domain.answers.quotes import QuoteMatch
from citeloom.domain.answers.relevance import UNCALIBRATED, Relevance, Verdict
from citeloom.domain.answers.session import FollowUp, FollowUpMethod, Turn
from citeloom.domain.chunks.chunk import AnnotationRef, Chunk, ChunkKind
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import Passage, Ranked, StoredChunk
from citeloom.domain.retrieval.words import WordCoverage
from tests.fakes.clock import NOON

TEXT = "Rye was sown in September. \u201cIt grew,\u201d they say: 3 cm a week, ﬁne and ☘ green."
RYE = CitationMeta(
    citekey="rye2001", title="On rye", authors=("Roe, Ann", "Öz, Bo"), year=2001, tags=("rye",)
)


def stored(text: str = TEXT, *, index: int = 0) -> StoredChunk:
    """A chunk on two pages, the second from its 27th character, with printed labels."""
    chunk = Chunk(
        id=f"c{index}",
        doc_id="d1",
        text=text,
        page_span=(4, 5),
        page_labels=("iv", "v"),
        page_starts=(27,),
        section_path=("Methods", "Sowing"),
        chunk_idx=index,
        token_count=20,
        signal_to_noise=0.9,
        heading_context=("Methods",),
    )
    return StoredChunk(
        project_id="lab/rye",
        chunk=chunk,
        source_path="papers/rye.pdf",
        citation=RYE,
        metadata={"module": "M1", "count": 3, "share": 0.5, "open": True, "tags": ("a", "b")},
    )


def note() -> StoredChunk:
    """A note in Zotero, which has paragraphs and no pages, on a work without a reference."""
    chunk = Chunk(
        id="n1",
        doc_id="d2",
        text="Compare with oats.",
        paragraphs=(Paragraph(section="2", number=1), Paragraph(section="2", number=2)),
        chunk_idx=0,
        token_count=4,
        signal_to_noise=1.0,
        kind=ChunkKind.NOTE,
        mark=AnnotationRef(key="ABCD2345", fingerprint="f", quotes=False),
    )
    return StoredChunk(
        project_id="lab/rye",
        chunk=chunk,
        source_path="zotero/n",
        attachment_key="AAAA1111",
        zotero_library="library",
    )


def answer(question: str = "When was rye sown?", *, project: str = "lab/rye") -> Answer:
    """An answer by a model, with a sentence left out."""
    cited = (
        Citation(stored=stored(), start=0, end=26),
        Citation(stored=stored(), start=27, end=60, match=QuoteMatch.NEAR, share=0.9),
        Citation(stored=note(), start=0, end=7),
    )
    weights = {"rye": 2.5, "sown": 4.5}
    return Answer(
        project=project,
        question=question,
        method="openai/served",
        sent_to="localhost:11434",
        relevance=Relevance(
            verdict=Verdict.RELATED,
            similarity=0.41,
            thresholds=UNCALIBRATED,
            calibrated=False,
            wording=WordCoverage(
                weights=weights, unknown=frozenset({"sown"}), names=frozenset({"rye"})
            ),
            reasons=("nowhere in the library: sown",),
        ),
        sentences=(
            Sentence(text="Rye was sown in September.", citations=cited[:1], shown=True),
            Sentence(text="They say it grew.", citations=cited[1:], shown=True),
        ),
        unverified=(Sentence(text="In May.", citations=cited[:1], faults=(Fault.OTHER_WORDS,)),),
        claimed_quotes=4,
        passages=(
            Passage(
                stored=stored(),
                score=0.7,
                text=TEXT,
                dense=Ranked(rank=1, score=0.6),
                before=(note(),),
            ),
            Passage(stored=note(), score=0.5, text="Compare with oats."),
        ),
        notes=("the collection is not calibrated",),
        wording=AnswerWording(language=AnswerLanguage.GERMAN, prefix="ANTWORT: "),
        usage=TokenUsage(prompt=100, reply=20, estimated=True),
        duration_ms=12.5,
        correlation_id="abc",
    )


def turn(
    question: str = "When was rye sown?",
    *,
    session: str = "s1",
    number: int = 1,
    carried: tuple[str, ...] = (),
) -> Turn:
    """The turn of that number of a session, a minute after the one before."""
    at = NOON + timedelta(minutes=number)
    asked = f"{question} ({', '.join(carried)})" if carried else question
    return Turn(
        id=f"{session}-q{number}",
        answer_id=f"{session}-a{number}",
        session_id=session,
        question=question,
        follow_up=FollowUp(
            asked=asked,
            method=FollowUpMethod.CARRIED if carried else FollowUpMethod.NONE,
            carried=carried,
        ),
        answer=answer(asked),
        asked_at=at,
        answered_at=at + timedelta(seconds=2),
    )
