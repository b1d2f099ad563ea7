"""The server's side of one client connection."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge, wait
from threading import Lock, Thread
from typing import Any

from citeloom.infrastructure.stores.shared.messages import HEARTBEAT, answer, failure, read_request


class Session:
    """Answers the calls of one client in order until either side closes the connection.

    Nothing is read from a client before the handshake has proved that it knows the key.
    """

    def __init__(
        self,
        connection: Connection,
        key: bytes,
        handle: Callable[[str, tuple[Any, ...]], object],
        stop: Connection,
    ) -> None:
        self._connection = connection
        self._key = key
        self._handle = handle
        self._stop = stop
        self._sending = Lock()
        self._thread = Thread(target=self._run, daemon=True)
        self.busy = False

    @property
    def is_open(self) -> bool:
        """Whether the client may still send calls."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Answer calls in a thread of its own."""
        self._thread.start()

    def send_heartbeat(self) -> None:
        """Send a heartbeat while a call runs, unless its answer is being sent."""
        if self.busy and self._sending.acquire(blocking=False):
            try:
                if self.busy:
                    self._connection.send_bytes(HEARTBEAT)
            except (OSError, ValueError):
                pass
            finally:
                self._sending.release()

    def _run(self) -> None:
        with suppress(EOFError, OSError, AuthenticationError), self._connection:
            self._handshake()
            while self._has_request():
                self.busy = True
                try:
                    self._reply(self._connection.recv_bytes())
                finally:
                    self.busy = False

    def _handshake(self) -> None:
        deliver_challenge(self._connection, self._key)
        answer_challenge(self._connection, self._key)

    def _has_request(self) -> bool:
        ready = wait([self._connection, self._stop])
        return self._stop not in ready

    def _reply(self, message: bytes) -> None:
        reply = self._result(message)
        with self._sending:
            self.busy = False
            self._connection.send_bytes(reply)

    def _result(self, message: bytes) -> bytes:
        try:
            return answer(self._handle(*read_request(message)))
        except EOFError:
            raise
        except Exception as error:  # noqa: BLE001 - any failure is reported to the client
            return failure(error)
