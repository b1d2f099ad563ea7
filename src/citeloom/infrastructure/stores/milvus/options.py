"""How a Milvus collection is named and indexed."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import Literal

# Names of collections as Milvus takes them: letters, digits and underscores.

_OTHERS = re.compile(r"[^A-Za-z0-9]")
_SEPARATOR = "__"
_LEADING = "c"
"""A name must not begin with a digit."""


def alias_of(name: str) -> str:
    """The alias of a collection; no two names share one."""
    if _OTHERS.search(name.replace("_", "")) is None and not name[:1].isdigit():
        return name
    return _LEADING + _SEPARATOR + _OTHERS.sub(_escape, name)


def physical_name(alias: str) -> str:
    """A new name for what stands behind an alias."""
    return f"{alias}{_SEPARATOR}{uuid.uuid4().hex}"


def first_name(alias: str) -> str:
    """The name of the first that stands behind an alias, the same for everybody, so that the server
    decides who makes it.
    """
    return f"{alias}{_SEPARATOR}{'0' * 32}"


def belongs_to(physical: str, alias: str) -> bool:
    """Whether `physical_name` or `first_name` made the name for the alias."""
    rest = physical.removeprefix(alias + _SEPARATOR)
    return rest != physical and re.fullmatch(r"[0-9a-f]{32}", rest) is not None


def _escape(match: re.Match[str]) -> str:
    return "".join(f"_{byte:02x}" for byte in match[0].encode())


# How a Milvus collection is indexed.

IndexType = Literal["FLAT", "IVF_FLAT", "HNSW"]
Metric = Literal["COSINE", "IP"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MilvusOptions:
    """The index over dense vectors and its parameters.

    `FLAT` compares with every vector and is exact; `IVF_FLAT` divides them into `nlist` groups
    and looks into `nprobe` of them; `HNSW` follows `m` links a vector, built from
    `ef_construction` and searched with `ef` candidates. Dense vectors have unit length, so that
    `IP` and `COSINE` give the same scores.
    """

    index: IndexType = "FLAT"
    metric: Metric = "COSINE"
    nlist: int = 1024
    nprobe: int = 16
    m: int = 16
    ef_construction: int = 200
    ef: int = 128

    @property
    def build_parameters(self) -> dict[str, int]:
        """The parameters the index is built with."""
        return {
            "FLAT": {},
            "IVF_FLAT": {"nlist": self.nlist},
            "HNSW": {"M": self.m, "efConstruction": self.ef_construction},
        }[self.index]

    def search_parameters(self, limit: int) -> dict[str, object]:
        """What a search for `limit` vectors looks into."""
        parameters = {
            "FLAT": {},
            "IVF_FLAT": {"nprobe": self.nprobe},
            "HNSW": {"ef": max(self.ef, limit)},
        }[self.index]
        return {"params": parameters}
