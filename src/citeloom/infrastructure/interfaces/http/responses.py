"""What routes are made of: JSON or events of an answer, lists in parts, calls in threads."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial, wraps
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Path, Query, Request
from fastapi.sse import format_sse_event
from pydantic import Field
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from citeloom.application.events import AnswerEvents
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.answers.answer import Answer, Sentence
from citeloom.domain.errors import CiteloomError, InvalidFilter
from citeloom.infrastructure.answers.ask import FoundAnswer, SentencesInTurn
from citeloom.infrastructure.answers.json import Shape, json_text
from citeloom.infrastructure.answers.model import Door, Model
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.problems import problem_of, refusal_for
from citeloom.infrastructure.interfaces.http.served_library import (
    ServedLibrary,
    request_id_of,
    service_of,
)
from citeloom.infrastructure.interfaces.request_models import Arguments, OfProject, Project
from citeloom.infrastructure.library.project import ProjectLibrary

# Answers of the library as JSON, without the places of files on this machine.

Responses = dict[int | str, dict[str, Any]]
"""What a route answers by status, for its documentation."""


class JsonAnswer(Response):
    """The documented JSON, escaped as everywhere."""

    media_type = "application/json"

    def __init__(
        self,
        content: object,
        door: Door,
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._door = door
        super().__init__(content, status_code, headers)

    def render(self, content: object) -> bytes:
        return json_text(content, self._door, indent=None).encode()


# Answers as they come about: whole, or by server-sent events.

EVENT_STREAM = "text/event-stream"


def events_described(description: str) -> Responses:
    """The events that a route answers."""
    schema = {
        "type": "object",
        "description": description,
        "properties": {name: {"type": "string"} for name in ("event", "data", "id")},
        "required": ["event", "data", "id"],
    }
    return {200: {"content": {EVENT_STREAM: {"schema": schema}}}}


EVENTS = events_described(
    "Events `passages`, `sentence` (each as soon as it is checked) and `answer`, which is the "
    "JSON; or `error`, a problem. `data` is their JSON."
)
"""What else than JSON a route answers that makes an answer."""

Make = Callable[[AnswerEvents, Cancellation], object]
AnswerEvent = tuple[str, object]
"""The name of an event, and what it tells."""
HEARTBEAT_SECONDS = 15.0
_CLIENT_GONE = 499
_log = logging.getLogger(__name__)


def wants_events(request: Request, stream: bool) -> bool:
    return stream or EVENT_STREAM in request.headers.get("accept", "")


def shape_of(project: ProjectLibrary, name: str | None) -> Shape | None:
    """The project's shape of that name. Raises `InvalidFilter` if it has none."""
    shapes = project.info.shapes.get(project.project.id, {})
    if name is None or name in shapes:
        return shapes.get(name or "")
    raise InvalidFilter(
        f"the project has no shape '{name}'", f"There are {', '.join(shapes) or 'none'}."
    )


class AnswerInProgress(AnswerEvents):
    """An answer that a thread makes, in the lane of answers or another one. When its client is gone
    or its time is up, so does the call of a model or of Pandoc end.
    """

    def __init__(
        self,
        service: ServedLibrary,
        request: Request,
        lane: Calls | None = None,
        seconds: float | None = None,
    ) -> None:
        self._service = service
        self._lane = lane or service.answers
        self._seconds = seconds or service.limits.ask_seconds
        self._request = request
        self._loop = asyncio.get_running_loop()
        self._outcomes: asyncio.Queue[AnswerEvent | Exception] = asyncio.Queue()
        self._cancellation = Cancellation()
        self._sentences: SentencesInTurn | None = None
        self._making: asyncio.Task[None] | None = None

    def found(self, answer: Answer) -> None:
        self._sentences = SentencesInTurn(answer.passages)
        self._send("passages", FoundAnswer.of(answer))

    def shown(self, sentence: Sentence) -> None:
        assert self._sentences is not None
        self._send("sentence", self._sentences.next(sentence))

    async def each(self, make: Make) -> AsyncIterator[AnswerEvent]:
        """What is told as the answer is made, last of all the answer. Raises what making it
        raises.
        """
        self._making = asyncio.create_task(self._made(make))
        try:
            name = ""
            while name != "answer":
                outcome = await self._outcomes.get()
                if isinstance(outcome, Exception):
                    raise outcome
                name = outcome[0]
                yield outcome
        finally:
            self._end()

    async def answered(self, make: Make, *, stream: bool = False) -> Response:
        """The answer that is made, as JSON; as events, if asked for, once there are passages.

        Raises what making it raises, as long as no event was sent.
        """
        self._making = asyncio.create_task(self._made(lambda *given: self._json(make(*given))))
        disconnected = asyncio.create_task(_disconnected(self._request))
        try:
            while isinstance(outcome := await self._next(disconnected), tuple):
                if stream or outcome[0] == "answer":
                    break
        except BaseException:
            self._end()
            raise
        finally:
            disconnected.cancel()
        if stream and isinstance(outcome, tuple):
            return _EventStream(self._events(outcome), self._end)
        self._end()
        if isinstance(outcome, Exception):
            raise outcome
        if outcome is None:
            return Response(status_code=_CLIENT_GONE)
        return Response(str(outcome[1]), media_type="application/json")

    def _send(self, event: str, fields: object) -> None:
        """Tell the event loop, from the thread that makes the answer."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._outcomes.put_nowait, (event, fields))

    def _json(self, fields: object) -> str:
        return json_text(fields, self._service.door, indent=None)

    async def _made(self, make: Make) -> None:
        """Make the answer in a thread, and tell how that ended."""
        try:
            answer = await self._lane.run(lambda: make(self, self._cancellation), self._seconds)
            self._outcomes.put_nowait(("answer", answer))
        except Exception as error:  # noqa: BLE001 - it is raised, or told, where it is awaited
            self._outcomes.put_nowait(error)
        finally:
            self._cancellation.request()

    async def _next(self, disconnected: asyncio.Task[None]) -> AnswerEvent | Exception | None:
        """What is told next; None if the client is gone."""
        outcome = asyncio.create_task(self._outcomes.get())
        await asyncio.wait({outcome, disconnected}, return_when=asyncio.FIRST_COMPLETED)
        if outcome.done():
            return outcome.result()
        outcome.cancel()
        return None

    async def _events(self, first: AnswerEvent) -> AsyncIterator[bytes]:
        """The events, the first of which is known, with a comment while a model is silent."""
        outcome: AnswerEvent | Exception | None = first
        number = 0
        while True:
            if outcome is None:
                yield format_sse_event(comment="still writing")
            else:
                number += 1
                kind, told = self._problem(outcome) if isinstance(outcome, Exception) else outcome
                text = told if isinstance(told, str) else self._json(told)
                yield format_sse_event(data_str=text, event=kind, id=str(number))
                if kind in {"answer", "error"}:
                    return
            try:
                outcome = await asyncio.wait_for(self._outcomes.get(), HEARTBEAT_SECONDS)
            except TimeoutError:
                outcome = None

    def _problem(self, error: Exception) -> AnswerEvent:
        request_id = request_id_of(self._request)
        if not isinstance(error, CiteloomError):
            _log.error("an answer failed", exc_info=error, extra={"request_id": request_id})
        problem = problem_of(refusal_for(error, self._service.paths), request_id)
        return "error", json_text(problem, indent=None)

    def _end(self) -> None:
        self._cancellation.request()
        if self._making is not None:
            self._making.cancel()


class _EventStream(StreamingResponse):
    """Events as they are sent; `end` is called when no more can be, or will."""

    def __init__(self, events: AsyncIterator[bytes], end: Callable[[], None]) -> None:
        super().__init__(events, media_type=EVENT_STREAM)
        self._end = end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._end()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


PREFIX = "/api/v1"


Served = Annotated[ServedLibrary, Depends(service_of)]
RequestId = Annotated[str, Depends(request_id_of)]

ProjectParameter = Annotated[Project, Query(description="The id of the project.")]
Identifier = Annotated[str, Path(min_length=1, max_length=300)]
ModelT = TypeVar("ModelT", bound=Model)
T = TypeVar("T")


class Pagination(Arguments):
    """Which entries of a list are answered."""

    limit: int = Field(default=50, ge=1, le=500, description="Most entries.")
    offset: int = Field(default=0, ge=0, le=10_000_000, description="Entries to leave out.")

    def of(
        self,
        kind: type[ModelT],
        entries: Sequence[T],
        entry: Callable[[T], object] = lambda entry: entry,
        **further: object,
    ) -> ModelT:
        items = tuple(map(entry, entries[self.offset : self.offset + self.limit]))
        return kind(
            total=len(entries), offset=self.offset, count=len(items), items=items, **further
        )


class ProjectPagination(Pagination, OfProject):
    """A project, and which entries of a list of it are answered."""


def in_thread(
    *,
    seconds: Callable[[ServedLibrary, Mapping[str, Any]], float] | None = None,
    scrubbed: bool = False,
    reading: bool = False,
) -> Callable[[Callable[..., object]], Callable[..., Awaitable[Response]]]:
    """Makes a route of a function that asks the library of its `service`: it runs in a thread of
    its own, as many `seconds` as those of the service and what is given allow. Its answer is the
    documented JSON; one that is `scrubbed` holds messages and paths, in which no place of this
    machine is left. One that is `reading` runs in the lane of those that read many passages.
    """

    def decorate(function: Callable[..., object]) -> Callable[..., Awaitable[Response]]:
        @wraps(function)
        async def respond(*, service: ServedLibrary, **given: Any) -> Response:
            call = partial(function, service=service, **given)

            def answer() -> Response:
                value = call()
                if isinstance(value, Response):
                    return value
                return JsonAnswer(service.paths.value(value) if scrubbed else value, service.door)

            limit = seconds(service, given) if seconds else None
            return await service.run(answer, limit, service.reading if reading else None)

        return respond

    return decorate
