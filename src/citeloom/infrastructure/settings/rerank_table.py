"""The [rerank] table: what puts the best passages of a query in order, and where it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator

from citeloom.infrastructure.settings.remote_models import (
    FAMILIES,
    Provider,
    ServedModel,
    service_address,
    variable_of,
)
from citeloom.infrastructure.settings.values import Count, Seconds, Table, Text

PROVIDERS: dict[str, Provider] = {
    "cohere": FAMILIES["cohere"],
    "jina": Provider(host="api.jina.ai", variable="JINA_API_KEY"),
    "tei": Provider(),
}
"""Who runs rerankers as a service, by the first part of their names."""
LATE_INTERACTION = "late-interaction"
MOST_CANDIDATES = 200


class RerankTable(Table):
    """What reads the question together with each of the best passages of a query and puts them in
    order. Unset, nothing does, and nothing is sent anywhere.
    """

    model: Text | None = Field(
        default=None,
        examples=["cohere/rerank-v3.5"],
        description="`late-interaction`, the default dense model's own token vectors; the name of "
        "one of FastEmbed's cross-encoders, once `citeloom models --fetch` has it; or a service's "
        "model as `cohere/…`, `jina/…` or `tei/…`.",
    )
    base_url: Annotated[Text, AfterValidator(service_address)] | None = Field(
        default=None,
        examples=["https://api.cohere.com"],
        description="Where questions and passages are sent; the model of a service needs it.",
    )
    api_key_env: Text | None = Field(
        default=None,
        examples=["COHERE_API_KEY"],
        description="Name of the environment variable that holds the key. Unset, it is "
        "COHERE_API_KEY for api.cohere.com, JINA_API_KEY for api.jina.ai, else there is none.",
    )
    candidates: Annotated[Count, Field(le=MOST_CANDIDATES)] = Field(
        default=20, description="Best passages that are put in order."
    )
    timeout: Seconds = Field(
        default=5, description="Seconds it may take; after that the order is that of the search."
    )

    @model_validator(mode="after")
    def _services_have_an_address(self) -> RerankTable:
        family, _, name = (self.model or "").partition("/")
        if family in PROVIDERS:
            if not name:
                raise ValueError(f"{self.model} must name a model behind {family}/")
            if self.base_url is None:
                raise ValueError(
                    f"{self.model} needs a base_url: text is sent only to a written address"
                )
        elif self.base_url is not None or self.api_key_env is not None:
            raise ValueError(
                "base_url and api_key_env are for the model of a service, which begins with "
                + " or ".join(f"{one}/" for one in PROVIDERS)
            )
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankServiceSettings(ServedModel):
    """A configured reranker that a service runs, with its key, if there is one."""

    base_url: str
    variable: str
    key: SecretStr | None = None

    place: ClassVar[tuple[str, ...]] = ("rerank", "base_url")

    @property
    def provider(self) -> Provider:
        """Who the model's family comes from."""
        return PROVIDERS[self.family]

    @property
    def host(self) -> str:
        """The host of the service, with its port where the address names one."""
        return urlsplit(self.base_url).netloc


def rerank_service_of(table: RerankTable) -> RerankServiceSettings | None:
    """The configured service without its key; None where nothing is sent."""
    if table.model is None or table.base_url is None:
        return None
    provider = PROVIDERS[table.model.partition("/")[0]]
    variable = variable_of(provider, table.base_url, table.api_key_env)
    return RerankServiceSettings(name=table.model, base_url=table.base_url, variable=variable)
