"""The command in a folder: within this process, which is quick, or as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from citeloom.domain.retrieval.passage import StoredChunk
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.library.project import ProjectLibrary
from citeloom.infrastructure.settings import load_settings
from tests.e2e import in_process
from tests.e2e.in_process import Outcome

SMALL = "lab/small"
"""The project of the small papers."""
COMMAND = (sys.executable, "-m", "citeloom")
_PATIENCE = 300
"""Seconds after which a command counts as hanging, far above what any takes."""


@dataclass(frozen=True)
class Desk:
    """A folder to work in, with the environment its commands run in."""

    folder: Path
    models: Path

    @property
    def config(self) -> Path:
        return self.folder / "citeloom.toml"

    @property
    def library(self) -> Path:
        return self.folder / "library"

    @property
    def stderr_file(self) -> Path:
        """The stderr of the command started last."""
        return self.folder / "stderr.txt"

    @property
    def data(self) -> Path:
        return self.folder / ".citeloom"

    @property
    def conversions(self) -> Path:
        return self.data / "cache" / "conversions"

    def run(
        self, *args: str | Path, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> Outcome:
        """Run a command to its end, within this process."""
        with patch.dict(os.environ, self.environment, clear=True):
            return in_process.run(
                *map(str, args), folder=self.folder, stdin=stdin.encode(), env=env
            )

    def spawn(
        self, *args: str | Path, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> Outcome:
        """Run a command to its end, as a process of its own."""
        done = subprocess.run(
            [*COMMAND, *map(str, args)],
            cwd=self.folder,
            env={**self.environment, **(env or {})},
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=_PATIENCE,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def must(self, *args: str | Path, stdin: str = "") -> Outcome:
        """Run a command that has to succeed."""
        outcome = self.run(*args, stdin=stdin)
        assert outcome.code == 0, f"{args}: exit {outcome.code}\n{outcome.out}\n{outcome.err}"
        return outcome

    def start(
        self, *args: str | Path, env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        """Start a command in a process group of its own; its stderr goes to `stderr_file`."""
        with self.stderr_file.open("w", encoding="utf-8") as file:
            return subprocess.Popen(
                [*COMMAND, *map(str, args)],
                cwd=self.folder,
                env={**self.environment, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=file,
                encoding="utf-8",
                start_new_session=True,
            )

    @property
    def environment(self) -> dict[str, str]:
        """What commands see: nothing that would change how they behave, and no network."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("CITELOOM_") and name not in {"NO_COLOR", "PYTHONUNBUFFERED"}
        }
        return {
            **kept,
            "HF_HUB_OFFLINE": "1",
            "PYTHONUTF8": "1",
            "CITELOOM_MODELS__CACHE_DIR": str(self.models),
            # One worker loads its models faster than two do; what needs several says so.
            "CITELOOM_CONVERSION__WORKERS": "1",
            "CITELOOM_RETRIEVAL__CALIBRATE": "false",  # hundreds of questions an ingest
        }

    def configure(self, *projects: str, tables: str = "") -> None:
        """Write citeloom.toml from the tables of its projects."""
        self.config.write_text("\n".join([*projects, tables]), encoding="utf-8")

    def open(self, project: str) -> ProjectLibrary:
        """The use cases of the project within this process; its library is to be closed."""
        overrides = {"models": {"cache_dir": self.models}}
        settings = load_settings(cwd=self.folder, overrides=overrides)
        return Library(settings).project(project)

    def chunks(self, project: str = SMALL) -> list[StoredChunk]:
        """Everything the index holds of a project, in the order of chunk ids."""
        app = self.open(project)
        try:
            return sorted(app.inspect(sample=100_000).sample, key=lambda s: s.chunk.id)
        finally:
            app.parts.close()


MakeDesk = Callable[[str], Desk]


def project_table(project: str, *, references: str | None = None, **keys: object) -> str:
    """The table of a project in citeloom.toml, whose sources are those in `library/`."""
    values = {"sources": ["library/"], **({"references": references} if references else {}), **keys}
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return "\n".join([f'[project."{project}"]', *lines, ""])
