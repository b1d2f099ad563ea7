"""The checks a project must pass, how grave each is, and the limits they hold it to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding matters: an error fails the gate, a warning does if the gate is strict,
    an info is only told, and a check that is off does not run.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Check:
    """What holds of a project that passes, how grave it is that it does not, and what mends it."""

    promise: str
    severity: Severity
    hint: str = ""


_ANEW = "Run `citeloom ingest --force` on the document."
_REBUILD = "Run `citeloom ingest --rebuild`."
_SOURCE = "Look at the document: its text layer may be faulty, and OCR read it better."

CHECKS: Mapping[str, Check] = {
    "models": Check("chunks are counted and embedded with the bound models", Severity.ERROR),
    "store": Check("the store has the current schema and its indexes", Severity.ERROR, _REBUILD),
    "references": Check("the references can be read", Severity.ERROR),
    "reference-notes": Check("nothing in the references is odd or missing", Severity.WARNING),
    "status": Check(
        "every document of the manifest is indexed",
        Severity.ERROR,
        "Mend or remove the file, then run `citeloom ingest` again.",
    ),
    "missing-chunks": Check(
        "the store holds all the chunks the manifest counts", Severity.ERROR, _ANEW
    ),
    "orphans": Check("every chunk belongs to a document of the manifest", Severity.ERROR),
    "citation": Check("chunks carry the reference the manifest names", Severity.ERROR, _ANEW),
    "citekey": Check(
        "every document has a reference",
        Severity.WARNING,
        "Add it to the references, or name it under [project.….files].",
    ),
    "identifier": Check(
        "every reference has a DOI or an address",
        Severity.INFO,
        "Add it to the reference, so that readers can find the work.",
    ),
    "min-chunks": Check("every document has enough chunks", Severity.ERROR, _SOURCE),
    "body-share": Check(
        "chunks hold enough of every document's text",
        Severity.ERROR,
        "Lower chunking.min_signal_to_noise or min_chunk_tokens.",
    ),
    "headings": Check("enough of a document's chunks stand in a section", Severity.WARNING),
    "order": Check("a document's chunks are numbered without a gap", Severity.ERROR, _ANEW),
    "page-order": Check(
        "a document's pages do not go backwards",
        Severity.WARNING,
        "Compare the pages with the file: their columns may be read in the wrong order.",
    ),
    "duplicates": Check("no text comes twice in a document", Severity.ERROR, _SOURCE),
    "shared-text": Check(
        "no text comes in many documents",
        Severity.WARNING,
        "It is likely a cover or licence page: cut it out of the files.",
    ),
    "payload": Check("every stored payload is as its schema says", Severity.ERROR, _ANEW),
    "id": Check("every chunk has the id its place gives it", Severity.ERROR, _ANEW),
    "empty": Check("every chunk has text", Severity.ERROR, _ANEW),
    "pages": Check("no chunk ends behind its document's last page", Severity.ERROR, _ANEW),
    "length": Check("chunks are neither shorter nor longer than asked", Severity.ERROR, _ANEW),
    "window": Check(
        "the model reads every chunk to its end",
        Severity.ERROR,
        "Set chunking.max_tokens to the model's window, and run `citeloom ingest --force`.",
    ),
    "signal": Check("every chunk says something", Severity.ERROR, _ANEW),
    "encoding": Check("text is decoded as it was printed", Severity.ERROR, _SOURCE),
    "vectors": Check(
        "every chunk has a dense vector of the right size and length", Severity.ERROR, _ANEW
    ),
    "sparse": Check("every chunk of a hybrid collection has its words", Severity.ERROR, _ANEW),
}
"""Every check, by name, in the order they are told of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationPolicy:
    """What a project must keep to pass validation; `severity` goes over that of the checks."""

    min_body_share: float = 0.9
    min_headed_share: float = 0.5
    max_garbled_share: float = 0.01
    max_norm_deviation: float = 0.01
    max_window_overflow: int = 0
    min_chunks_per_document: int = 1
    max_documents_per_text: int = 2
    require_citekey: bool = False
    strict: bool = False
    severity: Mapping[str, Severity] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if unknown := self.severity.keys() - CHECKS.keys():
            raise ValueError(f"no such check: {', '.join(sorted(unknown))}")

    def severity_of(self, check: str) -> Severity:
        """How grave what the check finds is here."""
        if check == "citekey" and self.require_citekey:
            return Severity.ERROR
        return self.severity.get(check, CHECKS[check].severity)
