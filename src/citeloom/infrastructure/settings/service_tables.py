"""Models and the services they run at: embedding, reranking, answers, entailment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from annotated_types import Ge, Le
from pydantic import AfterValidator

from citeloom.domain.answers.messages import AnswerWording
from citeloom.domain.fields import Count, Example, Seconds, Text
from citeloom.domain.project import RemoteModel
from citeloom.infrastructure.remote.endpoint import Provider, ServiceEndpoint
from citeloom.infrastructure.settings.values import web_address

# What the tables of all services share.


def service_address(value: str) -> str:
    """An address that requests can be sent below. Raises `ValueError` for anything else."""
    web_address(value)
    parts = urlsplit(value)
    if not parts.hostname:
        raise ValueError("must name a host")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("must be a plain address, without a key, a password or a query in it")
    return value


Address = Annotated[Text, AfterValidator(service_address)]


class ServiceTable:
    """A model that runs at one of the `services`, by the first part of its name, or on this
    machine. Raises `ValueError` for the model of a service without an address, and for the address
    of any other.
    """

    services: ClassVar[Mapping[str, Provider]]

    model: str | None
    base_url: str | None
    api_key_env: str | None
    timeout: float

    def __post_init__(self) -> None:
        family, _, name = (self.model or "").partition("/")
        if family in self.services:
            if not name:
                raise ValueError(f"{self.model} must name a model behind {family}/")
            if self.base_url is None:
                raise ValueError(
                    f"{self.model} needs a base_url: text is sent only to an explicit address"
                )
        elif self.base_url is not None or self.api_key_env is not None:
            raise ValueError(
                "base_url and api_key_env are for the model of a service, which begins with "
                + " or ".join(f"{family}/" for family in self.services)
            )


def endpoint_of(
    name: str | None,
    table: RemoteModelTable | AnswersTable | RerankTable | EntailmentTable,
    place: tuple[str, ...],
    variables: Mapping[str, str],
) -> ServiceEndpoint | None:
    """The service that runs the model of that name, with the key that `variables` hold for it; None
    where nothing is sent.
    """
    if name is None or table.base_url is None:
        return None
    provider = table.services[name.partition("/")[0]]
    default = provider.variable if urlsplit(table.base_url).hostname == provider.host else ""
    variable = table.api_key_env or default
    return ServiceEndpoint(
        model=name,
        base_url=table.base_url,
        place=place,
        timeout=table.timeout,
        key=variables.get(variable, ""),
        variable=variable,
        provider=provider,
    )


# The tables of embedding models that a service runs, one a model.


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


@dataclass(frozen=True, kw_only=True)
class RemoteModelTable:
    """An embedding model that a service runs, by the name that projects use as `embedding_model`:
    `openai/…` for any service with OpenAI's embeddings API, `cohere/…` for Cohere's. Without such a
    table nothing is sent anywhere.
    """

    services: ClassVar[Mapping[str, Provider]] = FAMILIES

    base_url: Annotated[Address, Example("https://api.openai.com/v1")]
    """Where the texts of the projects that use the model are sent."""
    api_key_env: Annotated[Text | None, Example("OPENAI_API_KEY")] = None
    """Name of the environment variable that holds the key. Unset, it is OPENAI_API_KEY for
    api.openai.com, COHERE_API_KEY for api.cohere.com, else there is none.
    """
    dimension: Annotated[Count | None, Example(1536)] = None
    """The length of the vectors, which is checked. Unset, it is read from the first reply."""
    shorten: bool = False
    """Ask the service for vectors shortened to `dimension`."""
    window: Count = 512
    """The model's window: the most tokens of a text that it reads."""
    batch: Annotated[Count | None, Example(32)] = None
    """Maximum number of texts in a request. Unset, 32 for openai/, 96 for cohere/."""
    tokens_per_request: Count = 100_000
    """Maximum number of tokens in a request, estimated."""
    requests_at_once: Count = 4
    """Maximum number of concurrent requests."""
    timeout: Seconds = 60
    """Seconds a request may take; for a question at most 10."""
    passage_prefix: str = ""
    """Put before every passage, for openai/ models that expect it."""
    query_prefix: str = ""
    """Put before every question, for openai/ models that expect it."""

    def __post_init__(self) -> None:
        if self.shorten and self.dimension is None:
            raise ValueError("shorten needs a dimension")

    @property
    def requested_dimension(self) -> int | None:
        """The length that the service is asked for; None leaves it to the model."""
        return self.dimension if self.shorten else None

    def texts(self, family: str) -> int:
        return self.batch or FAMILIES[family].texts

    def binding(self, name: str) -> RemoteModel:
        family = inputs = name.partition("/")[0]
        if family == "cohere":
            inputs = "cohere, search_document, search_query"
        elif self.passage_prefix or self.query_prefix:
            prefixes = f"passages {self.passage_prefix!r}, questions {self.query_prefix!r}"
            inputs = f"{family}, {prefixes}"
        return RemoteModel(endpoint=self.base_url, inputs=inputs, dimension=self.dimension)


def is_remote(model: str) -> bool:
    return model.partition("/")[0] in FAMILIES


def check_name(name: str, table: RemoteModelTable) -> None:
    """Raise `ValueError` unless a table fits its family."""
    family, _, rest = name.partition("/")
    if family not in FAMILIES or not rest:
        raise ValueError(f'"{name}" must begin with {" or ".join(f"{each}/" for each in FAMILIES)}')
    most = FAMILIES[family].most_texts
    if (table.batch or 0) > most:
        raise ValueError(f'"{name}": batch must be at most {most}')
    if family == "cohere" and (table.passage_prefix or table.query_prefix):
        raise ValueError(f'"{name}": prefixes are for openai/ models; Cohere has input types')


# The [rerank] table: what puts the best passages of a query in order, and where it runs.

RERANKERS: Mapping[str, Provider] = {
    "cohere": FAMILIES["cohere"],
    "jina": Provider(host="api.jina.ai", variable="JINA_API_KEY"),
    "tei": Provider(),
}
"""Who runs rerankers as a service, by the first part of their names."""
LATE_INTERACTION = "late-interaction"
MOST_CANDIDATES = 200


@dataclass(frozen=True, kw_only=True)
class RerankTable(ServiceTable):
    """The model that reads the question together with each of the best passages of a query, and
    reorders them. Unset, there is none, and nothing is sent anywhere.
    """

    services: ClassVar[Mapping[str, Provider]] = RERANKERS

    model: Annotated[Text | None, Example("cohere/rerank-v3.5")] = None
    """`late-interaction`, the default dense model's own token vectors; the name of one of
    FastEmbed's cross-encoders, once `citeloom models --fetch` has it; or a service's model as
    `cohere/…`, `jina/…` or `tei/…`.
    """
    base_url: Annotated[Address | None, Example("https://api.cohere.com")] = None
    """Where questions and passages are sent; required for the model of a service."""
    api_key_env: Annotated[Text | None, Example("COHERE_API_KEY")] = None
    """Name of the environment variable that holds the key. Unset, it is COHERE_API_KEY for
    api.cohere.com, JINA_API_KEY for api.jina.ai, else there is none.
    """
    candidates: Annotated[Count, Le(MOST_CANDIDATES)] = 20
    """Number of best passages that are reranked."""
    timeout: Seconds = 5
    """Seconds it may take; after that, passages keep the order of the search."""


# The [answers] table: the model that writes answers, where it runs, and how it is worded.

_FAMILY = "openai"


def _model_name(value: str) -> str:
    family, _, name = value.partition("/")
    if family != _FAMILY or not name:
        raise ValueError(f"must begin with {_FAMILY}/ and name a model")
    return value


@dataclass(frozen=True, kw_only=True)
class AnswersTable(AnswerWording):
    """What answers `citeloom ask`: the passages' own sentences, or a model that a service runs. Its
    sentences are checked, and shown above their quotes. Without a model nothing is sent anywhere.
    """

    services: ClassVar[Mapping[str, Provider]] = {_FAMILY: FAMILIES[_FAMILY]}

    model: Annotated[
        Annotated[Text, AfterValidator(_model_name)] | None, Example("openai/qwen3:8b")
    ] = None
    """`openai/` and the model's name at any service with OpenAI's chat completions API: Ollama,
    llama.cpp, vLLM, OpenAI. Unset, answers are quotations, without a model.
    """
    base_url: Annotated[Address | None, Example("http://localhost:11434/v1")] = None
    """Where questions and their passages are sent; required for a model."""
    api_key_env: Annotated[Text | None, Example("OPENAI_API_KEY")] = None
    """Name of the environment variable that holds the key. Unset, it is OPENAI_API_KEY for
    api.openai.com, else there is none.
    """
    max_tokens: Count = 2000
    """Maximum number of tokens in a reply."""
    first_timeout: Seconds = 120
    """Seconds to wait for the beginning of a reply, and for each next piece of it."""
    timeout: Seconds = 300
    """Seconds a whole reply may take."""

    session_days: Annotated[int, Ge(0), Le(36_500)] = 0
    """Days that a session of `chat` is kept after its last question; it is deleted when the
    project's sessions are next listed, read or written. 0 keeps it for ever.
    """

    def __post_init__(self) -> None:
        if self.model and self.base_url is None:
            raise ValueError(
                f"{self.model} needs a base_url: text is sent only to an explicit address"
            )


# The [entailment] table: what judges whether quotes entail a sentence, and where it runs.

ANSWER_MODEL = "answers"
TEI = "tei"


@dataclass(frozen=True, kw_only=True)
class EntailmentTable(ServiceTable):
    """The model that judges whether a sentence, written by the model of [answers], follows from its
    quotes. It only removes sentences, and adds none. Unset, rules alone decide, and nothing is
    sent anywhere.
    """

    services: ClassVar[Mapping[str, Provider]] = {TEI: Provider()}

    model: Annotated[Text | None, Example("tei/nli-deberta-v3-small")] = None
    """`answers`, the model of [answers], asked once more with the sentence and its quotes alone;
    `tei/…`, a model that Text Embeddings Inference serves; or a local NLI cross-encoder in ONNX:
    its folder, or its name if it is in the model cache.
    """
    base_url: Annotated[Address | None, Example("http://localhost:8080")] = None
    """Where sentences and their quotes are sent; required for a `tei/` model."""
    api_key_env: Annotated[Text | None, Example("LAB_KEY")] = None
    """Name of the environment variable that holds the key of a `tei/` model. Unset, there is
    none.
    """
    keep_unclear: bool = False
    """Show sentences that the model judges unclear, marked as such."""
    timeout: Seconds = 30
    """Seconds a `tei/` model may take for a sentence."""
