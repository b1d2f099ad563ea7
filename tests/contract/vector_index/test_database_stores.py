"""The promises of a vector index, kept in PostgreSQL and on a Qdrant server."""

from __future__ import annotations

from tests.contract.vector_index.kinds import *  # noqa: F403 - the promises are the tests

KINDS = ("server", "postgres", "langchain")
