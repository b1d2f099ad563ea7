"""Conversations: questions one after another, each with its answer as it was given."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from citeloom.domain.answers.answer import Answer
from citeloom.domain.answers.usage import TokenUsage
from citeloom.domain.errors import NotFound
from citeloom.domain.passage import trim

MOST_TURNS = 200
"""The turns of a session that are kept; of a longer one the last."""
LONGEST_TITLE = 80


class FollowUpMethod(StrEnum):
    """How a question was made self-contained.

    `NONE`: it was asked as it stands. `CARRIED`: terms of earlier turns were added. `MODEL`: the
    answer model wrote it anew.
    """

    NONE = "none"
    CARRIED = "carried"
    MODEL = "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """What was really asked, and how that was made of the question.

    `carried` are the terms taken over from earlier turns. `sent_to` and `usage` say where question
    and earlier turns were sent for that, and what it cost; None if nowhere.
    """

    asked: str
    method: FollowUpMethod = FollowUpMethod.NONE
    carried: tuple[str, ...] = ()
    sent_to: str | None = None
    usage: TokenUsage | None = None
    notes: tuple[str, ...] = ()


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
        """The self-contained question that was answered."""
        return self.follow_up.asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation about one project; `asked` counts its questions, also those not kept."""

    id: str
    project_id: str
    title: str
    created_at: datetime
    updated_at: datetime
    asked: int


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
    """The error for a session that the project has not, or not any more."""
    return NotFound(
        f"the project has no session '{session_id}'",
        "`citeloom chat list` shows its sessions.",
    )
