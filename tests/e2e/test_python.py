"""The public API: documented by a session that runs, loaded lazily, and in the built wheel."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

import citeloom
from tests.copies import copy_folder
from tests.e2e.command import Desk, MakeDesk

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python.md"


def test_the_documented_session_runs(
    sample: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "demo").symlink_to(sample.folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITELOOM_MODELS__CACHE_DIR", str(sample.models))
    failures, examples = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert examples > 10
    assert failures == 0


SCRIPT = """
new = demo.ingest("library/new.md")
print(*new.indexed, *new.failed)
"""


@pytest.fixture
def scripted(sample: Desk, make_desk: MakeDesk) -> Desk:
    """The library of the session, with a document that it does not have yet."""
    desk = make_desk("script")
    copy_folder(sample.folder, desk.folder / "demo")
    (desk.folder / "library").mkdir()
    note = " ".join(f"Reading {n} of the gauge was taken at low water." for n in range(40))
    (desk.folder / "library" / "new.md").write_text(f"# Gauges\n\n{note}\n", encoding="utf-8")
    return desk


def cells() -> list[str]:
    """The first statements of the session, up to the passages around one, and an ingest."""
    page = doctest.DocTestParser().get_examples(PAGE.read_text(encoding="utf-8"))
    statements = [one.source for one in page]
    last = next(n for n, source in enumerate(statements) if source.startswith("len(shown."))
    return [*statements[: last + 1], f"{SCRIPT}\nlibrary.close()\n"]


@pytest.mark.parametrize("arguments", [["session.py"], ["-i", "-"]])
def test_the_session_runs_as_a_plain_script_and_at_a_prompt(
    scripted: Desk, arguments: list[str]
) -> None:
    """Neither has a main guard; a prompt's main module has no file, as a notebook's kernel."""
    session = "".join(f"{one}\n" for one in cells())  # a prompt ends a block with an empty line
    (scripted.folder / "session.py").write_text(session, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=scripted.folder,
        env=scripted.environment,
        input=session if "-" in arguments else "",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith("library/new.md")
    assert "Traceback" not in done.stderr


def test_the_session_runs_in_the_kernel_of_a_notebook(scripted: Desk) -> None:
    pytest.importorskip("ipykernel", reason="needs ipykernel and jupyter-client")
    manager = pytest.importorskip("jupyter_client.manager", reason="needs jupyter-client")
    outputs: list[dict[str, Any]] = []
    kernel, client = manager.start_new_kernel(cwd=scripted.folder, env=scripted.environment)
    try:
        for cell in cells():
            reply = client.execute_interactive(cell, timeout=300, output_hook=outputs.append)
            assert reply["content"]["status"] == "ok", reply["content"]
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    printed = "".join(one["content"].get("text", "") for one in outputs)
    assert "library/new.md" in printed
    shown = [one["content"]["data"] for one in outputs if one["msg_type"] == "execute_result"]
    assert {"text/plain": "(1, 1, 1)"} in shown


def test_every_public_name_is_there() -> None:
    names = {name for name in dir(citeloom) if name[0].isupper() or name == "open_library"}
    assert len(names) > 70
    assert {"Library", "Passage", "ProjectLibrary", "open_library"} <= names
    assert [name for name in names if getattr(citeloom, name).__name__ != name] == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Librarian'"):
        _ = citeloom.Librarian  # type: ignore[attr-defined]


def test_importing_it_loads_nothing_else() -> None:
    script = "import sys; before = {*sys.modules}; import citeloom; print(*{*sys.modules} - before)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {name for name in loaded if "." in name and name.startswith("citeloom")} == set()
    assert not {"pydantic", "numpy", "qdrant_edge", "fastembed"} & set(loaded)


@pytest.mark.slow
def test_the_built_wheel_has_the_whole_api(tmp_path: Path) -> None:
    """Built and installed into an environment of its own, which borrows this one's libraries."""
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", tmp_path, ROOT], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    target = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*install, str(target), wheel], check=True)
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    script = (
        "import citeloom, pathlib\n"
        f"assert pathlib.Path(citeloom.__file__).is_relative_to({str(target)!r})\n"
        "names = [n for n in dir(citeloom) if not n.startswith('__')]\n"
        "print(len([getattr(citeloom, name) for name in names]))\n"
        "with citeloom.open_library('.') as library:\n"
        "    print(library.projects())\n"
    )
    done = subprocess.run(
        [str(python), "-c", script],
        cwd=tmp_path,
        env={"PYTHONPATH": os.pathsep.join([str(target), *libraries]), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
