"""One connection to a server of a collection."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge, wait
from threading import Lock, Thread
from typing import Any

from citeloom.infrastructure.stores.shared.messages import PULSE, answer, failure, read_request

_SECONDS_TO_GREET = 10.0


class Session:
    """Answers the calls of one connection, in their order, until either side ends it.

    The other side proves that it knows the key before anything it says is read.
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
        """Whether the other side may still ask."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Answer call after call, in a thread."""
        self._thread.start()

    def pulse(self) -> None:
        """Say that the call is being worked on, unless its answer is on the way."""
        if self.busy and self._sending.acquire(blocking=False):
            try:
                if self.busy:
                    self._connection.send_bytes(PULSE)
            except (OSError, ValueError):
                pass
            finally:
                self._sending.release()

    def _run(self) -> None:
        with suppress(EOFError, OSError, AuthenticationError), self._connection:
            self._greet()
            while self._is_asked():
                self.busy = True
                try:
                    self._reply(self._connection.recv_bytes())
                finally:
                    self.busy = False

    def _greet(self) -> None:
        deliver_challenge(self._connection, self._key)
        answer_challenge(self._connection, self._key)

    def _is_asked(self) -> bool:
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
        except Exception as error:  # noqa: BLE001 - whatever it is, who asked is to know
            return failure(error)
