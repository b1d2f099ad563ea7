"""A service on the loopback interface, in a thread of its own."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a service that answers until this ends, and waits for no answer then."""
    server = _Server(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class JsonHandler(BaseHTTPRequestHandler):
    """Reads what is posted, and begins replies; says nothing of it on stderr."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.reply_to(self.path, headers, json.loads(self.rfile.read(length)))

    def reply_to(self, path: str, headers: Mapping[str, str], posted: Any) -> None:
        """Answer what was posted; names of headers are in small letters."""
        raise NotImplementedError

    def begin_reply(self, status: int, headers: Mapping[str, str], length: int) -> None:
        """Send everything but the body."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Who asked is gone, which is no error of the service."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)
