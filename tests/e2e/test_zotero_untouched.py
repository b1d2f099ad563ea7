"""No command changes a byte or a time of Zotero's, even while Zotero runs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from citeloom.infrastructure.interfaces.cli.zotero_commands import app
from tests.e2e.command import Desk
from tests.fakes.zotero_contents import many_items
from tests.fakes.zotero_database import ZoteroDatabase, as_it_is

COMMANDS = sorted(str(command.name) for command in app.registered_commands)
LONG_AGO = 1_600_000_000_123_456_789


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_touches_a_running_zotero(tmp_path: Path, command: str) -> None:
    zotero = tmp_path / "zotero"
    database = ZoteroDatabase(zotero)
    database.write(many_items(5))
    database.as_while_running()
    database.bin(0, many_items(1).items[0].key)
    for path in sorted(zotero.rglob("*"), reverse=True):
        os.utime(path, ns=(LONG_AGO, LONG_AGO))
    before = as_it_is(zotero)
    places = {"CITELOOM_ZOTERO__DATA_DIR": str(zotero), "CITELOOM_ZOTERO__ACCESS": "local"}
    outcome = Desk(tmp_path, tmp_path / "models").run("zotero", command, "--json", env=places)
    assert as_it_is(zotero) == before
    database.close()
    if command == "collections":
        assert sum(shelf["items"] for shelf in json.loads(outcome.out)) == 4
