"""A service with OpenAI's chat completions API on the loopback interface, replying by a rule."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def reply_to(user: str) -> str:
    """What the model says: true, negated, loose and made-up sentences about the first passages.

    Of a prompt without passages, such as one to rewrite a question, it repeats the question.
    """
    asked = _object(user)
    passages = asked.get("passages")
    if not isinstance(passages, list):
        return json.dumps({"question": asked.get("question", "")})
    sentences = []
    for passage in passages[:2]:
        quote = max(passage["text"].replace("\n", " ").split(". "), key=len)
        words = [{"passage": passage["id"], "quote": quote}]
        negated = quote.replace(" was ", " was not ").replace(" are ", " are not ")
        sentences += [
            {"text": f"{quote.rstrip('.')}.", "quotes": words},
            {"text": f"{negated.rstrip('.')}, 99 times.", "quotes": words},
            {"text": "It is as the passage says.", "quotes": words},
        ]
    made_up = [{"passage": "p1", "quote": "a collar of pure gold"}]
    return json.dumps(
        {"sentences": [*sentences, {"text": "It was gold.", "quotes": made_up}]}, ensure_ascii=False
    )


class ChatService:
    """The bodies of the requests that came, until they are taken."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._requests: list[Any] = []

    def add(self, request: Any) -> None:
        self._requests.append(request)

    def take(self) -> list[Any]:
        """The requests since the last time."""
        taken, self._requests = self._requests, []
        return taken


@contextmanager
def serving() -> Iterator[ChatService]:
    """A service that listens until this ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            service.add(request)
            text = reply_to(request["messages"][-1]["content"])
            usage = {"prompt_tokens": 100, "completion_tokens": 50}
            choices = (
                [{"index": 0, "delta": {"role": "assistant", "content": text}}],
                [{"index": 0, "delta": {}, "finish_reason": "stop"}],
            )
            events = [*({"choices": c} for c in choices), {"choices": [], "usage": usage}]
            lines = [f"data: {json.dumps(event)}\n\n" for event in events]
            body = "".join([*lines, "data: [DONE]\n\n"]).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service = ChatService(server.server_address[1])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
