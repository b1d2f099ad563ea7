"""Progress of a call, sent to a client that asks for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.context import ServerRequestContext

from citeloom.application.events import AnswerEvents, NoProgress
from citeloom.application.jobs import Job, JobEvent
from citeloom.domain.answers.answer import Answer, Sentence
from citeloom.infrastructure.answers.text import one_line

SILENCE_SECONDS = 10.0
"""A client hears something at least that often, so that it does not give up."""


class CallProgress:
    """Sends a client that asks what a call is doing, and repeats it while nothing else happens."""

    def __init__(self, context: ServerRequestContext[Any, Any]) -> None:
        self.is_wanted = bool(context.meta and "progress_token" in context.meta)
        self._session = context.session
        self._loop = asyncio.get_running_loop()
        self._messages: asyncio.Queue[str | None] = asyncio.Queue()
        self._sent = 0

    def say(self, message: str) -> None:
        """Send a message, from any thread; in vain once the loop has ended."""
        if self.is_wanted and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._messages.put_nowait, message)

    @asynccontextmanager
    async def sending(self) -> AsyncIterator[None]:
        """While this lasts, messages are sent; at its end all of them are."""
        if not self.is_wanted:
            yield
            return
        task = asyncio.create_task(self._send())
        try:
            yield
        finally:
            self._messages.put_nowait(None)
            await task

    async def _send(self) -> None:
        last = "working"
        while True:
            try:
                message = await asyncio.wait_for(self._messages.get(), SILENCE_SECONDS)
            except TimeoutError:
                message = last
            if message is None:
                return
            self._sent, last = self._sent + 1, message
            await self._session.report_progress(self._sent, None, one_line(message)[:300])


class AnswerProgress(AnswerEvents):
    """Says of an answer what was found, and each sentence once it is checked."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._sentences = 0

    def found(self, answer: Answer) -> None:
        verdict = answer.relevance.verdict.value
        self._say(f"{len(answer.passages)} passages found ({verdict}); answering")

    def shown(self, sentence: Sentence) -> None:
        self._sentences += 1
        self._say(f"sentence {self._sentences} checked, with {len(sentence.citations)} citations")


class SentenceProgress(NoProgress):
    """Says how many sentences of a draft have been searched for."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._total = self._done = 0

    def start(self, total: int) -> None:
        self._total = total

    def advance(self, document: str, outcome: str) -> None:
        del document, outcome
        self._done += 1
        self._say(f"{self._done} of {self._total} sentences searched")


def job_progress(job: Job, events: Sequence[JobEvent]) -> str:
    """Where a job is: the document in hand, its pages, and the documents that are done."""
    named = [event for event in events if event.document]
    latest = f"{named[-1].document}: {named[-1].detail}; " if named else ""
    counts = job.counts
    return f"{latest}{counts.pages} pages, {counts.done} of {counts.total} documents done"
