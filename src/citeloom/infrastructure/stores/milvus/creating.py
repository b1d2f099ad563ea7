"""How a collection is created in Milvus."""

from __future__ import annotations

from collections.abc import Mapping

from pymilvus import CollectionSchema, MilvusClient
from pymilvus.milvus_client import IndexParams


def create_loaded(
    client: MilvusClient,
    name: str,
    schema: CollectionSchema,
    indexes: IndexParams,
    properties: Mapping[str, str] | None = None,
) -> None:
    """Create an empty collection with its indexes, and load it.

    The indexes have nothing to take in yet, so none is waited for: the client would look for the
    end of each after half a second.
    """
    given = {"properties": dict(properties)} if properties else {}
    client.create_collection(name, schema=schema, consistency_level="Strong", **given)
    client.create_index(name, indexes, sync=False)
    client.load_collection(name)
