"""The vector store: reader, writer and administration."""

from __future__ import annotations

from typing import Protocol

from citeloom.application.ports.vector_administration import VectorAdministration
from citeloom.application.ports.vector_reader import VectorReader
from citeloom.application.ports.vector_writer import VectorWriter


class VectorIndex(VectorReader, VectorWriter, VectorAdministration, Protocol):
    """A vector store that implements all three ports on the same collections."""
