"""Citations and bibliographies, formatted by Pandoc's citeproc or written for other programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from citeloom.domain.manuscript.cited_place import CitedPlace
from citeloom.infrastructure.manuscript.citation_styles import style_file
from citeloom.infrastructure.manuscript.csl_items import Item
from citeloom.infrastructure.manuscript.pandoc import run_pandoc

# In a style.

_WRITERS = {"text": "plain", "html": "html", "markdown": "markdown-citations-smart"}


def rendered(
    places: Sequence[CitedPlace],
    items: Sequence[Item],
    *,
    style: str,
    form: str,
    locale: str | None = None,
) -> str:
    """The citations of places, a paragraph each, and behind them the entries of the bibliography,
    in a style by name or path, as `text`, `html` or `markdown`.

    Raises `ConfigError` for a style that is not there.
    """
    path, language = style_file(style)
    tree = _citeproc([_cite(place) for place in places], items, path, locale or language)
    arguments = ["-f", "json", "-t", _WRITERS[form], "--wrap=none"]
    return run_pandoc(arguments, json.dumps(tree).encode(), "the citations").decode().rstrip("\n")


def _citeproc(
    cites: Sequence[Item], items: Sequence[Item], style: Path, locale: str | None
) -> Mapping[str, Any]:
    """Pandoc's tree of the formatted citations and entries."""
    paragraphs = [{"t": "Para", "c": [cite]} for cite in cites]
    blocks = [*paragraphs, {"t": "Div", "c": [["refs", [], []], []]}]
    document = {"pandoc-api-version": [1, 23], "meta": {}, "blocks": blocks}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "references.json"
        file.write_text(json.dumps(list(items)), encoding="utf-8")
        arguments = ["-f", "json", "-t", "json", "--citeproc", "--bibliography", str(file)]
        arguments += ["--csl", str(style), *(["--metadata", f"lang={locale}"] if locale else [])]
        done = run_pandoc(arguments, json.dumps(document).encode(), "the citations")
    tree: dict[str, Any] = json.loads(done)
    *cited, references = tree["blocks"]
    entries = [entry for div in references["c"][1] for entry in div["c"][1]]
    return {**tree, "meta": {}, "blocks": [*map(_without_note, cited), *entries]}


def _cite(place: CitedPlace) -> Item:
    locator = place.pages or place.other
    words = [{"t": "Str", "c": word} for word in (f", {locator}" if locator else "").split(" ")]
    suffix = [one for word in words for one in (word, {"t": "Space"})][:-1] if locator else []
    citation = {
        "citationId": place.citekey,
        "citationPrefix": [],
        "citationSuffix": suffix,
        "citationMode": {"t": "NormalCitation"},
        "citationNoteNum": 0,
        "citationHash": 0,
    }
    return {"t": "Cite", "c": [[citation], []]}


def _without_note(paragraph: Item) -> Item:
    """A citation of a style of footnotes as the footnote itself."""
    inlines = [inline for cite in paragraph["c"] for inline in cite["c"][1]]
    notes = [block for one in inlines if one["t"] == "Note" for block in one["c"]]
    return notes[0] if notes else {"t": "Para", "c": inlines}


# For other programs.


def written(places: Sequence[CitedPlace], form: str) -> str:
    """The citations of places as one writes them in a draft: for `pandoc`, `latex` or `typst`."""
    write = {"pandoc": CitedPlace.pandoc, "latex": CitedPlace.latex, "typst": CitedPlace.typst}
    return "\n".join(map(write[form], places))


def exported(items: Sequence[Item], form: str) -> str:
    """References as `bibtex`, `biblatex`, `csl-json` or `ris`."""
    if form == "csl-json":
        return json.dumps(list(items), indent=2, ensure_ascii=False)
    if form == "ris":
        return _ris(items)
    arguments = ["-f", "csljson", "-t", form]
    content = json.dumps(list(items)).encode()
    return run_pandoc(arguments, content, "the references").decode().rstrip("\n")


_RIS_TYPES = {
    "article-journal": "JOUR",
    "article-magazine": "MGZN",
    "article-newspaper": "NEWS",
    "bill": "BILL",
    "book": "BOOK",
    "chapter": "CHAP",
    "dataset": "DATA",
    "entry-encyclopedia": "ENCYC",
    "legal_case": "CASE",
    "manuscript": "UNPB",
    "map": "MAP",
    "paper-conference": "CPAPER",
    "patent": "PAT",
    "report": "RPRT",
    "software": "COMP",
    "thesis": "THES",
    "webpage": "ELEC",
}
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
}


def _ris(items: Sequence[Item]) -> str:
    return "\n\n".join("\n".join(_ris_lines(item)) for item in items)


def _ris_lines(item: Item) -> list[str]:
    lines = [("TY", _RIS_TYPES.get(item.get("type", ""), "GEN")), ("ID", item["id"])]
    lines += [("AU", _ris_name(name)) for name in item.get("author", ())]
    lines += [("A2", _ris_name(name)) for name in item.get("editor", ())]
    lines += [(tag, item[field]) for tag, field in _RIS_FIELDS.items() if item.get(field)]
    parts = (item.get("issued") or {}).get("date-parts") or [[]]
    if parts[0]:
        lines.append(("PY", parts[0][0]))
    first, _, last = str(item.get("page") or "").partition("-")
    lines += [(tag, page) for tag, page in (("SP", first), ("EP", last)) if page]
    return [f"{tag}  - {' '.join(str(value).split())}" for tag, value in [*lines, ("ER", "")]]


def _ris_name(name: Mapping[str, str]) -> str:
    family = " ".join(filter(None, (name.get("non-dropping-particle"), name.get("family"))))
    return ", ".join(filter(None, (family, name.get("given")))) or name.get("literal", "")
