"""`match`: from a document without a reference to its citekey, at a terminal and in a pipe."""

from __future__ import annotations

import json
import os
import pty
import subprocess

import citeloom
from tests.e2e.command import COMMAND, SMALL, Desk


def lose_references(desk: Desk) -> tuple[str, str]:
    """Retitle all references and take their DOIs; the paths of the first two documents."""
    file = desk.folder / "references.json"
    references = json.loads(file.read_text(encoding="utf-8"))
    for one in references:
        one["title"] = " ".join(reversed(one["title"].split()))
        one["DOI"] = ""
    file.write_text(json.dumps(references), encoding="utf-8")
    desk.must("ingest")
    first, second, *_ = [one["path"] for one in desk.must("match", "--json").json]
    return first, second


def typed(desk: Desk, *answers: str) -> str:
    """What `match` shows at a terminal at which these answers are typed."""
    ours, theirs = pty.openpty()
    command = subprocess.Popen(
        [*COMMAND, "match"],
        cwd=desk.folder,
        env={**desk.environment, "TERM": "dumb", "NO_COLOR": "1"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    os.write(ours, "".join(f"{answer}\n" for answer in answers).encode())
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # the command has closed its side
        pass
    os.close(ours)
    assert command.wait() == 0
    return shown.decode().replace("\r\n", "\n")


def test_a_reference_is_chosen_for_each_document(small: Desk) -> None:
    comment = "\n# my own words\n"
    small.config.write_text(small.config.read_text(encoding="utf-8") + comment, encoding="utf-8")
    first, second = lose_references(small)
    before = {one["path"]: one["citekey"] for one in small.must("list", "--json").json}
    assert before[first] is before[second] is None
    listed = small.must("match")
    assert first in listed.out
    assert "Choose at a terminal with `citeloom match`" in listed.err
    keys = {
        one["path"]: one["references"][0]["citekey"] for one in small.must("match", "--json").json
    }
    shown = typed(small, "7", "nope", "1", "q")
    assert "there is no reference 7" in shown
    assert "no reference has the citekey 'nope'" in shown
    assert "1 reference written to" in shown
    again = small.must("match", second, keys[second])
    assert again.out == f"{small.config}\n"
    assert comment in small.config.read_text(encoding="utf-8")
    pending = small.must("match")
    assert "2 documents will have a reference after the next `citeloom ingest`" in pending.err
    with citeloom.open_library(small.folder) as library:
        first_of_all = next(library.project(SMALL).match_candidates())
        assert (first_of_all.path, first_of_all.citekey) == (first, keys[first])
    small.must("ingest")
    after = {one["path"]: one["citekey"] for one in small.must("list", "--json").json}
    assert (after[first], after[second]) == (keys[first], keys[second])
    assert keys[first] in first


def test_a_document_or_a_citekey_that_is_unknown_changes_nothing(small: Desk) -> None:
    config = small.config.read_bytes()
    document = small.must("list", "--json").json[0]["path"]
    assert small.run("match", document, "nope").code == 1
    assert small.run("match", "nope.pdf", "moreau2015").code == 1
    assert small.must("match").err == "every document has a reference\n"
    assert small.config.read_bytes() == config
