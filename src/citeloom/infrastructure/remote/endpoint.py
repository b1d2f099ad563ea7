"""Where a model runs that a service serves, and the key that it is asked with."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Who a family of services comes from: their own host, and the variable of that host's key;
    both are empty where they run none.
    """

    host: str = ""
    variable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceEndpoint:
    """A model that a service runs, for embeddings, answers, reranking or entailment.

    `model` is its name with its family, `openai/bge-m3`; `place` the table of citeloom.toml that
    names it; `variable` the environment variable of the key, empty where it needs none. `timeout`
    is in seconds.
    """

    model: str
    base_url: str
    place: tuple[str, ...]
    timeout: float
    key: str = field(default="", repr=False)
    variable: str = ""
    provider: Provider = field(default_factory=Provider)

    @property
    def family(self) -> str:
        """The first part of the model's name."""
        return self.model.partition("/")[0]

    @property
    def service_name(self) -> str:
        """The model's name at the service."""
        return self.model.partition("/")[2]

    @property
    def host(self) -> str:
        """The host of the service, with its port where the address names one."""
        return urlsplit(self.base_url).netloc

    @property
    def table(self) -> str:
        """The header of its table: `[models."openai/bge-m3"]`."""
        first, *rest = self.place
        return f"[{'.'.join([first, *map(json.dumps, rest)])}]"

    @property
    def needs(self) -> str:
        """What is missing before it can be asked; empty where nothing is."""
        return f"a key in {self.variable}" if self.variable and not self.key else ""
