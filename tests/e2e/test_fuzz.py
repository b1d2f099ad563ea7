"""Whatever the command line is given, it ends with a documented code and in plain words."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripts.make_reference import command_names
from typer.core import TyperGroup
from typer.main import get_command

from citeloom.application.ports.embedders import Embedders
from citeloom.domain.project import Project
from citeloom.infrastructure.interfaces.cli.app import app
from citeloom.infrastructure.interfaces.error_codes import DOCUMENTED, UNEXPECTED
from citeloom.infrastructure.settings import Settings
from citeloom.infrastructure.wiring import models as embedders
from citeloom.infrastructure.wiring.models import open_embedders
from tests.copies import copy_folder
from tests.e2e.command import SMALL, Desk
from tests.e2e.in_process import joined, run
from tests.e2e.papers import CLAY
from tests.e2e.zotero_papers import ZoteroDesk
from tests.fakes.hostile_texts import forbidden, hostile

RUNS = int(os.environ.get("CITELOOM_FUZZ_RUNS", "300"))
WITHOUT_END = {"serve", "watch", "mcp"}
"""Commands that end only when they are told to."""
WRITING = {"ingest", "sync"}
"""Commands that would convert documents, which takes long."""
NAMES = (
    *("", " ", "-", "--", "@", "@tanaka2017", "tanaka2017", SMALL, "thesis", "lab/small/x", "../x"),
    *("citeloom.toml", "library/", "nowhere", ".", "/", "~", "~nobody/x", "bytes.bin", "empty"),
    *("empty.jsonl", "questions.jsonl", "deep/" * 60, "x" * 300, "2019..2023", "2023..2019", ".."),
    *("99999..", "0", "1", "-1", "3", "18446744073709551615", "9" * 40, "nan", "inf", "1e309"),
    *("0.5", "hybrid", "text", "json", "markdown", "reference", "body", "Methods > Sampling", ">"),
    *("all", "groups/1", "bash", "complete_bash", "zsh", "true", "é", "漢字"),
)
VARIABLES = (
    *("CITELOOM_CONFIG", "CITELOOM_PROJECT", "CITELOOM_RETRIEVAL__TOP_K", "CITELOOM___", "HOME"),
    *("CITELOOM_PATHS__DATA_DIR", "CITELOOM_CONVERSION__WORKERS", "CITELOOM_NO__SUCH", "COLUMNS"),
    *("CITELOOM_RETRIEVAL_TOP_K", "CITELOOM_ZOTERO__DATA_DIR", "CITELOOM_LOGGING__LEVEL", "TERM"),
    *("CITELOOM_VALIDATE__STRICT", "NO_COLOR", "_CITELOOM_COMPLETE", "COMP_WORDS", "COMP_CWORD"),
    "_TYPER_COMPLETE_ARGS",
)
BYTES = st.binary(max_size=12).map(lambda raw: os.fsdecode(raw.replace(b"\0", b"")))
VALUE = st.sampled_from(NAMES) | hostile.map(lambda text: text.replace("\0", "")) | BYTES
GROUP = get_command(app)


@dataclass(frozen=True)
class Call:
    """One call of the command."""

    args: tuple[str, ...]
    stdin: bytes
    env: dict[str, str]
    configured: bool


def parameters_of(words: tuple[str, ...]) -> tuple[int, list[tuple[str, bool]]]:
    """How many arguments a command takes, and its options and whether each takes a value."""
    command = GROUP
    for word in words:
        assert isinstance(command, TyperGroup)
        command = command.commands[word]
    options = [
        (name, not getattr(parameter, "is_flag", False))
        for parameter in command.params
        for name in (*parameter.opts, *parameter.secondary_opts)
        if name.startswith("-")
    ]
    return len([one for one in command.params if one.param_type_name == "argument"]), options


def encodable(text: str) -> bool:
    """Whether a system can pass the text to a process."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def is_root(text: str) -> bool:
    """Whether the text names the root, the whole of which would be searched for documents."""
    return text.startswith(os.sep) and os.path.normpath(text).strip(os.sep) == ""


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Calls that are right as often as wrong: of a known command, with options that it has."""
    assert isinstance(GROUP, TyperGroup)
    known = [words for words in command_names(GROUP) if words[0] not in WITHOUT_END]
    words = draw(st.sampled_from([(), *known]))
    arguments, options = parameters_of(words)
    writing = bool(words) and words[0] in WRITING
    value = VALUE.filter(encodable).filter(lambda text: not (writing and is_root(text)))
    args = [*words, *(["--dry-run"] if writing else [])]
    args += draw(st.lists(value, min_size=arguments, max_size=arguments))
    for name, takes_value in draw(st.lists(st.sampled_from(options), max_size=4)):
        args += [name, draw(value)] if takes_value else [name]
    if draw(st.integers(0, 9)) == 0:
        args += draw(st.lists(value, max_size=3))
    if draw(st.integers(0, 19)) == 0:
        args = draw(st.permutations(args))
    env = draw(st.just({}) | st.dictionaries(st.sampled_from(VARIABLES), value, max_size=2))
    stdin = draw(st.sampled_from((b"", b"y\n", b"clay\n", b"\xff\xfe")) | st.binary(max_size=8))
    return Call(tuple(args), stdin, env, draw(st.integers(0, 4)) > 0)


def make_folders(ingested: Path, library: Path, bare: Path) -> dict[str, str]:
    """A library with a small Zotero and files that are no documents; the environment for it."""
    copy_folder(ingested, library)
    (library / "empty").mkdir()
    (library / "empty.jsonl").touch()
    (library / "bytes.bin").write_bytes(bytes(range(256)))
    (library / "questions.jsonl").write_text('{"id": 1}\n[\n', encoding="utf-8")
    copy_folder(library / ".citeloom", library / ".kept")
    zotero = ZoteroDesk(Desk(library, library))
    zotero.papers = {"tanaka2017": CLAY}
    zotero.write()
    return {
        "HOME": str(bare),
        "CITELOOM_ZOTERO__ACCESS": "local",
        "CITELOOM_ZOTERO__DATA_DIR": str(zotero.data_dir),
    }


@contextmanager
def swift(env: Mapping[str, str]) -> Iterator[None]:
    """Models are loaded and commands built only once for all calls; nothing is opened."""
    loaded: dict[tuple[str, str | None], Embedders] = {}

    def remembered(settings: Settings, project: Project) -> Embedders:
        key = project.embedding_model, project.bound_sparse_model
        if key not in loaded:
            loaded[key] = open_embedders(settings, project)
        return loaded[key]

    with (
        patch.dict(os.environ, env),
        patch.object(embedders, "open_embedders", remembered),
        patch("typer.main.get_command", lambda _: GROUP),
        patch("typer.completion.install", lambda shell="bash": (shell, "a file")),
        patch(
            "citeloom.infrastructure.interfaces.cli.passage_commands.subprocess.Popen",
            side_effect=OSError,
        ),
    ):
        yield


@pytest.fixture(scope="module")
def folders(ingested: Desk, module_folder: Path) -> Iterator[tuple[Path, Path]]:
    """A library, and a folder without one."""
    library, bare = module_folder / "fuzzed", module_folder / "bare"
    library.mkdir()
    bare.mkdir()
    env = make_folders(ingested.folder, library, bare)
    with swift({**env, "CITELOOM_MODELS__CACHE_DIR": str(ingested.models)}):
        yield library, bare


def fuzzed(call: Call, library: Path, bare: Path) -> tuple[int, str]:
    """The exit code of a call, and what it said."""
    folder = library if call.configured else bare
    outcome = run(*call.args, folder=folder, stdin=call.stdin, env=call.env)
    said = f"{joined(call.args)}\n{outcome.out}\n{outcome.err}"
    assert "Traceback" not in said
    assert forbidden(outcome.out) == forbidden(outcome.err) == [], said
    assert outcome.code in {0, 1, 3, 4} or outcome.err, said
    if "delete" in call.args and outcome.code == 0:
        shutil.rmtree(library / ".citeloom")
        copy_folder(library / ".kept", library / ".citeloom")
    if not call.configured:
        for path in bare.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return outcome.code, said


@pytest.mark.slow
def test_any_call_ends_with_a_documented_code(folders: tuple[Path, Path]) -> None:
    library, bare = folders

    @settings(
        max_examples=RUNS,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(calls())
    def fuzz(call: Call) -> None:
        code, said = fuzzed(call, library, bare)
        assert code in DOCUMENTED - {UNEXPECTED}, f"exit {code}: {said}"

    fuzz()
