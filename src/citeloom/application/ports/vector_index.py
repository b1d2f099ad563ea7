"""The port to the vector store: to read, to write and to administer."""

from __future__ import annotations

from typing import Protocol

from citeloom.application.ports.vector_administration import VectorAdministration
from citeloom.application.ports.vector_reader import VectorReader
from citeloom.application.ports.vector_writer import VectorWriter


class VectorIndex(VectorReader, VectorWriter, VectorAdministration, Protocol):
    """A vector store: what each of the three ports promises, of the same collections."""
