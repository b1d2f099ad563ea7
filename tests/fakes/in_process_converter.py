"""A `DocumentConverter` that converts in this process, without limits of time and memory."""

from __future__ import annotations

from collections.abc import Generator, Iterable

from citeloom.application.ports.document_converter import Converted, DocumentConverter, Source
from citeloom.domain.errors import CiteloomError, UnsupportedFormat
from citeloom.infrastructure.conversion.by_suffix import SUFFIXES, BySuffix
from citeloom.infrastructure.conversion.pdf_layout.factory import PdfConversion
from citeloom.infrastructure.conversion.version import converter_version


class InProcessConverter(DocumentConverter):
    """Reads what a worker process would read, in the same way."""

    def __init__(self) -> None:
        self._converter = BySuffix(PdfConversion())

    @property
    def version(self) -> str:
        return converter_version()

    @property
    def suffixes(self) -> frozenset[str]:
        return SUFFIXES

    def convert(self, sources: Iterable[Source]) -> Generator[Converted, None, None]:
        for source in sources:
            try:
                if source.path.suffix not in SUFFIXES:
                    raise UnsupportedFormat(f"{source.path.name} is of another kind")
                result = self._converter.convert(source.path, source.doc_id, lambda _: None)
                yield Converted(source=source, result=result)
            except CiteloomError as error:
                yield Converted(source=source, error=error)
