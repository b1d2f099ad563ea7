"""Compare everything that users and programs see of two commits: the same library, the same cases.

    python scripts/compare_outputs.py main              # main against the files as they are now
    python scripts/compare_outputs.py main~3 main       # two commits
    python scripts/compare_outputs.py main --only 'http/*'
    python scripts/compare_outputs.py main --times 5    # processor seconds instead of outputs

Each side is recorded once: what it says to every case of `scripts/outputs/cases.py` is kept, a file
each, in a folder of `CITELOOM_OUTPUTS`, by default `build/outputs`, that is named by the content of
the sources, of the cases and of the installed packages. Exit 1 if anything differs.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from statistics import median

from filelock import FileLock

ROOT = Path(__file__).resolve().parent.parent
OUTPUTS = Path(os.environ.get("CITELOOM_OUTPUTS") or ROOT / "build" / "outputs").resolve()
RECORDED = (
    *("src", "pyproject.toml", "README.md", "docs/reference"),
    *("scripts/make_reference.py", "scripts/json_reference.py"),
)
"""What of a commit its outputs depend on."""
COMPARED_BY = ("scripts/outputs", "scripts/make_sample_library.py", "examples/library")
"""What decides on the cases, and is taken from this tree for both commits."""
WORK_TREE = "the work tree"
QUESTION = "How long do turbidity loggers stay reliable before fouling?"
TIMED: Mapping[str, tuple[str, ...]] = {
    "a first ingest": ("ingest",),
    "a cold query": ("query", QUESTION),
    "--help": ("--help",),
}


@dataclass(frozen=True)
class Side:
    """One of two commits: what it is called, and the git tree of its files."""

    name: str
    tree: str

    @property
    def outputs(self) -> Path:
        """The folder of its outputs."""
        listed = git("ls-tree", self.tree, "--", *RECORDED)
        return OUTPUTS / hashlib.sha256(f"{listed}{cases_digest()}".encode()).hexdigest()[:12]


def git(*arguments: str, env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.strip()


def side(revision: str | None) -> Side:
    """A commit, or the work tree with everything in it that is not ignored."""
    if revision:
        return Side(revision, git("rev-parse", "--verify", f"{revision}^{{tree}}"))
    with tempfile.TemporaryDirectory() as scratch:
        env = {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        git("read-tree", "HEAD", env=env)
        git("add", "--all", env=env)
        return Side(WORK_TREE, git("write-tree", env=env))


@cache
def cases_digest() -> str:
    """What the cases, this interpreter and its packages are, as one short text."""
    digest = hashlib.sha256(sys.version.encode())
    for name in COMPARED_BY:
        path = ROOT / name
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(f"{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    found = {(d.name, d.version) for d in distributions() if d.name != "citeloom"}
    digest.update(repr(sorted(found)).encode())
    return digest.hexdigest()


@contextmanager
def exported(compared: Side) -> Iterator[tuple[Path, dict[str, str]]]:
    """The files of a side in a folder of their own, and the environment that runs them."""
    with tempfile.TemporaryDirectory(prefix="tree-") as scratch:
        folder = Path(scratch).resolve()
        archive = folder / "files.tar"
        git("archive", f"--output={archive}", compared.tree)
        shutil.unpack_archive(archive, folder / "tree", filter="data")
        tree, metadata = folder / "tree", folder / "metadata"
        # the wheel of an editable installation: the metadata with its entry points
        build = f"import hatchling.build as b; b.build_editable({str(folder)!r})"
        subprocess.run([sys.executable, "-c", build], cwd=tree, check=True)
        shutil.unpack_archive(next(folder.glob("*.whl")), metadata, format="zip")
        kept = {n: v for n, v in os.environ.items() if not n.startswith(("CITELOOM_", "PYTHON"))}
        yield (
            tree,
            {
                **kept,
                "PYTHONPATH": os.pathsep.join(map(str, (metadata, tree / "src"))),
                "PYTHONUTF8": "1",
                "PYTHONHASHSEED": "0",
                "HF_HUB_OFFLINE": "1",
                "COLUMNS": "100",
                "NO_COLOR": "1",
                "TERM": "dumb",
                "TZ": "UTC",
                "CITELOOM_CONVERSION__WORKERS": "1",
            },
        )


def recorded(compared: Side) -> Path:
    """The outputs of a side; recorded if they are not there yet, by one process at a time."""
    folder = compared.outputs
    OUTPUTS.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            print(f"recording {compared.name} in {folder}", file=sys.stderr)
            record(compared, folder)
    return folder


def record(compared: Side, folder: Path) -> None:
    """Write the outputs of a side, all of them or none."""
    with (
        exported(compared) as (tree, environment),
        tempfile.TemporaryDirectory(dir=OUTPUTS, ignore_cleanup_errors=True) as unfinished,
    ):
        path = f"{environment['PYTHONPATH']}{os.pathsep}{ROOT}"
        env = {**environment, "PYTHONPATH": path, "CITELOOM_PROJECT": "made/papers"}
        recorder = (sys.executable, "-P", "-m", "scripts.outputs.record", tree, unfinished)
        seconds = processor_seconds(recorder, tree, env)
        print(f"  {seconds:.0f} seconds of processor", file=sys.stderr)
        Path(unfinished).rename(folder)


def processor_seconds(
    command: Sequence[str | Path], folder: Path, env: Mapping[str, str], *, quiet: bool = False
) -> float:
    """What a process and those that it waited for took of the processors; it has to succeed."""
    stream = subprocess.DEVNULL if quiet else None
    process = subprocess.Popen(command, cwd=folder, env=env, stdout=stream, stderr=stream)
    try:
        _, status, used = os.wait4(process.pid, 0)
    except BaseException:
        process.terminate()
        raise
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime


def difference(base: Path, head: Path, case: str) -> str:
    """The unified difference of a case, empty if there is none."""
    before, after = (
        path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        for path in (base / case, head / case)
    )
    names = (f"base/{case}", f"head/{case}")
    return "\n".join(difflib.unified_diff(before, after, *names, lineterm=""))


def compare(base: Side, head: Side, only: str) -> int:
    """Print the difference of each case, and what broke; how many there are."""
    one, other = recorded(base), recorded(head)
    cases = sorted({str(p.relative_to(f)) for f in (one, other) for p in f.rglob("*.txt")})
    chosen = [case for case in cases if fnmatch(case, only)]
    changed = {case: text for case in chosen if (text := difference(one, other, case))}
    for text in changed.values():
        print(text)
    broken = [
        f"{f}/{case}"
        for f in (one, other)
        for case in cases
        if case.startswith("broken/") and (f / case).is_file()
    ]
    for path in broken:
        print(f"broken, and so not compared: {path}")
    for case in changed:
        print(f"differs: {case}")
    print(f"{len(changed)} of {len(chosen)} cases differ: {base.name} in {one},")
    print(f"  {head.name} in {other}")
    return len(changed) + len(broken)


def compare_times(base: Side, head: Side, rounds: int) -> None:
    """Print the processor seconds of both sides, measured in turns, and their ratio."""
    seconds: dict[tuple[str, str], list[float]] = {}
    with exported(base) as one, exported(head) as other, tempfile.TemporaryDirectory() as scratch:
        library = Path(scratch) / "library"
        maker = ROOT / "scripts" / "make_sample_library.py"
        subprocess.run([sys.executable, maker, library], check=True, stdout=subprocess.DEVNULL)
        for number in range(rounds + 1):  # the first round compiles, and loads models from the disk
            for key, (_, environment) in (("base", one), ("head", other)):
                folder = Path(scratch) / key
                models = Path(scratch) / f"{key}-models"
                env = {**environment, "CITELOOM_MODELS__CACHE_DIR": str(models)}
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(library, folder)
                for name, arguments in TIMED.items():
                    command = (sys.executable, "-P", "-m", "citeloom", *arguments)
                    took = processor_seconds(command, folder, env, quiet=True)
                    if number:
                        seconds.setdefault((name, key), []).append(took)
    print(f"processor seconds, median of {rounds}, {base.name} -> {head.name}")
    for name in TIMED:
        before, after = median(seconds[name, "base"]), median(seconds[name, "head"])
        print(f"  {name:15} {before:6.2f} -> {after:6.2f}  ratio {after / before:.3f}")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("base", help="a commit")
    parser.add_argument("head", nargs="?", help="another; by default the files as they are now")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="compare these cases only")
    parser.add_argument("--anew", action="store_true", help="record both sides again")
    parser.add_argument("--times", type=int, metavar="N", help="measure N rounds of times instead")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the recorder ends, too
    base, head = side(options.base), side(options.head)
    if options.times:
        compare_times(base, head, options.times)
        return 0
    if options.anew:
        for compared in (base, head):
            shutil.rmtree(compared.outputs, ignore_errors=True)
    return 1 if compare(base, head, options.only) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
