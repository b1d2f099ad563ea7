"""Docling's own layout and table models for PDFs: whether they are installed, and the pipeline that
finds the layout with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.conversion.versions import DOCLING, DOUBTS_ENGINE

if TYPE_CHECKING:
    from docling.document_converter import DocumentConverter
    from docling_core.types.doc.document import DoclingDocument

# Whether the models are installed, told without loading them.

_PACKAGES = ("torch", "transformers", "docling_ibm_models")
_LAYOUT_WEIGHTS = "*layout*"


def downloaded_weights() -> Path:
    """Where `docling-tools models download` puts the weights."""
    return Path.home() / ".cache" / "docling" / "models"


def weights_for(layout: str, weights: Path) -> Path | None:
    """The weights for a `layout` of "docling", or "auto" if they are installed; None for "rules".

    Raises `ConfigError` if Docling's models are requested and a part of them is missing.
    """
    if layout == "rules":
        return None
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if not any(weights.glob(_LAYOUT_WEIGHTS)):
        missing.append(f"the weights in {weights}")
    if not missing:
        return weights
    if layout == "docling":
        raise ConfigError(
            f"Docling's layout models cannot be used: {', '.join(missing)} missing",
            "Install `docling` in full and run `docling-tools models download`, or set layout = "
            '"rules" under [conversion].',
        )
    return None


def layout_version(weights: Path) -> str:
    """Names Docling's pipeline, the package of its models, the folders of their weights, and what
    is doubted.
    """
    try:
        package = version("docling-ibm-models")
    except PackageNotFoundError:
        package = "none"
    folders = "+".join(sorted(folder.name for folder in weights.glob("*") if folder.is_dir()))
    return f"{DOCLING}/docling-models-{package}[{folders}]/{DOUBTS_ENGINE}"


# Docling's standard pipeline for PDFs.


@dataclass(frozen=True)
class StockPipeline:
    """Reads PDFs with the weights in a folder, which are loaded with the first document."""

    weights: Path

    @property
    def version(self) -> str:
        return layout_version(self.weights)

    def __call__(self, path: Path) -> DoclingDocument:
        return self._converter.convert(path).document

    @cached_property
    def _converter(self) -> DocumentConverter:
        from docling.datamodel.base_models import InputFormat
        from docling.datamodel.pipeline_options import PdfPipelineOptions
        from docling.document_converter import DocumentConverter, PdfFormatOption

        options = PdfPipelineOptions(artifacts_path=self.weights, do_ocr=False)
        pdf = PdfFormatOption(pipeline_options=options)
        return DocumentConverter(format_options={InputFormat.PDF: pdf})
