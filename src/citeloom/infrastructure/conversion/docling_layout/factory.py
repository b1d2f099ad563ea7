"""Docling's layout models: whether they are installed, and the converter a worker process builds
with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.conversion.file_converter import ConverterFactory, FileConverter

# Whether Docling's own layout and table models are installed, told without loading them.

_PACKAGES = ("torch", "transformers", "docling_ibm_models")
_LAYOUT_WEIGHTS = "*layout*"
RULES, DOCLING = "rules", "docling"


def weights_folder() -> Path:
    """Where `docling-tools models download` puts the weights."""
    return Path.home() / ".cache" / "docling" / "models"


def chosen_layout(layout: str, weights: Path) -> str:
    """The layout analysis to use: `layout`, or for `auto` Docling's models if they are installed.

    Raises `ConfigError` if Docling's models are requested and a part of them is missing.
    """
    if layout == RULES:
        return RULES
    missing = missing_parts(weights)
    if not missing:
        return DOCLING
    if layout == DOCLING:
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


# Building the converter with Docling's layout models in a worker process.


@dataclass(frozen=True, slots=True, kw_only=True)
class DoclingLayoutConversion:
    """Builds the converter when called; `rules` builds the one for pages that stopped it."""

    weights: Path
    version: str
    rules: ConverterFactory

    def __call__(self) -> FileConverter:
        from citeloom.infrastructure.conversion.docling_layout.converter import (
            DoclingLayoutPdf,
            StockPipeline,
        )
        from citeloom.infrastructure.conversion.pdf.preflight import PreflightedPdf

        pipeline = StockPipeline(self.weights)
        converter = DoclingLayoutPdf(pipeline, version=self.version, otherwise=self.rules())
        return PreflightedPdf(converter)
