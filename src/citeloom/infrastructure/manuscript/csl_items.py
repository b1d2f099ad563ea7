"""References as CSL items, with every field that their file has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.domain.errors import InvalidReferences
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.references.item_types import ITEM_TYPES, item_type_of
from citeloom.domain.references.titles import normalise_doi
from citeloom.infrastructure.manuscript.pandoc import PANDOC, Pandoc

Item = dict[str, Any]
_FORMATS = {".bib": "biblatex", ".bibtex": "biblatex", ".ris": "ris"}


def read_items(path: Path, pandoc: Pandoc = PANDOC) -> list[Item]:
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
        content = pandoc.run(["-f", _FORMATS[suffix], "-t", "csljson"], content, path.name)
    try:
        items = json.loads(content.decode("utf-8-sig"))
    except ValueError as error:
        raise InvalidReferences(f"{path.name} is no JSON: {error}", "Export it again.") from error
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


_NOT_PRINTED = frozenset({"abstract", "note", "file", "keyword", "citation-key", "annote"})
"""What is the reader's own, and the abstract."""


def items_of(references: Iterable[CitationMeta], items: Sequence[Mapping[str, Any]]) -> list[Item]:
    """An item for each reference, named by its citekey: the file's, found by key, DOI or title,
    else one of the few fields that are known.
    """
    by_key = {
        str(item.get("citation-key") or item.get("citationKey") or item.get("id") or ""): item
        for item in items
    }
    by_doi = {normalise_doi(str(item.get("DOI") or "")): item for item in items}
    by_title = {str(item.get("title") or "").casefold(): item for item in items}
    csl_items = []
    for reference in references:
        item = (
            by_key.get(reference.citekey)
            or (by_doi.get(reference.doi) if reference.doi else None)
            or (by_title.get(reference.title.casefold()) if reference.title else None)
        )
        named = {**(item or _of_reference(reference)), "id": reference.citekey}
        csl_items.append({key: value for key, value in named.items() if key not in _NOT_PRINTED})
    return csl_items


def _of_reference(reference: CitationMeta) -> Item:
    """An item of what the library itself knows of a work."""
    item: Item = {
        "type": _csl_type(reference),
        "title": reference.title,
        "author": [
            {"family": family, "given": given} if comma else {"literal": family}
            for family, comma, given in (author.partition(", ") for author in reference.authors)
        ],
        "container-title": reference.container,
        "page": reference.pages,
        "DOI": reference.doi,
        "URL": None if reference.doi else reference.url,
        "language": reference.language,
    }
    if reference.year is not None:
        item["issued"] = {"date-parts": [[reference.year]]}
    return {name: value for name, value in item.items() if value}


def _csl_type(reference: CitationMeta) -> str:
    if names := ITEM_TYPES.get(reference.item_type or ""):
        return names.csl
    return "article-journal" if reference.container else "document"


# Exported to other programs.


def exported(
    items: Sequence[Item], form: str, pandoc: Pandoc = PANDOC, marked: Sequence[str] = ()
) -> str:
    """References as `bibtex`, `biblatex`, `csl-json` or `ris`. Pandoc writes no keywords to the
    former two, so that the citekeys which are `marked` have a comment above their entries there,
    and no DOI to `bibtex`, where it is written here.
    """
    if form == "csl-json":
        return json.dumps(list(items), indent=2, ensure_ascii=False)
    if form == "ris":
        return "\n\n".join("\n".join(_ris_lines(item)) for item in items)
    arguments = ["-f", "csljson", "-t", form]
    content = json.dumps(list(items)).encode()
    entries = pandoc.run(arguments, content, "the references").decode().rstrip("\n")
    dois = {item["id"]: item.get("DOI", "") for item in items if form == "bibtex"}

    def completed(match: re.Match[str]) -> str:
        mark = "% citekey-generated\n" if match[1] in marked else ""
        doi = dois.get(match[1], "")
        return f"{mark}{match[0]}" + (f"\n  doi = {{{doi}}}," if _WRITABLE.fullmatch(doi) else "")

    return _ENTRY.sub(completed, entries)


_ENTRY = re.compile(r"^@\w+\{([^,\s]+),", re.MULTILINE)
_WRITABLE = re.compile(r"[^\s{}\\]+")
"""A DOI that may stand in braces as it is."""


_RIS_FIELDS = {
    "TI": "title",
    "T2": "container-title",
    "VL": "volume",
    "IS": "issue",
    "PB": "publisher",
    "CY": "publisher-place",
    "SN": "ISSN",
    "ET": "edition",
    "DO": "DOI",
    "UR": "URL",
    "LA": "language",
    "AB": "abstract",
    "KW": "keyword",
}


def _ris_lines(item: Item) -> list[str]:
    lines = [("TY", _ris_type(item.get("type", ""))), ("ID", item["id"])]
    lines += [("AU", _ris_name(name)) for name in item.get("author", ())]
    lines += [("A2", _ris_name(name)) for name in item.get("editor", ())]
    lines += [(tag, item[field]) for tag, field in _RIS_FIELDS.items() if item.get(field)]
    parts = (item.get("issued") or {}).get("date-parts") or [[]]
    if parts[0]:
        lines.append(("PY", parts[0][0]))
    first, _, last = str(item.get("page") or "").partition("-")
    lines += [(tag, page) for tag, page in (("SP", first), ("EP", last)) if page]
    return [f"{tag}  - {' '.join(str(value).split())}" for tag, value in [*lines, ("ER", "")]]


def _ris_type(csl: str) -> str:
    names = ITEM_TYPES.get(item_type_of(csl))
    return names.ris.split()[0] if names else "GEN"


def _ris_name(name: Mapping[str, str]) -> str:
    family = " ".join(filter(None, (name.get("non-dropping-particle"), name.get("family"))))
    return ", ".join(filter(None, (family, name.get("given")))) or name.get("literal", "")
