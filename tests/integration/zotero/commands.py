"""`citeloom zotero …`, run on a Zotero database."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from typer.testing import CliRunner, Result

from citeloom.domain.zotero.items import ZoteroContent
from citeloom.infrastructure.interfaces.cli.app import app
from tests.fakes.zotero_database import ZoteroDatabase


def make_database(folder: Path, *contents: ZoteroContent) -> Path:
    """A Zotero data directory that Zotero has closed."""
    database = ZoteroDatabase(folder)
    database.write(*contents)
    database.close()
    return folder


def run(*arguments: str, data_dir: Path, env: Mapping[str, str] | None = None) -> Result:
    """The command `citeloom zotero` with these arguments, run to its end."""
    runner = CliRunner(
        env={"CITELOOM_ZOTERO__DATA_DIR": str(data_dir), "COLUMNS": "80", **(env or {})}
    )
    return runner.invoke(app, ["zotero", *arguments])
