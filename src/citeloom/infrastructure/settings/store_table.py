"""The [store] table: a vector store other than Qdrant."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator, Field, SecretStr

from citeloom.infrastructure.settings.values import Seconds, Table, Text, with_possible_port

_SCHEMES = ("postgresql", "postgres", "milvus", "milvus+https", "milvus-lite")


def store_address(value: str) -> str:
    """The address of a store, without a password. Raises `ValueError` for anything else."""
    try:
        parts = urlsplit(value)
        password = parts.password or dict(parse_qsl(parts.query)).get("password")
    except ValueError as error:
        raise ValueError("must be an address such as postgresql://user@host/database") from error
    if parts.scheme not in _SCHEMES:
        raise ValueError("must begin with postgresql:// or milvus://, or be milvus-lite:")
    if parts.scheme == "milvus-lite" and value != "milvus-lite:":
        raise ValueError("is in the data folder and has no address: write milvus-lite:")
    if password:
        raise ValueError(
            "must not hold the password: set PGPASSWORD or CITELOOM_STORE_PASSWORD in the "
            "environment, or write it into ~/.pgpass"
        )
    return with_possible_port(value)


class StoreTable(Table):
    """A vector store other than Qdrant, instead of the one in `[qdrant]`."""

    url: Annotated[Text, AfterValidator(store_address)] | None = Field(
        default=None,
        examples=["postgresql://user@localhost/citeloom"],
        description="A PostgreSQL database with pgvector 0.8 or newer, which needs "
        "`pip install '.[postgres]'` in the checkout; or Milvus, as `milvus://HOST:19530` "
        "(`milvus+https://` encrypted) or, embedded in the data folder, `milvus-lite:`, which need "
        "`pip install '.[milvus]'`. Unset, the store is Qdrant.",
    )
    password: SecretStr | None = Field(
        default=None,
        description="The password, or Milvus's token, from the environment only; PostgreSQL's "
        "may also be in ~/.pgpass.",
    )
    timeout: Seconds = Field(default=10, description="Seconds to wait for the store.")
    layout: Literal["citeloom", "langchain"] = Field(
        default="citeloom",
        description="The tables of a new collection: citeloom's own, or LangChain's "
        "(`langchain_pg_collection` and `langchain_pg_embedding`), which LangChain programs read "
        "and write as well.",
    )
