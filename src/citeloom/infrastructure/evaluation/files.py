"""Questions, claims and benchmarks in BEIR's form, read from files of lines; and saved runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from citeloom.application.evaluate.saved_runs import RunFile, RunFiles
from citeloom.domain.answers.evaluation import LabelledClaim
from citeloom.domain.errors import InvalidQrels
from citeloom.domain.evaluation.measures import (
    EvaluationCollection,
    EvaluationRun,
    Question,
    RelevanceJudgement,
    Text,
)

# Files with one record per line.

Row = TypeVar("Row")


def parsed(path: Path, parse: Callable[[str], Row], hint: str) -> list[tuple[int, Row]]:
    """The number and the parsed record of each line that is not blank.

    Raises `InvalidQrels` with the line on which `parse` raises a `ValueError`, and for an empty
    file.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise InvalidQrels(f"there is no file {path}", hint) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidQrels(
            f"{path} cannot be read: {error}", "Name a file in UTF-8 that you may read."
        ) from error
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            rows.append((number, parse(line)))
        except ValueError as error:
            reason = str(error)
            if isinstance(error, ValidationError):
                first = error.errors(include_url=False, include_input=False)[0]
                where = ".".join(map(str, first["loc"]))
                reason = f"{where}: {first['msg']}" if where else first["msg"]
            raise InvalidQrels(f"{path}, line {number}: {reason}", hint) from error
    if not rows:
        raise InvalidQrels(f"{path} is empty", hint)
    return rows


def unique(path: Path, questions: Iterable[Question]) -> Iterator[Question]:
    """The questions in order. Raises `InvalidQrels` when an id is repeated."""
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise InvalidQrels(
                f"{path} has two questions with the id '{question.id}'",
                "Give each question an id of its own.",
            )
        seen.add(question.id)
        yield question


# Test collections in BEIR format: corpus.jsonl, queries.jsonl, qrels/test.tsv.

_HEADER = "query-id"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, hide_input_in_errors=True, coerce_numbers_to_str=True)

    id: str = Field(alias="_id", min_length=1)
    title: str | None = None
    text: str


def read_collection(folder: Path) -> EvaluationCollection:
    """The texts of a collection and the queries that have qrels.

    Raises `InvalidQrels` with the file and line that cannot be read.
    """
    hint = "A collection in BEIR format has corpus.jsonl, queries.jsonl and qrels/test.tsv."
    corpus = parsed(folder / "corpus.jsonl", _Record.model_validate_json, hint)
    queries = parsed(folder / "queries.jsonl", _Record.model_validate_json, hint)
    qrels = parsed(folder / "qrels" / "test.tsv", _qrel, hint)
    evidence: dict[str, list[RelevanceJudgement]] = {}
    for _, (query, work, grade) in qrels:
        if grade > 0:
            evidence.setdefault(query, []).append(RelevanceJudgement(work=work, grade=grade))
    questions = [
        Question(id=q.id, kind="query", text=q.text, evidence=tuple(evidence[q.id]))
        for _, q in queries
        if q.id in evidence
    ]
    return EvaluationCollection(
        name=folder.resolve().name,
        texts=tuple(Text(id=r.id, title=r.title or "", text=r.text) for _, r in corpus),
        questions=tuple(unique(folder / "queries.jsonl", questions)),
    )


def _qrel(line: str) -> tuple[str, str, int]:
    """Query id, text id and grade of a line; the header has no grade."""
    fields = line.split("\t")
    if len(fields) != 3:
        raise ValueError("a line must be query-id, corpus-id and score, separated by tabs")
    query, work, grade = fields
    return query, work, 0 if query == _HEADER else int(grade)


# Labelled claims from JSON lines.


class _ClaimRow(BaseModel):
    """A line of the file; unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    question: str = ""
    claim: str = Field(min_length=1)
    quotes: list[Annotated[str, Field(min_length=1)]]
    supported: bool
    kind: str = "claim"


def read_claims(path: Path) -> tuple[LabelledClaim, ...]:
    """The claims of a file, in its order. Raises `InvalidQrels` with the line that is none."""
    read = parsed(
        path,
        _ClaimRow.model_validate_json,
        'Each line is a JSON object such as {"question": "…", "claim": "…", "quotes": ["…"], '
        '"supported": true, "kind": "…"}.',
    )
    return tuple(
        LabelledClaim(
            question=row.question,
            claim=row.claim,
            quotes=tuple(row.quotes),
            supported=row.supported,
            kind=row.kind,
        )
        for _, row in read
    )


# Questions with evidence from JSON lines, in either of two forms.

Page = Annotated[int, Field(ge=1)]
Works = dict[str, list[Page]]


class _QuestionRow(BaseModel):
    """A line of the file; unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    id: str | None = None
    kind: str | None = None
    question: str = Field(validation_alias=AliasChoices("question", "sentence"), min_length=1)
    sentence: str | None = None
    citekey: str | None = None
    citekeys: list[str] = Field(default_factory=list)
    page: Page | None = None
    pages: Works | list[Page] = Field(default_factory=list)
    evidence: str | list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _whose_pages(self) -> _QuestionRow:
        if self._numbers and len(self._named) != 1:
            raise ValueError("pages of several works are written as {citekey: [pages]}")
        return self

    @property
    def _numbers(self) -> list[int]:
        listed = [] if isinstance(self.pages, dict) else self.pages
        return [*listed, *([self.page] if self.page else [])]

    @property
    def _named(self) -> list[str]:
        return [*self.citekeys, *([self.citekey] if self.citekey else [])]

    def works(self) -> Works:
        """The pages of each work with evidence; empty if only the work is known."""
        if isinstance(self.pages, dict):
            return self.pages
        return dict.fromkeys(self._named, self._numbers)

    def quotations(self) -> tuple[str, ...]:
        """The texts one of which a passage should hold word for word."""
        quotations = [self.evidence] if isinstance(self.evidence, str) else self.evidence
        return tuple(text for text in [*quotations, self.sentence] if text)


def read_questions(path: Path) -> tuple[Question, ...]:
    """The questions of a file, in its order; one without an id is named by its line number.

    Raises `InvalidQrels` with the line that is not a question, or whose id is repeated.
    """
    read = parsed(
        path,
        _QuestionRow.model_validate_json,
        'Each line is a JSON object such as {"id": "q1", "question": "…", "citekey": "rye2001", '
        '"pages": [3]}.',
    )
    questions = (
        Question(
            id=row.id or f"line {number}",
            kind=row.kind or ("sentence" if row.sentence else "question"),
            text=row.question,
            evidence=tuple(
                RelevanceJudgement(work=work, page=page)
                for work, pages in row.works().items()
                for page in pages or (None,)
            ),
            quotations=row.quotations(),
        )
        for number, row in read
    )
    return tuple(unique(path, questions))


# Saved evaluation runs.

_MAKE_ONE = "Save a run with `citeloom eval run --output RUN.json`."
_MOST = 200
_MOST_BYTES = 64 << 20


class RunFolder(RunFiles):
    """The files `*.json` directly in a folder, the 200 written last; larger ones than 64 MB are
    called unreadable. `parse` reads one of them.
    """

    def __init__(self, folder: Path, parse: Callable[[Path], EvaluationRun]) -> None:
        self._folder = folder
        self._parse = parse

    def files(self) -> list[RunFile]:
        found = []
        for path in self._folder.glob("*.json"):
            with suppress(FileNotFoundError):  # it is replaced, or was just deleted
                state = path.stat()
                found.append(RunFile(path.name, (state.st_mtime_ns, state.st_size)))
        return sorted(found, key=lambda file: (file.version, file.name), reverse=True)[:_MOST]

    def read(self, name: str) -> EvaluationRun:
        path = self._folder / name
        try:
            is_large = path.stat().st_size > _MOST_BYTES
        except OSError as error:
            raise InvalidQrels(f"{name} cannot be read: {error.strerror}", _MAKE_ONE) from error
        if is_large:
            raise InvalidQrels(f"{name} is larger than {_MOST_BYTES >> 20} MB", _MAKE_ONE)
        return self._parse(path)
