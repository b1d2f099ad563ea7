"""Pandoc within limits: costly drafts are refused by name, no run outlives whoever wanted it, and
nothing in a draft causes a request.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from citeloom.application.limits import DRAFT_LIMITS, DraftLimits
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.errors import CiteloomError, DeadlineExceeded, UnreadableDocument
from citeloom.infrastructure import child_process
from citeloom.infrastructure.manuscript.draft_reader import draft_of
from citeloom.infrastructure.manuscript.pandoc import PANDOC, Pandoc
from tests.e2e.processes import wait_until
from tests.fakes.costly_drafts import (
    COSTLY,
    ENDLESS,
    endless_program_of,
    is_running,
    programs_of,
)
from tests.fakes.recorded_requests import Requests

SMALL = Pandoc(limits=DraftLimits(timeout_seconds=1, memory_mb=128))
SMALLEST = Pandoc(limits=DraftLimits(timeout_seconds=3, memory_mb=64))
PATIENCE = 60.0
READ = """
from pathlib import Path
from citeloom.application.limits import DraftLimits
from citeloom.infrastructure.manuscript.draft_reader import draft_of
from citeloom.infrastructure.manuscript.pandoc import Pandoc
draft_of({text!r}.encode(), Path("a.md"), Pandoc(limits=DraftLimits(timeout_seconds=3000)))
"""


EXCEEDED = {
    "endless.md": ("longer than 1 s", "timeout_seconds under [drafts]"),
    "items.md": ("more than 64 MB of memory", "memory_mb under [drafts]"),
}
"""The limit that a draft surely exceeds; others exceed either, by the speed of the machine."""


@pytest.mark.parametrize("name", COSTLY)
def test_a_costly_draft_is_refused_by_name_and_the_next_one_is_read(name: str) -> None:
    with pytest.raises(CiteloomError) as raised:
        draft_of(COSTLY[name].encode(), Path(name), SMALLEST if name == "items.md" else SMALL)
    assert isinstance(raised.value, DeadlineExceeded | UnreadableDocument)
    assert raised.value.message.startswith(name)
    assert raised.value.hint
    limit, setting = EXCEEDED.get(name, ("", ""))
    assert limit in raised.value.message
    assert setting in raised.value.hint
    assert draft_of(b"One two.", Path("a.md"), SMALL).text == "One two."


def test_what_pandoc_prints_is_bounded_too() -> None:
    tiny = Pandoc(limits=DraftLimits(memory_mb=64))
    with pytest.raises(UnreadableDocument, match=r"a\.md takes Pandoc more than 64 MB"):
        draft_of(b"a " * 200_000, Path("a.md"), tiny)


def test_usual_limits_suffice_for_a_long_thesis() -> None:
    assert (DRAFT_LIMITS.timeout_seconds, DRAFT_LIMITS.memory_mb) == (20, 512)
    text = "Every *ferry* waits for the tide, and [@okoro2019, p. 3] says why.\n\n" * 5_000
    tree = PANDOC.run(["-f", "markdown", "-t", "json"], text.encode(), "thesis.md")
    assert tree.count(b'"okoro2019"') == 5_000


@pytest.fixture
def with_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets Pandoc open sockets, so that what it asks for is seen."""
    program = Path(child_process.__file__).read_text(encoding="utf-8")
    without_filter = program.replace('{"x86_64": 41, "aarch64": 198}', "{}")
    assert without_filter != program
    copy = tmp_path / "launcher.py"
    copy.write_text(without_filter, encoding="utf-8")
    monkeypatch.setattr(child_process, "__file__", str(copy))


def test_blocks_too_deep_for_a_reader_are_refused() -> None:
    with pytest.raises(UnreadableDocument, match=r"deep\.md has blocks within blocks too deep"):
        draft_of(b">" * 1_500 + b" a", Path("deep.md"))


def test_pandoc_ends_once_nobody_waits() -> None:
    cancellation = Cancellation()
    raised: list[CiteloomError] = []

    def read() -> None:
        try:
            draft_of(ENDLESS.encode(), Path("a.md"), Pandoc(cancellation=cancellation))
        except CiteloomError as error:
            raised.append(error)

    thread = Thread(target=read)
    thread.start()
    wait_until(lambda: bool(programs_of(os.getpid())))
    cancellation.request()
    thread.join(PATIENCE)
    assert [error.code for error in raised] == ["TIMEOUT"]
    assert programs_of(os.getpid()) == []
    with pytest.raises(DeadlineExceeded, match="nobody waits"):
        Pandoc(cancellation=cancellation).run(["-t", "plain"], b"a", "a.md")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_pandoc_ends_with_the_process_that_runs_it(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", READ.format(text=ENDLESS)], stderr=subprocess.DEVNULL
    ) as parent:
        pid = endless_program_of(parent.pid, parent)
        parent.send_signal(number)
        parent.wait(PATIENCE)
        wait_until(lambda: not is_running(pid))
        assert not is_running(pid)


@pytest.mark.skipif(sys.platform == "win32", reason="needs process groups")
def test_the_launcher_ends_the_program_without_the_signal_of_the_kernel() -> None:
    lifeline, held = os.pipe()
    beside = f"import sys; sys.path[:] = {sys.path!r}; " + (
        "from citeloom.infrastructure.child_process import _run_beside; "
        f"_run_beside({lifeline}, ('/bin/sleep', '600'))"
    )
    with subprocess.Popen([sys.executable, "-c", beside], pass_fds=(lifeline,)) as launcher:
        os.close(lifeline)
        wait_until(lambda: bool(programs_of(launcher.pid, "sleep")), launcher)
        [pid] = programs_of(launcher.pid, "sleep")
        os.close(held)
        assert launcher.wait(PATIENCE) == -signal.SIGKILL
        wait_until(lambda: not is_running(pid))


@pytest.mark.skipif(sys.platform != "linux", reason="needs filters of system calls")
def test_pandoc_has_no_network(tmp_path: Path, requests: Requests) -> None:
    style = tmp_path / "style.csl"
    link = f'<link href="{requests.address}/parent" rel="independent-parent"/>'
    style.write_text(
        f'<style xmlns="http://purl.org/net/xbiblio/csl"><info>{link}</info></style>',
        encoding="utf-8",
    )
    with pytest.raises(UnreadableDocument, match="Could not fetch"):
        PANDOC.run(["--citeproc", "--csl", str(style), "-t", "plain"], b"[@a]", "a.md")
    assert requests.seen == []


FETCHING = {
    "fields.md": "---\ncsl: {0}/a.csl\nbibliography: {0}/a.bib\n"
    "citation-abbreviations: {0}/a.json\n"
    "citation-style: {0}/b.csl\nlang: {0}/x\nreference-location: {0}/y\ntemplate: {0}/t\n"
    "header-includes: '\\input{{{0}/h.tex}}'\n---\n\n![a]({0}/a.png) <img src='{0}/b.png'>\n\n"
    "```{{include={0}/c.md}}\n```\n\n!include {0}/d.md\n",
    "input.tex": "\\input{{{0}/a.tex}}\\include{{{0}/b}}\\bibliography{{{0}/c}}"
    "\\addbibresource{{{0}/d.bib}}\\usepackage{{{0}/e}}\\includegraphics{{{0}/f.png}}"
    "\\lstinputlisting{{{0}/g.py}}",
    "import.typ": '#import "{0}/a.typ": x\n#include "{0}/b.typ"\n#bibliography("{0}/c.bib")\n'
    '#image("{0}/d.png")\n#import "@preview/example:0.1.0": x\n#read("{0}/e")\n',
    "keywords.org": "#+bibliography: {0}/a.bib\n#+cite_export: csl {0}/a.csl\n"
    "#+INCLUDE: {0}/b.org\n#+SETUPFILE: {0}/c.org\n[[{0}/d.png]]\n",
}


@pytest.mark.parametrize("name", FETCHING)
def test_no_draft_causes_a_request(
    name: str, requests: Requests, monkeypatch: pytest.MonkeyPatch, with_network: None
) -> None:
    for variable in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(variable, requests.address)
    draft_of(FETCHING[name].format(requests.address).encode(), Path(name))
    assert requests.seen == []
