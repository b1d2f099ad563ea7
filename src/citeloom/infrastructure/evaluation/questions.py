"""Questions with evidence from JSON lines, in either of two forms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from citeloom.domain.evaluation import Evidence, Question
from citeloom.infrastructure.evaluation.lines import parsed, unique

Page = Annotated[int, Field(ge=1)]
Works = dict[str, list[Page]]


class _Row(BaseModel):
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
    def _whose_pages(self) -> _Row:
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
        given = [self.evidence] if isinstance(self.evidence, str) else self.evidence
        return tuple(text for text in [*given, self.sentence] if text)


def read_questions(path: Path) -> tuple[Question, ...]:
    """The questions of a file, in its order; one without an id is named by its line number.

    Raises `InvalidQrels` with the line that is not a question, or whose id is repeated.
    """
    read = parsed(
        path,
        _Row.model_validate_json,
        'Each line is a JSON object such as {"id": "q1", "question": "…", "citekey": "rye2001", '
        '"pages": [3]}.',
    )
    return tuple(unique(path, [_question(row, number) for number, row in read]))


def _question(row: _Row, number: int) -> Question:
    return Question(
        id=row.id or f"line {number}",
        kind=row.kind or ("sentence" if row.sentence else "question"),
        text=row.question,
        evidence=tuple(
            Evidence(work=work, page=page)
            for work, pages in row.works().items()
            for page in pages or (None,)
        ),
        quotations=row.quotations(),
    )
