"""Requests for the documents of a project, and for checks of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import doc

from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.fields import (
    Brief,
    Called,
    Choices,
    For,
    Request,
    Served,
    flag,
)
from citeloom.application.requests.passages import WorkFilters
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.retrieval.filters import LEAVE_OUT, check_text
from citeloom.domain.validation import CHECKS


@dataclass(frozen=True, kw_only=True)
class DocumentsRequest(WorkFilters):
    """Which documents are listed."""

    citekey: Annotated[str | None, For.EXPERTS, doc("Only documents of this work.")] = None
    doc_id: Annotated[str | None, For.CALLERS, doc("Only the document with this id.")] = None
    text: Annotated[
        str | None,
        flag(),
        Brief("In title, author, citekey or path."),
        doc("Only documents with these words in title, authors, citekey or path."),
    ] = None
    state: Annotated[
        DocumentState | str | None, flag("--status"), doc("Only documents in this state.")
    ] = None
    missing_reference: Annotated[bool, doc("Only documents without a reference.")] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.text is not None:
            check_text("search text", self.text, LEAVE_OUT)


ALL_DOCUMENTS = DocumentsRequest()


_CHECK = Choices("Check", CHECKS.keys())


@dataclass(frozen=True, kw_only=True)
class ValidateRequest(Request):
    """What is checked of a project: everything but `skip`, or `only` some."""

    only: Annotated[
        Sequence[Annotated[str, _CHECK]] | Collection[str] | str,
        Called("check"),
        flag("--check", metavar="NAME"),
        Served(len(CHECKS), key="check"),
        doc("Run only this check."),
    ] = ()
    skip: Annotated[
        Sequence[Annotated[str, _CHECK]] | Collection[str] | str,
        Called("check"),
        flag("--skip", metavar="NAME"),
        Served(len(CHECKS)),
        doc("Skip this check."),
    ] = ()
    cancellation: Annotated[
        Cancellation | None, For.CALLERS, doc("Ends it from another thread.")
    ] = field(default=None, compare=False, repr=False)
