"""What a document is prepared with."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.application.ports.clock import Clock
from citeloom.application.ports.document_converter import DocumentConverter
from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder, TokenCounter
from citeloom.application.ports.reference_library import ReferenceLibrary


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The converter, the references and the models of a project, each in the process that works
    with it. A remote dense model is used only in the process that stores.
    """

    converter: DocumentConverter
    references: ReferenceLibrary
    counter: TokenCounter
    dense: DenseEmbedder
    sparse: SparseEmbedder | None
    clock: Clock
