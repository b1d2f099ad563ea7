"""Whether Docling's own layout and table models are installed, told without loading them."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from citeloom.domain.errors import ConfigError

_PACKAGES = ("torch", "transformers", "docling_ibm_models")
_LAYOUT_WEIGHTS = "*layout*"
RULES, DOCLING = "rules", "docling"


def weights_folder() -> Path:
    """Where `docling-tools models download` puts the weights."""
    return Path.home() / ".cache" / "docling" / "models"


def chosen_layout(wanted: str, weights: Path) -> str:
    """The layout analysis to use: what is wanted, or for `auto` Docling's models if they are there.

    Raises `ConfigError` if Docling's models are wanted and something of them is missing.
    """
    if wanted == RULES:
        return RULES
    missing = missing_parts(weights)
    if not missing:
        return DOCLING
    if wanted == DOCLING:
        raise ConfigError(
            f"Docling's layout models cannot be used: {', '.join(missing)} missing",
            "Install `docling` in full and run `docling-tools models download`, or set layout = "
            '"rules" under [conversion].',
        )
    return RULES


def missing_parts(weights: Path) -> list[str]:
    """The packages and weights that are not installed."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if not any(weights.glob(_LAYOUT_WEIGHTS)):
        missing.append(f"the weights in {weights}")
    return missing


def layout_version(weights: Path) -> str:
    """Names the models: their package and the folders of their weights."""
    try:
        package = version("docling-ibm-models")
    except PackageNotFoundError:
        package = "none"
    folders = "+".join(sorted(folder.name for folder in weights.glob("*") if folder.is_dir()))
    return f"docling-models-{package}[{folders}]"
