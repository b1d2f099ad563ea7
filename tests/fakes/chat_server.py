"""A service with OpenAI's chat completions API on the loopback interface, that streams replies as a
test says.
"""

from __future__ import annotations

import json
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from io import BufferedIOBase
from typing import Any

from citeloom.infrastructure.answering import (
    OpenAiAnswerModel,
    ReplyLimits,
)
from citeloom.infrastructure.remote.endpoint import ServiceEndpoint
from citeloom.infrastructure.remote.service import RemoteService
from tests.fakes.answer_model import obeying, pieces_of
from tests.fakes.loopback import listening

KEY = "sk-sEcReTkEyOfTheUser"
DONE = b"data: [DONE]\n\n"
Json = dict[str, Any]
Events = Iterable[bytes]


@dataclass(frozen=True, kw_only=True)
class Turn:
    """How a request is answered: with a status and a body, or with changed events.

    `drop` closes the connection without a word, `cut` in the middle of the stream; `silent` are the
    seconds before anything is said, `late` those before the first event.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    change: Callable[[list[bytes]], Events] = field(default=lambda events: events)
    drop: bool = False
    cut: bool = False
    silent: float = 0.0
    late: float = 0.0


@dataclass(frozen=True)
class AskedChat:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Json

    @property
    def user(self) -> str:
        """The message with the question and its passages."""
        content: str = self.body["messages"][1]["content"]
        return content

    @property
    def system(self) -> str:
        """The instructions."""
        content: str = self.body["messages"][0]["content"]
        return content


@dataclass(kw_only=True)
class ChatService:
    """What the service does, and what it was asked; its own reply obeys every passage."""

    key: str = ""
    reply: Callable[[str], str] = obeying
    piece: int = 40
    asked: list[AskedChat] = field(default_factory=list)
    turns: deque[Turn] = field(default_factory=deque)
    left: threading.Event = field(default_factory=threading.Event)
    """Set when a client closed the connection before its reply had ended."""

    def then(self, *turns: Turn) -> None:
        """The next requests are answered so, one turn each."""
        self.turns.extend(turns)

    def turn(self, asked: AskedChat) -> Turn:
        """The answer to a request."""
        self.asked.append(asked)
        if self.key and asked.headers.get("authorization") != f"Bearer {self.key}":
            return Turn(status=401, body=b'{"error": {"message": "Incorrect API key"}}')
        return self.turns.popleft() if self.turns else Turn()

    def events(self, asked: AskedChat) -> list[bytes]:
        """The events of the right reply."""
        text = self.reply(asked.user)
        usage = {"prompt_tokens": 100, "completion_tokens": len(text) // 4}
        return [
            event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}),
            *map(said, pieces_of(text, self.piece)),
            finished("stop"),
            event({"choices": [], "usage": usage}),
            DONE,
        ]


def event(data: Json) -> bytes:
    """A server-sent event."""
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


def said(text: str) -> bytes:
    """The event of a piece of text."""
    return event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})


def finished(reason: str) -> bytes:
    """The event that ends a reply."""
    return event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})


def error(message: str, code: str = "scripted") -> bytes:
    """The report of an error."""
    return json.dumps({"error": {"message": message, "code": code}}).encode()


@dataclass(frozen=True)
class ServedChat:
    """A service and its address."""

    service: ChatService
    url: str

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://").removesuffix("/v1")

    def model(
        self, *, first_seconds: float = 5.0, seconds: float = 10.0, key: str = KEY
    ) -> OpenAiAnswerModel:
        """A model of the service."""
        endpoint = ServiceEndpoint(
            model="openai/served",
            base_url=self.url,
            place=("answers",),
            timeout=seconds,
            key=key,
            variable="SERVED_API_KEY",
        )
        limits = ReplyLimits(tokens=500, first_seconds=first_seconds, seconds=seconds)
        service = RemoteService(endpoint, first_pause=0.01)
        return OpenAiAnswerModel("served", service=service, limits=limits)


@contextmanager
def chat_server(service: ChatService | None = None) -> Iterator[ServedChat]:
    """A service that listens until this ends."""
    serving = service or ChatService()
    with listening(_handler(serving)) as url:
        yield ServedChat(serving, f"{url}/v1")


def _handler(service: ChatService) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # as services that stream do

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = AskedChat(self.path, headers, json.loads(self.rfile.read(length)))
            turn = service.turn(asked)
            if turn.silent and select.select([self.connection], [], [], turn.silent)[0]:
                service.left.set()
            if turn.drop:
                self.close_connection = True
            elif turn.body is not None:
                self._whole(turn, turn.body)
            else:
                self._stream(turn, turn.change(service.events(asked)))

        def _whole(self, turn: Turn, body: bytes) -> None:
            self.send_response(turn.status)
            for name, value in turn.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, turn: Turn, events: Events) -> None:
            self.send_response(turn.status)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            time.sleep(turn.late)
            _write(self.wfile, events, service.left)
            if turn.cut:
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *_: object) -> None: ...

    return Handler


def _write(stream: BufferedIOBase, events: Events, left: threading.Event) -> None:
    try:
        for data in events:
            stream.write(b"%x\r\n%s\r\n" % (len(data), data))
    except ConnectionError:
        left.set()
        raise
