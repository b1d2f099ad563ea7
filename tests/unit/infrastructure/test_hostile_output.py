"""Whatever a document, a title, a path or an error says, no terminal is told to do anything."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

import pytest
import typer
from hypothesis import HealthCheck, given, settings

from citeloom.application.documents import Inspection
from citeloom.application.evaluate.pages import CheckedChunk, DocumentPages, PageReport
from citeloom.application.library_info import LibraryInfo
from citeloom.application.models import RecommendedModels
from citeloom.application.ports.sources import FileOutcome, SkippedFile
from citeloom.application.ports.vector_index import IndexDescription
from citeloom.application.reports import DocumentFailure, DocumentOutcome, ImagesRead, OutcomeState
from citeloom.application.retrieval.show import Shown
from citeloom.application.validate.chunk_checks import CheckedDocument, Finding, ValidationReport
from citeloom.application.zotero.browse import ListedCollection, ListedItem
from citeloom.application.zotero.doctor import Diagnosis, Symptom
from citeloom.application.zotero.snapshot import DownloadedFile, DownloadReport
from citeloom.domain.errors import CiteloomError
from citeloom.domain.evaluation.comparison import (
    Difference,
    ModeComparison,
    QuestionChange,
    RunComparison,
)
from citeloom.domain.evaluation.line_order import PageOrder, PrintedLine
from citeloom.domain.evaluation.page_recall import LostLine, PageWords, WordFaults
from citeloom.domain.evaluation.page_truth import PageCheck, PageVerdict
from citeloom.domain.evaluation.significance import Interval
from citeloom.domain.policies import Mode, OcrSource
from citeloom.domain.project import Collection, Project
from citeloom.domain.references.evidence import MatchConflict
from citeloom.domain.references.reference_matcher import ReferenceCandidate, ReferenceMatch
from citeloom.domain.retrieval.passage import Passage
from citeloom.domain.zotero.selection import NamedInZotero, ZoteroReading, ZoteroSelection
from citeloom.infrastructure.answers.evaluations import PagesAnswer
from citeloom.infrastructure.answers.library import InspectAnswer
from citeloom.infrastructure.answers.passages import shown_passages
from citeloom.infrastructure.answers.zotero import DiagnosisAnswer, DownloadAnswer
from citeloom.infrastructure.interfaces.cli import eval_pages, passages
from citeloom.infrastructure.interfaces.cli import maintenance_commands as findings
from citeloom.infrastructure.interfaces.cli import zotero_commands as collections_command
from citeloom.infrastructure.interfaces.cli import zotero_commands as download_command
from citeloom.infrastructure.interfaces.cli.console import (
    note,
    out,
    out_json,
    painter,
    print_error,
    table,
)
from citeloom.infrastructure.interfaces.cli.eval_tables import comparison_text
from citeloom.infrastructure.interfaces.cli.ingest_commands import print_report
from citeloom.infrastructure.interfaces.cli.library_commands import _text as inspection_text
from citeloom.infrastructure.interfaces.cli.progress_display import BarProgress, LineProgress
from citeloom.infrastructure.interfaces.cli.zotero_commands import show_diagnosis, show_items
from citeloom.testing.chunks import collection, marked, rich
from tests.described import as_json
from tests.fakes.hostile_texts import forbidden, hostile
from tests.fakes.ingest_reports import reported
from tests.fakes.zotero_contents import many_items
from tests.unit.infrastructure.answers.test_passages import answer

_OURS = re.compile(
    r"\x1b\[(?:0|1|2|4|31|32|33|36)m|\x1b\]8;;(?:(?:file|zotero)://[!-~]+)?\x1b\\"
    r"|\x1b\[\?25[lh]|\x1b\[2K|\x1b\[1A|\r"
)
_COLOURS = re.compile(r"\x1b\[(?:38;5;\d+|3[2356]|9\d)m")
_KEPT = {"check", "id", "doc_id", "language", "key", "path_", "fingerprint"}
T = TypeVar("T")


def infected(value: T, text: str) -> T:
    """The value with the text in place of every word that is free to be anything."""
    return _infected(value, text)  # type: ignore[no-any-return]


def _infected(value: Any, text: str) -> Any:
    if isinstance(value, Enum) or value is None:
        return value
    if isinstance(value, str):
        return f"{value}{text}"
    if isinstance(value, (tuple, list)):
        return type(value)(_infected(one, text) for one in value)
    if isinstance(value, Mapping):
        return {
            _infected(name, text) if isinstance(name, str) else name: _infected(one, text)
            for name, one in value.items()
        }
    if is_dataclass(value) and not isinstance(value, (type, Project, Collection)):
        names = [field.name for field in fields(value) if field.init and field.name not in _KEPT]
        return replace(value, **{name: _infected(getattr(value, name), text) for name in names})
    return value


class Screen(io.StringIO):
    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


STORED = marked("a").stored
PASSAGE = Passage(stored=rich("a").stored, score=0.5, text="Wheat", before=(STORED,))
FAILURE = DocumentFailure(path="a.pdf", code="TIMEOUT", message="late", hint="wait")
NAMED = NamedInZotero(library="library", title="t", citekey="c", path="p")
INGEST = reported(
    {
        "a.pdf": DocumentOutcome(
            state=OutcomeState.FAILED,
            failure=FAILURE,
            match=ReferenceMatch(
                candidates=(
                    ReferenceCandidate(
                        citekey="k", title="t", score=1.0, objection=MatchConflict.EQUAL
                    ),
                )
            ),
            page_failures=("page 1 (late)",),
            notes=("a note",),
            images=ImagesRead(
                engine="e",
                languages=("en",),
                source=next(iter(OcrSource)),
                pages=1,
                poor={1: 0.5},
            ),
        ),
        "b.pdf": DocumentOutcome(state=OutcomeState.INDEXED),
        "c.pdf": DocumentOutcome(state=OutcomeState.WITHOUT_FILE),
        "d.pdf": DocumentOutcome(state=OutcomeState.LEFT),
        "e.pdf": DocumentOutcome(state=OutcomeState.DUPLICATE, same_as="b.pdf"),
    },
    left_behind=("a.pdf",),
    passed_over=(SkippedFile(name="a", reason="r"),),
    unreadable=(SkippedFile(name="a", reason="r"),),
    zotero=ZoteroReading(
        source="s",
        selection=ZoteroSelection(),
        documents=1,
        warnings=("w",),
        missing=(NAMED,),
        without_file=(NAMED,),
        sharing=(NAMED,),
    ),
)
FINDINGS = ValidationReport(
    project="lab/wheat",
    checks=("headings",),
    findings=(
        Finding(check="headings", message="m", subject="s", hint="h", count=2, chunks=("c",)),
    ),
    documents=1,
    chunks=1,
    by_document=(
        CheckedDocument(
            path="p", doc_id="d", citekey="c", pages=1, chunks=1, errors=1, warnings=0, infos=0
        ),
    ),
)
INFO = LibraryInfo(
    base_dir=Path("/library"), data_dir=Path("/library"), config_file=None, log_level="info"
)
INSPECTION = Inspection(
    project=Project(id="lab/wheat"),
    description=IndexDescription(
        collection=collection("wheat"),
        points=1,
        indexed_fields={"f": "keyword"},
        details={"k": "v"},
    ),
    documents=(),
    by_status={"indexed": 1},
    by_kind={"text": 1},
    staged=None,
    sample=(rich("a").stored,),
)
PAGES = PageReport(
    project="lab/wheat",
    documents=(
        DocumentPages(
            path="p",
            citekey=None,
            verdicts=dict.fromkeys(PageVerdict, 1),
            orders={1: PageOrder(lines=2, moved=("a line",), torn=("another",))},
            words=WordFaults(words=2, glued=("aword",), broken=("an other",)),
            recall={1: PageWords(40, (LostLine(PrintedLine(text="a b"), ("a",) * 20, 30),))},
            examples=(
                CheckedChunk(
                    chunk=rich("a").stored.chunk,
                    check=PageCheck(
                        verdict=PageVerdict.NEAR, share=0.5, stands_on=(1,), missing="words"
                    ),
                ),
            ),
        ),
    ),
    skipped=(FAILURE,),
)
COMPARISON = RunComparison(
    modes=(
        ModeComparison(
            mode=Mode.DENSE,
            differences=(
                Difference(
                    measure="nDCG@10",
                    questions=1,
                    before=0.0,
                    after=1.0,
                    interval=Interval(low=0.0, high=1.0),
                    p=0.5,
                    corrected_p=0.5,
                    wins=1,
                    losses=0,
                    changes=(
                        QuestionChange(id="i", kind="k", question="q", before=0.0, after=1.0),
                    ),
                ),
            ),
        ),
    ),
    conditions={"c": ("a", "b")},
    unpaired=("u",),
    seed=1,
)
CONTENT = many_items(1)
ITEM = ListedItem(
    item=CONTENT.items[0],
    creators=CONTENT.items[0].creators,
    year=2000,
    attachments=CONTENT.attachments,
    collections=("a/b",),
)
COLLECTIONS = [
    ListedCollection(collection=one, items=1, items_below=1) for one in CONTENT.collections
]
DIAGNOSIS = Diagnosis(
    source="s",
    project=None,
    libraries=("library",),
    items=1,
    documents=1,
    symptoms=(Symptom(check="file", message="m", library="library", item_key="k", title="t"),),
)
DOWNLOAD = DownloadReport(
    source="s",
    files=(DownloadedFile(attachment=CONTENT.attachments[0], outcome=FileOutcome.ABSENT),),
)


def progress(text: str) -> None:
    for shown in (LineProgress(), BarProgress()):
        shown.start(1)
        shown.stage(text, "convert")
        shown.advance(text, f"failed {text}")
        shown.finish()


def queried(form: str) -> Callable[[str], None]:
    def ask(text: str) -> None:
        found = answer(
            infected(PASSAGE, text), infected(Passage(stored=STORED, score=0, text="a"), text)
        )
        out(passages.render(replace(found, query=f"wheat {text}"), form, Path("/home/me")))

    return ask


def inspected(text: str) -> InspectAnswer:
    models = RecommendedModels(project="lab/wheat", chunks=2, languages={"de": 2})
    return InspectAnswer.of(infected(INSPECTION, text), INFO, models)


SHOWN: dict[str, Callable[[str], None]] = {
    **{f"query --format {f}": queried(f) for f in ("text", "json", "jsonl", "markdown", "pandoc")},
    "show": lambda text: out(passages.shown_text(infected(Shown(chunks=(STORED,)), text))),
    "show --json": lambda text: out_json(
        as_json(shown_passages(infected(Shown(chunks=(STORED,)), text)), Path("/home/me"))
    ),
    "ingest": lambda text: print_report(infected(INGEST, text), as_json=False),
    "ingest --json": lambda text: print_report(infected(INGEST, text), as_json=True),
    "inspect": lambda text: out(inspection_text(inspected(text), INFO)),
    "inspect --json": lambda text: out_json(as_json(inspected(text))),
    **{
        f"validate --format {form}": lambda text, form=form: out(  # type: ignore[misc]
            findings.render(replace(infected(FINDINGS, text), checks=("headings",)), form)
        )
        for form in ("text", "json", "junit")
    },
    "projects, models": lambda text: out(table([(text, text)], ("project", "model"))),
    "eval pages": lambda text: out(eval_pages._text(infected(PAGES, text), 5)),
    "eval pages --format junit": lambda text: out(eval_pages._junit(infected(PAGES, text))),
    "eval pages --format json": lambda text: out_json(
        as_json(PagesAnswer.of(infected(PAGES, text)))
    ),
    "eval compare": lambda text: out(comparison_text(infected(COMPARISON, text), "nDCG@10", 5)),
    "eval compare --format json": lambda text: out_json(infected(COMPARISON, text)),
    "zotero items": lambda text: show_items([infected(ITEM, text)], as_json=False),
    "zotero items --json": lambda text: show_items([infected(ITEM, text)], as_json=True),
    "zotero collections": lambda text: out(
        table(collections_command._tree(infected(COLLECTIONS, text)), ("k", "i", "b", "c"))
    ),
    "zotero doctor": lambda text: show_diagnosis(infected(DIAGNOSIS, text), 5),
    "zotero doctor --json": lambda text: out_json(
        as_json(DiagnosisAnswer.of(infected(DIAGNOSIS, text)))
    ),
    "zotero download": lambda text: out(download_command.download_text(infected(DOWNLOAD, text))),
    "zotero download --json": lambda text: out_json(
        as_json(DownloadAnswer.of(infected(DOWNLOAD, text)))
    ),
    "an error": lambda text: print_error(CiteloomError(text, text)),
    "a note": note,
    "styled": lambda text: out(painter(Screen(terminal=True))(text, "bold")),
    "progress": progress,
}


def printed(show: Callable[[str], None], text: str, *, terminal: bool) -> tuple[str, str]:
    """What goes to stdout and to stderr."""
    stdout, stderr = Screen(terminal=terminal), Screen(terminal=terminal)
    with redirect_stdout(stdout), redirect_stderr(stderr), suppress(typer.Exit):
        show(text)
    return stdout.getvalue(), stderr.getvalue()


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize("command", SHOWN)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=hostile)
def test_nothing_that_acts_or_hides_is_printed(command: str, terminal: bool, text: str) -> None:
    shown = printed(SHOWN[command], text, terminal=terminal)
    for stream in shown:
        plain = _OURS.sub("", stream) if terminal else stream
        if command == "styled":
            plain = _OURS.sub("", stream)
        if command == "progress":  # the bar has colours of its own
            plain = _COLOURS.sub("", plain)
        assert forbidden(plain) == []
        plain.encode()
    if "json" in command and "jsonl" not in command:
        json.loads(shown[0])


def test_a_name_with_a_line_end_makes_no_line_of_its_own() -> None:
    forged = "a.pdf\nerror [X]: call this number"
    lines = printed(SHOWN["ingest"], forged, terminal=False)[0].split("\n")
    assert not [line for line in lines if line.startswith("error [X]")]


def test_a_document_cannot_write_a_style_of_ours() -> None:
    style = painter(Screen(terminal=True))("", "red")
    seen = printed(out, style.replace(style[1:17], "0" * 16), terminal=True)[0]
    assert "\x1b" not in seen
