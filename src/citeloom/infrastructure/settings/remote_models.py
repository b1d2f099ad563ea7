"""The tables of embedding models that a service runs, one a model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator

from citeloom.domain.remote_model import RemoteModel
from citeloom.infrastructure.settings.values import Count, Seconds, Table, Text, web_address


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Who a family of services comes from: their own host, and the variable of that host's key;
    both are empty where they run none.
    """

    host: str = ""
    variable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family(Provider):
    """A family of embedding services: the most texts it takes in a request, and the number asked
    for unless configured.
    """

    most_texts: int
    texts: int


FAMILIES = {
    "openai": Family(host="api.openai.com", variable="OPENAI_API_KEY", most_texts=2048, texts=32),
    "cohere": Family(host="api.cohere.com", variable="COHERE_API_KEY", most_texts=96, texts=96),
}
EXAMPLE = "openai/text-embedding-3-small"


def service_address(value: str) -> str:
    """An address that requests can be sent below. Raises `ValueError` for anything else."""
    web_address(value)
    parts = urlsplit(value)
    if not parts.hostname:
        raise ValueError("must name a host")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("must be a plain address, without a key, a password or a query in it")
    return value


class RemoteModelTable(Table):
    """An embedding model that a service runs, by the name that projects use as `embedding_model`:
    `openai/…` for any service with OpenAI's embeddings API, `cohere/…` for Cohere's. Without such a
    table nothing is sent anywhere.
    """

    base_url: Annotated[Text, AfterValidator(service_address)] = Field(
        examples=["https://api.openai.com/v1"],
        description="Where the texts of the projects that use the model are sent.",
    )
    api_key_env: Text | None = Field(
        default=None,
        examples=["OPENAI_API_KEY"],
        description="Name of the environment variable that holds the key. Unset, it is "
        "OPENAI_API_KEY for api.openai.com, COHERE_API_KEY for api.cohere.com, else there is none.",
    )
    dimension: Count | None = Field(
        default=None,
        examples=[1536],
        description="The length of the vectors, which is checked. Unset, the first answer tells.",
    )
    shorten: bool = Field(
        default=False, description="Ask the service for vectors shortened to `dimension`."
    )
    window: Count = Field(
        default=512, description="The most tokens of a text that the model reads."
    )
    batch: Count | None = Field(
        default=None,
        examples=[32],
        description="Most texts in a request. Unset, 32 for openai/, 96 for cohere/.",
    )
    tokens_per_request: Count = Field(
        default=100_000, description="Most tokens in a request, by estimate."
    )
    requests_at_once: Count = Field(default=4, description="Most requests under way at once.")
    timeout: Seconds = Field(
        default=60, description="Seconds a request may take; a question's at most 10."
    )
    passage_prefix: str = Field(
        default="", description="Put before every passage, for openai/ models that want it."
    )
    query_prefix: str = Field(
        default="", description="Put before every question, for openai/ models that want it."
    )

    @model_validator(mode="after")
    def _shortens_to_something(self) -> RemoteModelTable:
        if self.shorten and self.dimension is None:
            raise ValueError("shorten needs a dimension")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedModel:
    """A model that a service runs, by its family and its name there: `openai/bge-m3`."""

    name: str

    @property
    def family(self) -> str:
        """The first part of its name."""
        return self.name.partition("/")[0]

    @property
    def service_name(self) -> str:
        """The model's name at the service."""
        return self.name.partition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteModelSettings(ServedModel):
    """A configured remote model with its key, if there is one."""

    table: RemoteModelTable
    key: SecretStr | None = None

    @property
    def texts(self) -> int:
        """The most texts in a request."""
        return self.table.batch or FAMILIES[self.family].texts

    @property
    def variable(self) -> str:
        """The environment variable that its key comes from; empty where it needs none."""
        return variable_of(self.provider, self.base_url, self.table.api_key_env)

    @property
    def provider(self) -> Provider:
        """Who the model's family comes from."""
        return FAMILIES[self.family]

    @property
    def base_url(self) -> str:
        """Where texts are sent."""
        return self.table.base_url

    @property
    def place(self) -> tuple[str, ...]:
        """Where the address is written."""
        return ("models", self.name, "base_url")

    def without_key(self) -> RemoteModelSettings:
        """The same without its key."""
        return replace(self, key=None)

    def remote(self) -> RemoteModel:
        """The model as a project is bound to it."""
        table = self.table
        return RemoteModel(
            endpoint=table.base_url, inputs=self._inputs(), dimension=table.dimension
        )

    def _inputs(self) -> str:
        if self.family == "cohere":
            return "cohere, search_document, search_query"
        if not (self.table.passage_prefix or self.table.query_prefix):
            return self.family
        prefixes = f"passages {self.table.passage_prefix!r}, questions {self.table.query_prefix!r}"
        return f"{self.family}, {prefixes}"


def variable_of(own: Provider, base_url: str, named: str | None) -> str:
    """The environment variable of a service's key: the one `named`, or the provider's own for
    its own host; empty where there is none.
    """
    return named or (own.variable if urlsplit(base_url).hostname == own.host else "")


def is_remote(model: str) -> bool:
    """Whether a model's name is that of a remote one."""
    return model.partition("/")[0] in FAMILIES


def check_name(name: str, table: RemoteModelTable) -> None:
    """Raise `ValueError` unless a table fits its family."""
    family, _, rest = name.partition("/")
    if family not in FAMILIES or not rest:
        raise ValueError(f'"{name}" must begin with {" or ".join(f"{one}/" for one in FAMILIES)}')
    most = FAMILIES[family].most_texts
    if (table.batch or 0) > most:
        raise ValueError(f'"{name}": batch must be at most {most}')
    if family == "cohere" and (table.passage_prefix or table.query_prefix):
        raise ValueError(f'"{name}": prefixes are for openai/ models; Cohere has input types')
