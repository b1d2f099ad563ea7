"""The [validate] table: the limits and severities of `citeloom validate`."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from citeloom.domain.validation import Severity, ValidationPolicy
from citeloom.infrastructure.settings.values import (
    Count,
    CountOrZero,
    Graded,
    Share,
    Table,
    one_or_many,
)

_VALIDATION = ValidationPolicy()


class ValidationTable(Table):
    """The limits and severities of `citeloom validate`."""

    min_body_share: Share = Field(
        default=_VALIDATION.min_body_share,
        description="Least share of a document's body text that must be in chunks.",
    )
    max_window_overflow: CountOrZero = Field(
        default=_VALIDATION.max_window_overflow,
        description="Number of chunks that may be longer than the model's window.",
    )
    min_chunks_per_document: CountOrZero = Field(
        default=_VALIDATION.min_chunks_per_document,
        description="Least number of chunks of an indexed document.",
    )
    min_headed_share: Share = Field(
        default=_VALIDATION.min_headed_share,
        description="Least share of a document's chunks that must be under a heading.",
    )
    max_label_share: Share = Field(
        default=_VALIDATION.max_label_share,
        description="Largest share of numbers and single letters among the words of a text chunk.",
    )
    max_garbled_share: Share = Field(
        default=_VALIDATION.max_garbled_share,
        description="Largest share of garbled characters in a chunk.",
    )
    max_documents_per_text: Count = Field(
        default=_VALIDATION.max_documents_per_text,
        description="Number of documents that may share the text of a chunk.",
    )
    max_norm_deviation: Share = Field(
        default=_VALIDATION.max_norm_deviation,
        description="Largest deviation of a vector's length from 1.",
    )
    require_citekey: bool = Field(
        default=_VALIDATION.require_citekey,
        description="Whether every document must have a reference.",
    )
    strict: bool = Field(
        default=_VALIDATION.strict, description="Whether warnings fail validation as well."
    )
    severity: Annotated[tuple[Graded, ...], BeforeValidator(one_or_many)] = Field(
        default=(),
        examples=[["headings=error", "identifier=off"]],
        description="Severity of a check: error, warning, info, or off.",
    )

    def policy(self) -> ValidationPolicy:
        """The domain's policy."""
        graded = {
            name: Severity(level) for name, _, level in (g.partition("=") for g in self.severity)
        }
        return self.made_into(ValidationPolicy, severity=graded)
