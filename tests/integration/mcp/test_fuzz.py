"""800 calls by chance, 8 at a time, over two projects: nothing leaks, nothing breaks."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from random import Random

import pytest
from mcp.client.client import Client

from citeloom.infrastructure.interfaces.calls import LibraryService
from tests.fakes.two_projects import SIDES, marks, two_projects
from tests.integration.mcp.fuzzing import Fuzz
from tests.integration.mcp.sessions import talk

CALLS, AT_ONCE = 800, 8
SEED = int(os.environ.get("CITELOOM_FUZZ_SEED", "11"))


@pytest.mark.slow
def test_no_call_leaks_or_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = '[zotero]\naccess = "local"\n'
    state = LibraryService.of(two_projects(tmp_path, monkeypatch, tables=tables))
    words = {project: marks(project) for project in SIDES}
    fuzzes = [Fuzz(Random(f"{SEED} {n}"), words, ("left", "right", "")) for n in range(AT_ONCE)]

    async def calling(client: Client, fuzz: Fuzz) -> None:
        for _ in range(CALLS // AT_ONCE):
            await fuzz.call(client)

    async def session(client: Client) -> None:
        await asyncio.gather(*(calling(client, fuzz) for fuzz in fuzzes))

    talk(state, session)
    outcomes = sum((fuzz.outcomes for fuzz in fuzzes), start=fuzzes[0].outcomes.copy())
    outcomes.subtract(fuzzes[0].outcomes)
    assert outcomes.total() == CALLS
    assert min(outcomes[tool] for tool in ("query", "query_hybrid", "ask", "get_passage")) > 8, (
        outcomes
    )
    assert outcomes["INVALID_FILTER"] > 40
    assert state.calls.running == 0
    state.close()
