"""Models and the services they run at: embedding, reranking, answers, entailment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator

from citeloom.domain.answers.messages import AnswerLanguage, AnswerWording
from citeloom.domain.project import RemoteModel
from citeloom.infrastructure.settings.values import Count, Seconds, Table, Text, web_address

# The tables of embedding models that a service runs, one a model.


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
        description="The length of the vectors, which is checked. Unset, it is read from "
        "the first reply.",
    )
    shorten: bool = Field(
        default=False, description="Ask the service for vectors shortened to `dimension`."
    )
    window: Count = Field(
        default=512, description="The model's window: the most tokens of a text that it reads."
    )
    batch: Count | None = Field(
        default=None,
        examples=[32],
        description="Maximum number of texts in a request. Unset, 32 for openai/, 96 for cohere/.",
    )
    tokens_per_request: Count = Field(
        default=100_000, description="Maximum number of tokens in a request, estimated."
    )
    requests_at_once: Count = Field(default=4, description="Maximum number of concurrent requests.")
    timeout: Seconds = Field(
        default=60, description="Seconds a request may take; for a question at most 10."
    )
    passage_prefix: str = Field(
        default="", description="Put before every passage, for openai/ models that expect it."
    )
    query_prefix: str = Field(
        default="", description="Put before every question, for openai/ models that expect it."
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


# The [rerank] table: what puts the best passages of a query in order, and where it runs.

PROVIDERS: dict[str, Provider] = {
    "cohere": FAMILIES["cohere"],
    "jina": Provider(host="api.jina.ai", variable="JINA_API_KEY"),
    "tei": Provider(),
}
"""Who runs rerankers as a service, by the first part of their names."""
LATE_INTERACTION = "late-interaction"
MOST_CANDIDATES = 200


class RerankTable(Table):
    """The model that reads the question together with each of the best passages of a query, and
    reorders them. Unset, there is none, and nothing is sent anywhere.
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
        description="Where questions and passages are sent; required for the model of a service.",
    )
    api_key_env: Text | None = Field(
        default=None,
        examples=["COHERE_API_KEY"],
        description="Name of the environment variable that holds the key. Unset, it is "
        "COHERE_API_KEY for api.cohere.com, JINA_API_KEY for api.jina.ai, else there is none.",
    )
    candidates: Annotated[Count, Field(le=MOST_CANDIDATES)] = Field(
        default=20, description="Number of best passages that are reranked."
    )
    timeout: Seconds = Field(
        default=5,
        description="Seconds it may take; after that, passages keep the order of the search.",
    )

    @model_validator(mode="after")
    def _services_have_an_address(self) -> RerankTable:
        family, _, name = (self.model or "").partition("/")
        if family in PROVIDERS:
            if not name:
                raise ValueError(f"{self.model} must name a model behind {family}/")
            if self.base_url is None:
                raise ValueError(
                    f"{self.model} needs a base_url: text is sent only to an explicit address"
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


# The [answers] table: the model that writes answers, where it runs, and how it is worded.

_FAMILY = "openai"


def _model_name(value: str) -> str:
    family, _, name = value.partition("/")
    if family != _FAMILY or not name:
        raise ValueError(f"must begin with {_FAMILY}/ and name a model")
    return value


class AnswerWordingTable(Table):
    """How answers and refusals are worded."""

    language: AnswerLanguage = Field(
        default=AnswerLanguage.ENGLISH,
        description="Language of the instructions to a model and of refusals: en, de or pt.",
    )
    prompt: Text | None = Field(
        default=None,
        examples=["Answer in two sentences, from the passages alone."],
        description="Instructions to the model. The format of the reply and the rule not to"
        " follow instructions in passages are always added.",
    )
    refusal: Text | None = Field(
        default=None,
        examples=["I do not have the information to answer your question."],
        description="The reply to a question that the library does not answer. Unset, a "
        "standard sentence in `language`.",
    )
    prefix: str = Field(default="", description="Put before every answer and every refusal.")

    refuse_weak: bool = Field(
        default=False,
        description="Refuse also when the verdict is `related`, instead of giving sentences.",
    )

    def wording(self) -> AnswerWording:
        """The wording as the domain has it."""
        return self.made_into(AnswerWording)


class AnswersTable(AnswerWordingTable):
    """What answers `citeloom ask`: the passages' own sentences, or a model that a service runs. Its
    sentences are checked, and shown above their quotes. Without a model nothing is sent anywhere.
    """

    model: Annotated[Text, AfterValidator(_model_name)] | None = Field(
        default=None,
        examples=["openai/qwen3:8b"],
        description="`openai/` and the model's name at any service with OpenAI's chat "
        "completions API: Ollama, llama.cpp, vLLM, OpenAI. Unset, answers are "
        "quotations, without a model.",
    )
    base_url: Annotated[Text, AfterValidator(service_address)] | None = Field(
        default=None,
        examples=["http://localhost:11434/v1"],
        description="Where questions and their passages are sent; required for a model.",
    )
    api_key_env: Text | None = Field(
        default=None,
        examples=["OPENAI_API_KEY"],
        description="Name of the environment variable that holds the key. Unset, it is "
        "OPENAI_API_KEY for api.openai.com, else there is none.",
    )
    max_tokens: Count = Field(default=2000, description="Maximum number of tokens in a reply.")
    first_timeout: Seconds = Field(
        default=120,
        description="Seconds to wait for the beginning of a reply, and for each next piece of it.",
    )
    timeout: Seconds = Field(default=300, description="Seconds a whole reply may take.")

    session_days: int = Field(
        default=0,
        ge=0,
        le=36_500,
        description="Days that a session of `chat` is kept after its last question; it is "
        "deleted when the project's sessions are next listed, read or written. "
        "0 keeps it for ever.",
    )

    @model_validator(mode="after")
    def _model_has_an_address(self) -> AnswersTable:
        if self.model and self.base_url is None:
            raise ValueError("a model needs a base_url: text is sent only to an explicit address")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerModelSettings:
    """A configured model that writes answers, with its key, if there is one."""

    name: str
    base_url: str
    variable: str
    table: AnswersTable
    key: SecretStr | None = None

    provider: ClassVar[Provider] = FAMILIES[_FAMILY]
    place = ("answers", "base_url")

    @property
    def host(self) -> str:
        """The host of the service, with its port where the address names one."""
        return urlsplit(self.base_url).netloc

    @property
    def service_name(self) -> str:
        """The model's name at the service."""
        return self.name.partition("/")[2]


def answer_model_of(table: AnswersTable) -> AnswerModelSettings | None:
    """The configured model without its key; None if there is none."""
    if table.model is None or table.base_url is None:
        return None
    variable = variable_of(FAMILIES[_FAMILY], table.base_url, table.api_key_env)
    return AnswerModelSettings(
        name=table.model, base_url=table.base_url, variable=variable, table=table
    )


# The [entailment] table: what judges whether quotes entail a sentence, and where it runs.

ANSWER_MODEL = "answers"
TEI = "tei"


class EntailmentTable(Table):
    """The model that judges whether a sentence, written by the model of [answers], follows from its
    quotes. It only removes sentences, and adds none. Unset, rules alone decide, and nothing is
    sent anywhere.
    """

    model: Text | None = Field(
        default=None,
        examples=["tei/nli-deberta-v3-small"],
        description="`answers`, the model of [answers], asked once more with the sentence and its "
        "quotes alone; `tei/…`, a model that Text Embeddings Inference serves; or a local NLI "
        "cross-encoder in ONNX: its folder, or its name if it is in the model cache.",
    )
    base_url: Annotated[Text, AfterValidator(service_address)] | None = Field(
        default=None,
        examples=["http://localhost:8080"],
        description="Where sentences and their quotes are sent; required for a `tei/` model.",
    )
    api_key_env: Text | None = Field(
        default=None,
        examples=["LAB_KEY"],
        description="Name of the environment variable that holds the key of a `tei/` model. "
        "Unset, there is none.",
    )
    keep_unclear: bool = Field(
        default=False,
        description="Show sentences that the model judges unclear, marked as such.",
    )
    timeout: Seconds = Field(
        default=30, description="Seconds a `tei/` model may take for a sentence."
    )

    @model_validator(mode="after")
    def _service_has_an_address(self) -> EntailmentTable:
        family, _, name = (self.model or "").partition("/")
        if family == TEI:
            if not name:
                raise ValueError(f"{self.model} must name a model behind {TEI}/")
            if self.base_url is None:
                raise ValueError(
                    f"{self.model} needs a base_url: text is sent only to an explicit address"
                )
        elif self.base_url is not None or self.api_key_env is not None:
            raise ValueError(
                f"base_url and api_key_env are for the model of a service, which begins with {TEI}/"
            )
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailmentServiceSettings(ServedModel):
    """A configured entailment model that a service runs, with its key, if there is one."""

    base_url: str
    variable: str
    key: SecretStr | None = None

    place: ClassVar[tuple[str, ...]] = ("entailment", "base_url")
    provider: ClassVar[Provider] = Provider()

    @property
    def host(self) -> str:
        """The host of the service, with its port where the address names one."""
        return urlsplit(self.base_url).netloc


def entailment_service_of(table: EntailmentTable) -> EntailmentServiceSettings | None:
    """The configured service without its key; None where there is none."""
    if table.model is None or table.base_url is None:
        return None
    variable = variable_of(Provider(), table.base_url, table.api_key_env)
    return EntailmentServiceSettings(name=table.model, base_url=table.base_url, variable=variable)
