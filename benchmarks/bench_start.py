"""What a start costs: `--help`, a cold query and its stages, beside a bare FastEmbed.

usage: python -m benchmarks.bench_start [LIBRARY] [--rounds N] [--stages]

LIBRARY is the folder of an ingested library with one project; without one, a small library is made
of what `docs/` says. Each command is a process of its own, in turn with the others, so that a busy
machine is busy for all; the first round warms the disk and is left out. Figures are medians of
processor seconds. `--stages` is what the benchmark calls itself with: one query in this process,
each of its seconds written to the stage it was spent in.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from importlib.machinery import ExtensionFileLoader, SourceFileLoader
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

QUESTION = "how are page labels kept"
BARE = """
from fastembed import TextEmbedding
model = TextEmbedding({model!r}, specific_model_path={folder!r})
print(len(next(iter(model.query_embed({question!r})))))
"""

# The stages of a query.

ELSEWHERE = "the rest: arguments, wiring, the end of the process"
IMPORTS = {
    r"citeloom\.infrastructure\.settings": "import the settings",
    r"pydantic|typing_inspection|annotated_types|tomli|dotenv": "import what the settings need",
    r"citeloom": "import the rest of citeloom",
    r"typer|shellingham": "import Typer",
    r"onnxruntime|numpy|tokenizers|mmh3|py_rust_stemmers": "import what the models need",
    r"qdrant_edge|msgspec|filelock|multiprocessing": "import what the store needs",
}
"""The stage of an import by the beginning of its module; others belong to who imports them."""
_HERE = "citeloom.infrastructure."
CALLS = {
    (f"{_HERE}settings.loading", "load_settings"): "read the settings",
    (f"{_HERE}embedding.fastembed.dense", "FastEmbedDense._load"): "load the dense model",
    (f"{_HERE}embedding.fastembed.dense", "FastEmbedDense.embed_query"): "embed the question",
    (f"{_HERE}embedding.fastembed.sparse", "FastEmbedSparse._load"): "load the sparse model",
    (f"{_HERE}wiring.stores", "open_store"): "open the store",
    ("citeloom.application.retrieval.query", "query"): "search and choose",
    (f"{_HERE}interfaces.cli.passages", "render"): "write the passages",
}
"""The stage of each call that is one."""


class Stages:
    """Processor seconds by stage; what is spent in an inner stage does not count for the outer."""

    def __init__(self) -> None:
        self.seconds = defaultdict[str, float](float, {"start Python": process_time()})
        self._open = [ELSEWHERE]
        self._since = process_time()

    def close(self) -> dict[str, float]:
        """The seconds of each stage so far."""
        self._count()
        return dict(self.seconds)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """What happens here belongs to a stage."""
        self._count()
        self._open.append(name)
        try:
            yield
        finally:
            self._count()
            self._open.pop()

    def within(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """A call as a stage."""

        @wraps(call)
        def counted(*arguments: Any, **options: Any) -> Any:
            with self.stage(name):
                return call(*arguments, **options)

        return counted

    def watch_imports(self) -> None:
        """Count imports from here on, and the calls of modules that are imported from here on."""
        for loader in (SourceFileLoader, ExtensionFileLoader):
            execute = loader.exec_module

            def counted(self_: Any, module: Any, execute: Any = execute) -> None:
                with self.stage(self._stage_of(module.__name__)):
                    execute(self_, module)
                for (place, name), stage in CALLS.items():
                    if place == module.__name__:
                        holder, _, attribute = name.rpartition(".")
                        owner = getattr(module, holder) if holder else module
                        setattr(owner, attribute, self.within(stage, getattr(owner, attribute)))

            setattr(loader, "exec_module", counted)  # noqa: B010 - mypy takes no assignment to it

    def _stage_of(self, module: str) -> str:
        return next(
            (stage for name, stage in IMPORTS.items() if re.match(rf"(?:{name})(?:\.|$)", module)),
            self._open[-1],
        )

    def _count(self) -> None:
        now = process_time()
        self.seconds[self._open[-1]] += now - self._since
        self._since = now


def ask_in_stages() -> None:
    """Ask in this process, and print the modules and the seconds of each stage to stderr."""
    stages = Stages()
    stages.watch_imports()
    from citeloom.infrastructure.interfaces.cli.app import main as run  # noqa: PLC0415 - counted

    sys.argv = ["citeloom", "query", QUESTION]
    try:
        run()
    finally:
        told = {"modules": len(sys.modules), "seconds": stages.close()}
        print(json.dumps(told), file=sys.stderr)


# What is measured.


def main() -> None:
    """Print the figures of every command and the stages of a query."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=Path, nargs="?")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--stages", action="store_true")
    options = parser.parse_args()
    if options.stages:
        ask_in_stages()
    elif options.library:
        measure(options.library.resolve(), options.rounds)
    else:
        with tempfile.TemporaryDirectory() as folder:
            make_library(Path(folder))
            measure(Path(folder), options.rounds)


def make_library(folder: Path) -> None:
    """A library of some pages, ingested."""
    (folder / "pages").mkdir()
    for page in ("architecture", "extending", "glossary", "pdf"):
        shutil.copy(Path(__file__).parents[1] / "docs" / f"{page}.md", folder / "pages")
    (folder / "citeloom.toml").write_text('[project."bench/start"]\nsources = ["pages/"]\n')
    worked([sys.executable, "-m", "citeloom", "ingest"], folder)


def measure(library: Path, rounds: int) -> None:
    """Every command in turn, round by round."""
    from citeloom.application.models import ModelKind  # noqa: PLC0415 - no part of a start
    from citeloom.infrastructure.embedding.fastembed.minilm import MODEL_ID  # noqa: PLC0415
    from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache  # noqa: PLC0415

    weights = str(ModelCache().folder(MODEL_ID, ModelKind.DENSE))
    bare = BARE.format(model=MODEL_ID, folder=weights, question=QUESTION)
    commands = {
        "citeloom --help": ["-m", "citeloom", "--help"],
        "citeloom query": ["-m", "citeloom", "query", QUESTION],
        "bare FastEmbed": ["-c", bare],
    }
    taken: dict[str, list[float]] = {name: [] for name in commands}
    staged: list[dict[str, float]] = []
    modules = 0
    for number in range(rounds + 1):
        for name, command in commands.items():
            spent, _ = worked([sys.executable, *command], library)
            taken[name] += [spent] if number else []
        told = json.loads(worked([sys.executable, __file__, "--stages"], library)[1])
        staged += [told["seconds"]] if number else []
        modules = told["modules"]
    for name, seconds_of in taken.items():
        print(f"{name:20}{median(seconds_of):7.3f} s of processor")
    pairs = [ours / bare for ours, bare in zip(taken["citeloom query"], taken["bare FastEmbed"])]
    print(f"{'query / bare':20}{median(pairs):7.2f}")
    print(f"\na query with each second counted, {modules} modules")
    of_stages = {name: median(one.get(name, 0) for one in staged) for name in staged[0]}
    total = sum(of_stages.values())
    for name, seconds in sorted(of_stages.items(), key=lambda stage: -stage[1]):
        print(f"  {seconds:6.3f} s {seconds / total:6.1%}  {name}")


def worked(command: Sequence[str], folder: Path) -> tuple[float, str]:
    """The processor seconds of a process, and the last line it wrote to stderr."""
    before = os.times()
    ended = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    after = os.times()
    seconds = (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )
    return seconds, (ended.stderr.splitlines() or [""])[-1]


if __name__ == "__main__":
    main()
