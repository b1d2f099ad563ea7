"""References as CSL items, with every field that their file has."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.domain.errors import InvalidReferences
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.references.titles import normalise_doi
from citeloom.infrastructure.manuscript.pandoc import run_pandoc

Item = dict[str, Any]
_FORMATS = {".bib": "biblatex", ".bibtex": "biblatex", ".ris": "ris"}


def read_items(path: Path) -> list[Item]:
    """The items of a CSL-JSON, BibTeX or RIS file, the latter two as Pandoc reads them; of Better
    BibTeX's own JSON none. Raises `InvalidReferences`.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidReferences(
            f"the references file {path} cannot be read: {error.strerror}", "Check `references`."
        ) from error
    suffix = path.suffix.lower()
    if suffix in _FORMATS:
        content = run_pandoc(["-f", _FORMATS[suffix], "-t", "csljson"], content, path.name)
    try:
        read = json.loads(content.decode("utf-8-sig"))
    except ValueError as error:
        raise InvalidReferences(f"{path.name} is no JSON: {error}", "Export it again.") from error
    return [one for one in read if isinstance(one, dict)] if isinstance(read, list) else []


def items_of(references: Iterable[CitationMeta], items: Sequence[Mapping[str, Any]]) -> list[Item]:
    """An item for each reference, named by its citekey: the file's, found by key, DOI or title,
    else one of the few fields that are known.
    """
    by_key = {_key(one): one for one in items}
    by_doi = {normalise_doi(str(one.get("DOI") or "")): one for one in items}
    by_title = {str(one.get("title") or "").casefold(): one for one in items}
    found = []
    for reference in references:
        item = (
            by_key.get(reference.citekey)
            or (by_doi.get(reference.doi) if reference.doi else None)
            or (by_title.get(reference.title.casefold()) if reference.title else None)
        )
        found.append({**(item or _made(reference)), "id": reference.citekey})
    return [_without_notes(one) for one in found]


def _key(item: Mapping[str, Any]) -> str:
    return str(item.get("citation-key") or item.get("citationKey") or item.get("id") or "")


def _made(reference: CitationMeta) -> Item:
    """An item of what the library itself knows of a work."""
    item: Item = {
        "type": "article-journal" if reference.container else "document",
        "title": reference.title,
        "author": [_name(author) for author in reference.authors],
        "container-title": reference.container,
        "page": reference.pages,
        "DOI": reference.doi,
        "URL": None if reference.doi else reference.url,
        "language": reference.language,
    }
    if reference.year is not None:
        item["issued"] = {"date-parts": [[reference.year]]}
    return {name: value for name, value in item.items() if value}


def _name(author: str) -> Item:
    family, comma, given = author.partition(", ")
    return {"family": family, "given": given} if comma else {"literal": author}


_NOT_PRINTED = frozenset({"abstract", "note", "file", "keyword", "citation-key", "annote"})


def _without_notes(item: Item) -> Item:
    """The item without what is the reader's own, and without an abstract."""
    return {name: value for name, value in item.items() if name not in _NOT_PRINTED}
