"""The page on the JSON that citeloom prints, made from the types that describe it.

A type's section has its docstring, and a row for each of its keys with the words that stand below
it in the source.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from citeloom.application.delete import DeleteReport
from citeloom.application.documents import ListedDocument
from citeloom.application.evaluate.sweep import SweepReport
from citeloom.application.library_info import ProjectSummary
from citeloom.application.match import MatchCandidates
from citeloom.application.repair import RepairReport
from citeloom.domain.documents.manifest import ManifestEntry
from citeloom.domain.evaluation.comparison import RunComparison
from citeloom.domain.evaluation.measures import EvaluationRun
from citeloom.domain.manuscript.evidence_bundle import EvidenceBundle
from citeloom.domain.policies import ChunkingPolicy, RetrievalPolicy
from citeloom.domain.project import Project
from citeloom.domain.retrieval.passage import StoredChunk
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.answers import (
    ask,
    concordance,
    draft_checks,
    draft_support,
    evaluations,
    ingests,
    library,
    literature_matrix,
    passages,
    ro_crate,
    zotero,
)
from citeloom.infrastructure.answers import model as models

HEAD = """\
# JSON

`--json` asks any command for it; where a command has other formats, too, `--format json` is the
same. What is common to all of it (untrusted words, how well passages fit, positions in files,
results in a shape of your own, HTTP) stands in [docs/json.md](../json.md). Keys are only ever
added; a key that is listed here keeps its name and meaning. This page is made from the types that
the tests check every result against.
"""
SECTIONS: Sequence[tuple[str, str, Sequence[Any]]] = (
    (
        "query",
        "`query --format json`; `--format jsonl` prints one passage a line.",
        [passages.QueryAnswer],
    ),
    ("ask", "`ask --format json`.", [ask.AskAnswer]),
    (
        "chat",
        "`chat --format json` prints one line an answer. What is kept of an answer is cut: a "
        "`quote` at 2,000 characters, `retrieved_chunks`, `authors` and `tags` at 20, long values "
        "of `metadata` are left out. `chat list --json` lists sessions; `chat export ID "
        "--format json` is one with its turns.",
        [ask.TurnAnswer, ask.SessionEntry, ask.SessionAnswer],
    ),
    ("show", "`show --json`: a list, in reading order.", [passages.ShownPassage]),
    (
        "list",
        "`list --json`: a list, one document a line; `list --manifest --json`: the indexed files.",
        [ListedDocument, library.ManifestAnswer],
    ),
    ("projects", "`projects --json`: a list.", [ProjectSummary]),
    ("inspect", "`inspect --json`.", [library.InspectAnswer]),
    (
        "ingest, sync and watch",
        "`ingest --json` and `sync --json`; `watch --json` prints one line for the first run, and "
        "one for each run that changed anything. A line of `.citeloom/audit/` is the same record.",
        [ingests.IngestAnswer],
    ),
    ("match", "`match --json`: a list of the documents without a reference.", [MatchCandidates]),
    (
        "find",
        "`find --json`: as many places as `-k` says.",
        [concordance.ConcordanceAnswer, concordance.ConcordanceLine],
    ),
    (
        "collect",
        "`collect --json` of a passage; without one a list of chapters; with `--chapter` alone "
        "that chapter and its text.",
        [passages.CollectedAnswer, passages.CollectedChapter, passages.ChapterText],
    ),
    ("delete", "`delete --json`.", [DeleteReport]),
    ("repair", "`repair --json`. With findings it ends with 4.", [RepairReport]),
    ("models", "`models --json`.", [library.ModelsAnswer]),
    (
        "store check",
        "`store check --json`. It ends with 13 if the store is not available, with 4 if there are "
        "problems.",
        [library.StoreAnswer],
    ),
    ("validate", "`validate --format json`.", [library.Validation]),
    ("check", "`check --format json`.", [draft_checks.DraftChecks]),
    (
        "cite",
        "`POST cite` over HTTP, and the tool `cite` over MCP.",
        [draft_checks.CitedAnswer],
    ),
    ("support", "`support --json`.", [draft_support.SupportAnswer]),
    ("matrix", "`matrix --format json`.", [literature_matrix.MatrixAnswer]),
    (
        "bundle",
        "`passages.json` in an archive of `bundle`; `bundle verify --json`.",
        [EvidenceBundle, ro_crate.BundleReplayAnswer],
    ),
    ("calibrate", "`calibrate --json`.", [evaluations.CalibrationAnswer]),
    (
        "eval run and eval ir",
        "`eval run` and `eval ir --format json`, and the file of `--output`; with a reranker there "
        "is its gain.",
        [EvaluationRun, evaluations.RerankedRunAnswer],
    ),
    ("eval compare", "`eval compare --format json`.", [RunComparison]),
    ("eval sweep", "`eval sweep --format json`.", [SweepReport]),
    ("eval answers", "`eval answers --format json`.", [evaluations.AnswerEvaluationAnswer]),
    ("eval claims", "`eval claims --format json`.", [evaluations.ClaimEvaluationAnswer]),
    (
        "eval pages",
        "`eval pages --format json`. What the verdicts mean is in [pages.md](../pages.md).",
        [evaluations.PagesAnswer],
    ),
    (
        "zotero",
        "`zotero collections`, `items`, `recent` and `tags --json`: lists, one entry a line.",
        [zotero.CollectionEntry, zotero.ItemEntry, zotero.TagEntry, zotero.AnnotationEntry],
    ),
    ("zotero doctor", "`zotero doctor --json`.", [zotero.DiagnosisAnswer]),
    ("zotero download", "`zotero download --json`.", [zotero.DownloadAnswer]),
    (
        "Jobs and errors",
        "A job and its events over HTTP, and an error, also over MCP.",
        [ingests.JobEntry, ingests.JobEventEntry, ingests.ErrorEntry],
    ),
    (
        "Lists and events over HTTP",
        "",
        [
            library.DocumentPageAnswer,
            library.DocumentAnswer,
            passages.PassageAnswer,
            passages.ChaptersAnswer,
            ask.FoundAnswer,
            ask.NumberedSentence,
            ask.SessionList,
            zotero.CollectionList,
            zotero.ItemList,
            zotero.TagList,
            ingests.JobList,
        ],
    ),
)
ELSEWHERE: Mapping[Any, str] = {
    Project: "[project](configuration.md#project)",
    ChunkingPolicy: "[chunking](configuration.md#chunking)",
    RetrievalPolicy: "[retrieval](configuration.md#retrieval)",
    ZoteroSelection: "[selection](configuration.md#project)",
    StoredChunk: "chunk as it is stored",
    ManifestEntry: "entry of the manifest",
}
PLAIN: Mapping[Any, str] = {
    str: "string",
    models.SourcePath: "string",
    models.FilePlace: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    datetime: "time",
    Path: "string",
    object: "any value",
    Any: "any value",
}


def json_page() -> str:
    """The whole page."""
    done: set[Any] = set()
    parts = [HEAD]
    for title, words, roots in SECTIONS:
        parts.append(f"\n## {title}\n" + (f"\n{words}\n" if words else ""))
        parts += [section for root in roots for section in _sections(root, done)]
    return "".join(parts)


def _sections(kind: Any, done: set[Any]) -> Iterator[str]:
    """The section of a type, and those of the types in it that have none yet."""
    if kind in done:
        return
    done.add(kind)
    yield _section(kind)
    for base in _bases(kind):
        yield from _sections(base, done)
    for hint in models.hints(kind).values():
        for inner in _described(hint):
            yield from _sections(inner, done)


def _section(kind: Any) -> str:
    text, words = f"\n### {name_of(kind)}\n", _docstring(kind)
    text += f"\n{words}\n" if words else ""
    if bases := [link(base) for base in _bases(kind)]:
        text += f"\nIt has the keys of {' and of '.join(bases)}, and:\n"
    rows = "".join(
        f"| `{key}` | {type_words(hint)} | {words} |\n" for key, hint, words in keys(kind)
    )
    return f"{text}\n| key | type | what |\n|---|---|---|\n{rows}" if rows else text


def name_of(kind: Any) -> str:
    """The heading of a type's section: `FoundPassage` is `Found passage`."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", kind.__name__).capitalize()


def link(kind: Any) -> str:
    """A link to the section of a type."""
    return f"[{name_of(kind)}](#{name_of(kind).lower().replace(' ', '-')})"


def type_words(hint: Any) -> str:
    """A type in words."""
    named = ELSEWHERE.get(hint) or PLAIN.get(hint)
    if named is not None:
        return named
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _choice([f"`{one.value}`" for one in hint])
    return link(hint) if is_object(hint) else _composed(get_origin(hint), get_args(hint))


def _composed(origin: Any, inner: tuple[Any, ...]) -> str:
    if origin is Literal:
        return _choice([f"`{one}`" for one in inner])
    if origin in {Union, UnionType}:
        named = [type_words(one) for one in inner if one is not NoneType]
        return _choice([*named, *(["null"] if NoneType in inner else [])])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"{type_words(inner[1])} by name"
    return f"list of {type_words(inner[0])}"


def _choice(words: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def is_object(hint: Any) -> bool:
    """Whether JSON has an object with named keys for a type."""
    return isinstance(hint, type) and (issubclass(hint, models.Model) or is_dataclass(hint))


def _described(hint: Any) -> Iterator[Any]:
    """The types in a hint that have a section."""
    if hint in ELSEWHERE or hint in PLAIN:
        return
    if is_object(hint):
        yield hint
    for inner in get_args(hint):
        yield from _described(inner)


def _bases(kind: Any) -> list[Any]:
    return [base for base in kind.__bases__ if is_object(base) and base is not models.Model]


def keys(kind: Any) -> Iterator[tuple[str, Any, str]]:
    """The keys that a type has itself, each with its type and the words that stand below it, or
    below the property.
    """
    described_by = [each for each in (models.source_of(kind), kind) if each]
    words = {k: w for each in described_by for k, w in _words(_tree(each).body).items()}
    for name, hint in models.hints(kind).items():
        if name in words:
            yield models.key_of(name), hint, words[name]


def _words(body: Sequence[ast.stmt]) -> dict[str, str]:
    words = {}
    for line, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(line, ast.FunctionDef):
            words[line.name] = _in_a_cell(ast.get_docstring(line))
        elif isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            below = after.value if isinstance(after, ast.Expr) else None
            words[line.target.id] = _in_a_cell(
                below.value if isinstance(below, ast.Constant) else ""
            )
    return words


def _in_a_cell(text: object) -> str:
    return " ".join(str(text or "").split()).replace("|", "\\|")


def _docstring(kind: Any) -> str:
    return " ".join((ast.get_docstring(_tree(kind)) or "").split())


@cache
def _tree(kind: Any) -> ast.ClassDef:
    """The source of a type."""
    module = ast.parse(inspect.getsource(sys.modules[kind.__module__]))
    classes = (line for line in module.body if isinstance(line, ast.ClassDef))
    return next(line for line in classes if line.name == kind.__name__)
