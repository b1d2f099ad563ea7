"""The validation checks of a project and of Zotero, their severities and their limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from citeloom.domain.documents.conversion import LEAST_LOSS
from citeloom.domain.fields import (
    Count,
    CountOrZero,
    Example,
    Reads,
    Share,
    check_bounds,
    one_or_many,
)

# The validation checks of a project, their severities and their limits.


class Severity(StrEnum):
    """The severity of a finding: an error fails validation, a warning does if it is strict,
    an info is only reported, and a check that is off does not run.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Check:
    """What holds in a project that passes, the severity if it does not, and how to fix it."""

    promise: str
    severity: Severity
    hint: str = ""


_ANEW = "Run `citeloom ingest --force` on the document."
_REBUILD = "Run `citeloom ingest --rebuild`."
_SOURCE = "Look at the document: if its text layer is faulty, OCR may read it better."

CHECKS: Mapping[str, Check] = {
    "models": Check("chunks and vectors fit the bound models", Severity.ERROR),
    "store": Check("the store has the current schema and its indexes", Severity.ERROR, _REBUILD),
    "copies": Check(
        "every copy of the collection is active, and it is indexed",
        Severity.WARNING,
        "Look at the nodes: `citeloom store check`.",
    ),
    "references": Check("the references can be read", Severity.ERROR),
    "reference-notes": Check("the references are complete and consistent", Severity.WARNING),
    "sources": Check(
        "every configured source is there",
        Severity.ERROR,
        "Correct `sources` in citeloom.toml, or put the file or folder there.",
    ),
    "documents": Check(
        "the project has documents",
        Severity.ERROR,
        "Put documents into its sources, then run `citeloom ingest`.",
    ),
    "status": Check(
        "every document of the manifest is indexed",
        Severity.ERROR,
        "Fix or remove the file, then run `citeloom ingest` again.",
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
        "every reference has a DOI or a URL",
        Severity.INFO,
        "Add it to the reference, so that readers can find the work.",
    ),
    "retracted": Check(
        "no work has been retracted, as Zotero knows",
        Severity.WARNING,
        "Cite it as retracted, or take it out; `citeloom check` names citations of it.",
    ),
    "min-chunks": Check("every document has enough chunks", Severity.ERROR, _SOURCE),
    "body-share": Check(
        "chunks hold enough of every document's text",
        Severity.ERROR,
        "Lower chunking.min_signal_to_noise or min_chunk_tokens.",
    ),
    "lost-words": Check(
        "the words of every page are in chunks",
        Severity.WARNING,
        "Look at the page: a part was not recognised, or is noise; see `citeloom eval pages`.",
    ),
    "headings": Check("enough of a document's chunks are under a heading", Severity.WARNING),
    "order": Check("a document's chunks are numbered without a gap", Severity.ERROR, _ANEW),
    "page-order": Check(
        "a document's pages do not go backwards",
        Severity.WARNING,
        "Compare the pages with the file: their columns may be read in the wrong order.",
    ),
    "duplicates": Check("no text occurs twice in a document", Severity.ERROR, _SOURCE),
    "shared-text": Check(
        "no text occurs in many documents",
        Severity.WARNING,
        "It is likely a cover or licence page: remove it from the files.",
    ),
    "payload": Check("every stored payload follows its schema", Severity.ERROR, _ANEW),
    "id": Check("every chunk has the id that follows from its place", Severity.ERROR, _ANEW),
    "empty": Check("every chunk has text", Severity.ERROR, _ANEW),
    "pages": Check("no chunk ends after its document's last page", Severity.ERROR, _ANEW),
    "length": Check("chunks are neither shorter nor longer than configured", Severity.ERROR, _ANEW),
    "window": Check(
        "the model reads every chunk to its end",
        Severity.ERROR,
        "Set chunking.max_tokens to the model's window, and run `citeloom ingest --force`.",
    ),
    "signal": Check("every chunk has enough signal", Severity.ERROR, _ANEW),
    "labels": Check(
        "no chunk is made of the numbers and markers of a plot",
        Severity.WARNING,
        "Look at the page: a plot drawn as text was not recognised. Other chunks are not affected.",
    ),
    "hidden": Check(
        "documents hold no text that their readers do not see",
        Severity.WARNING,
        "Answers leave it out; see it with `citeloom query … --kind hidden`.",
    ),
    "encoding": Check("text is decoded correctly", Severity.ERROR, _SOURCE),
    "vectors": Check(
        "every chunk has a dense vector of the right size and length", Severity.ERROR, _ANEW
    ),
    "sparse": Check(
        "every chunk of a hybrid collection has a sparse vector with terms", Severity.ERROR, _ANEW
    ),
}
"""Every check by name, in the order of the report."""


def _severities(gradings: object) -> object:
    """Severities of checks, each written as `check=severity`."""
    listed = one_or_many(gradings)
    severities = {}
    for grading in listed if isinstance(listed, list | tuple) else (listed,):
        check, _, severity = str(grading).partition("=")
        if severity not in set(Severity):
            raise ValueError(
                f"must be a check and its severity, such as headings=error, not {grading}"
            )
        if check not in CHECKS:
            raise ValueError(f"must name one of the checks, not {check}: {', '.join(CHECKS)}")
        severities[check] = Severity(severity)
    return severities


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationPolicy:
    """The limits and severities of `citeloom validate`."""

    min_body_share: Share = 0.9
    """Minimum share of a document's body text that must be in chunks."""
    max_lost_words: CountOrZero = LEAST_LOSS - 1
    """Maximum number of a page's words that may be in no chunk."""
    max_window_overflow: CountOrZero = 0
    """Maximum number of chunks longer than the model's window."""
    min_chunks_per_document: CountOrZero = 1
    """Minimum number of chunks of an indexed document."""
    min_headed_share: Share = 0.5
    """Minimum share of a document's chunks that must be under a heading."""
    max_label_share: Share = 0.7
    """Maximum share of numbers and single letters among the words of a text chunk."""
    max_garbled_share: Share = 0.01
    """Maximum share of garbled characters in a chunk."""
    max_documents_per_text: Count = 2
    """Maximum number of documents that share the text of a chunk."""
    max_norm_deviation: Share = 0.01
    """Maximum deviation of a vector's length from 1."""
    require_citekey: bool = False
    """Whether every document must have a reference."""
    strict: bool = False
    """Whether warnings fail validation, too."""
    severity: Annotated[
        Mapping[str, Severity], Example(("headings=error", "identifier=off")), Reads(_severities)
    ] = field(default_factory=dict)
    """Severity of a check: error, warning, info, or off."""

    def __post_init__(self) -> None:
        check_bounds(self)
        if unknown := self.severity.keys() - CHECKS.keys():
            raise ValueError(f"no such check: {', '.join(sorted(unknown))}")

    def severity_of(self, check: str) -> Severity:
        """The severity of the check under this policy."""
        if check == "citekey" and self.require_citekey:
            return Severity.ERROR
        return self.severity.get(check, CHECKS[check].severity)


# The checks of `zotero doctor`.

_INGEST = "Run `{command}`."

ZOTERO_CHECKS: Mapping[str, Check] = {
    "file": Check(
        "every attached file is where Zotero says",
        Severity.ERROR,
        "In Zotero, synchronise files, or open the attachment and locate its file; "
        "`citeloom zotero download` fetches those that are on zotero.org.",
    ),
    "base-dir": Check(
        "the base directory of relative links is known",
        Severity.ERROR,
        "Set base_dir in [zotero], or the base directory in Zotero's settings.",
    ),
    "citekey-clash": Check(
        "no two items have the same citekey",
        Severity.ERROR,
        "Change all but one of them, since their passages share a citation.",
    ),
    "retracted": Check(
        "no item has been retracted",
        Severity.WARNING,
        "See in Zotero why, and cite it as retracted, or take it out.",
    ),
    "duplicate": Check(
        "no items of a library are duplicates, as Zotero finds them",
        Severity.WARNING,
        "Merge them under Duplicate Items in Zotero, so that each work has one citekey.",
    ),
    "citekey": Check(
        "every item has a citekey",
        Severity.WARNING,
        "Give it one with Better BibTeX, or in a line `Citation Key: …` of Extra.",
    ),
    "title": Check("every item has a title", Severity.WARNING, "Add it in Zotero."),
    "creator": Check("every item has a creator", Severity.WARNING, "Add one in Zotero."),
    "year": Check("every item has a year", Severity.WARNING, "Add its date in Zotero."),
    "doi": Check(
        "every article and paper has a DOI",
        Severity.INFO,
        "Add it in Zotero, so that readers can find the work.",
    ),
    "attachment": Check(
        "every item has a document",
        Severity.INFO,
        "In Zotero, use Find Full Text, or add the file to the item.",
    ),
    "item": Check(
        "every document belongs to an item",
        Severity.WARNING,
        "In Zotero, use Create Parent Item, which looks up the reference.",
    ),
    "reading": Check("Zotero's data are consistent", Severity.WARNING),
    "format": Check(
        "every document is in a supported format",
        Severity.INFO,
        "Attach a PDF, or a copy in another format, to the item.",
    ),
    "unreadable": Check(
        "every document could be read",
        Severity.ERROR,
        "Replace the file in Zotero, then run `{command}`.",
    ),
    "scanned": Check(
        "every document has text, or images that could be read",
        Severity.ERROR,
        "`citeloom models` lists the OCR engines: install more languages for one, then "
        "run `{command}`.",
    ),
    "not-indexed": Check("every document is indexed", Severity.WARNING, _INGEST),
    "out-of-date": Check(
        "every indexed document is up to date with Zotero", Severity.WARNING, _INGEST
    ),
    "deleted": Check("every indexed document is still in Zotero", Severity.WARNING, _INGEST),
    "unmatched": Check(
        "every indexed document has a reference",
        Severity.WARNING,
        "In Zotero, create a parent item for it, then run `{command}`.",
    ),
}
"""Every check by name, in the order of the report; those from `format` on need a project."""
