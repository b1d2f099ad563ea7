"""Building the converter with Docling's layout models in a worker process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from citeloom.infrastructure.conversion.file_converter import ConverterFactory, FileConverter


@dataclass(frozen=True, slots=True, kw_only=True)
class DoclingLayoutConversion:
    """Builds the converter when called; `rules` builds the one for pages that stopped it."""

    weights: Path
    version: str
    rules: ConverterFactory

    def __call__(self) -> FileConverter:
        from citeloom.infrastructure.conversion.docling_layout.converter import DoclingLayoutPdf
        from citeloom.infrastructure.conversion.docling_layout.stock_pipeline import StockPipeline
        from citeloom.infrastructure.conversion.pdf_layout.parsing.preflight import PreflightedPdf

        pipeline = StockPipeline(self.weights)
        converter = DoclingLayoutPdf(pipeline, version=self.version, otherwise=self.rules())
        return PreflightedPdf(converter)
