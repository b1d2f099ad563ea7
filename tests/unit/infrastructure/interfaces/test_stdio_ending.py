"""The end of the MCP server over stdio, which the client and a signal may ask for at once."""

from __future__ import annotations

import threading
from typing import cast

from citeloom.infrastructure.interfaces.calls import LibraryService
from citeloom.infrastructure.interfaces.mcp.stdio import Ending

PATIENCE = 10.0


class SlowState:
    """A state whose jobs take until `go` to stop."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        self.closed = 0

    def close(self) -> None:
        self.begun.set()
        assert self.go.wait(PATIENCE)
        self.closed += 1


def test_whoever_asks_second_waits_until_all_is_closed_and_closes_nothing() -> None:
    state, firsts = SlowState(), list[bool]()
    ending = Ending(cast("LibraryService", state))
    threads = [threading.Thread(target=lambda: firsts.append(ending.end())) for _ in "ab"]
    threads[0].start()
    assert state.begun.wait(PATIENCE)
    threads[1].start()
    threads[1].join(0.1)
    assert threads[1].is_alive()
    state.go.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert sorted(firsts) == [False, True]
    assert state.closed == 1
