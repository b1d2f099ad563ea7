"""Labelled claims from JSON lines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from citeloom.domain.answers.claim_evaluation import LabelledClaim
from citeloom.infrastructure.evaluation.lines import parsed


class _Row(BaseModel):
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
        _Row.model_validate_json,
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
