"""Requests for the documents of a project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import doc

from citeloom.application.requests.fields import For, flag
from citeloom.application.requests.passages import WorkFilters
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.retrieval.filters import LEAVE_OUT, check_text


@dataclass(frozen=True, kw_only=True)
class DocumentsRequest(WorkFilters):
    """Which documents are listed."""

    citekey: Annotated[str | None, For.EXPERTS, doc("Only documents of this work.")] = None
    doc_id: Annotated[str | None, For.CALLERS, doc("Only the document with this id.")] = None
    text: Annotated[
        str | None,
        flag(),
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
