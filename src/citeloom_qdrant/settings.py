"""The table `[qdrant]`: the server, and how its collections are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, model_validator

from citeloom.domain.fields import Count, Seconds, Text
from citeloom.infrastructure.settings.tables import VectorStorageTable
from citeloom.infrastructure.settings.values import web_address

Quantization = Literal["scalar", "binary"]

OVERSAMPLING: Mapping[str, float] = {"scalar": 2.0, "binary": 32.0}
"""How many times the hits are looked for among quantised vectors, to be put in order by the whole
ones: enough for 99 of 100 of the plain hits with 384 dimensions (`benchmarks.bench_quantization`).
"""

_LEAST_DIMENSIONS: Mapping[str, int] = {"binary": 256}
"""With fewer dimensions, fewer than 98 of 100 of the plain hits are found by `OVERSAMPLING`."""


class ClusterOptions(VectorStorageTable):
    """What a collection is created with; None leaves it to the server."""

    shards: Count | None = Field(
        default=None,
        examples=[2],
        description="Number of shards of a new collection. Unset, the server decides.",
    )
    replication: Count | None = Field(
        default=None,
        examples=[2],
        description="Number of copies of each shard. Unset, the server decides.",
    )
    write_consistency: Count | None = Field(
        default=None,
        examples=[1],
        description="Number of copies that must confirm a write. Unset, the server decides.",
    )
    quantization: Quantization | None = Field(
        default=None,
        examples=["scalar"],
        description="Compress vectors in memory: scalar to a quarter, binary to 1/32.",
    )
    oversampling: Annotated[float, Field(ge=1, allow_inf_nan=False)] | None = Field(
        default=None,
        examples=[32],
        description="How many times as many hits are fetched by compressed vectors, then rescored "
        "by the full ones. Unset, 2 for scalar and 32 for binary.",
    )

    def loses_hits(self, dimension: int) -> bool:
        """Whether vectors of so few dimensions lose hits by the quantization."""
        return dimension < _LEAST_DIMENSIONS.get(self.quantization or "", 0)

    @model_validator(mode="after")
    def _confirms_at_most_every_copy(self) -> ClusterOptions:
        if (self.write_consistency or 1) > (self.replication or 1):
            raise ValueError("write_consistency must not be more than replication")
        return self


def server_addresses(value: object) -> object:
    """The web addresses of one cluster, given as a list or with commas between. Raises `ValueError`
    for one that is none, or that has a user or a password.
    """
    if not isinstance(value, str | list | tuple):
        return value
    parts = value.split(",") if isinstance(value, str) else map(str, value)
    addresses = tuple(web_address(part.strip()) for part in parts)
    if any("@" in urlsplit(address).netloc for address in addresses):
        raise ValueError(
            "must not hold a user or a password: set CITELOOM_QDRANT_API_KEY in the environment"
        )
    return addresses


class QdrantTable(ClusterOptions):
    """The vector store: embedded, or on a server if there is a `url`."""

    url: Annotated[tuple[Text, ...], BeforeValidator(server_addresses)] | None = Field(
        default=None,
        examples=["http://localhost:6333"],
        description="The address of a Qdrant server, or several addresses of one cluster, "
        "tried in turn when one does not answer. Unset, the index is embedded "
        "in `data_dir`.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="The server's API key, from the environment only."
    )
    timeout: Seconds = Field(default=10, description="Seconds to wait for the server.")
    retry_for: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(
        default=60,
        description="Seconds to keep retrying while no server answers; a question at most 5.",
    )

    @property
    def store_url(self) -> str | None:
        return self.url[0] if self.url else None
