"""The checks of `zotero doctor`."""

from __future__ import annotations

from collections.abc import Mapping

from citeloom.domain.validation import Check, Severity

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
