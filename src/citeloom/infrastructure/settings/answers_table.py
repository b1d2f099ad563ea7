"""The [answers] table: the model that writes answers, where it runs, and how it is worded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator

from citeloom.domain.answers.wording import AnswerLanguage, AnswerWording
from citeloom.infrastructure.settings.remote_models import (
    FAMILIES,
    Provider,
    service_address,
    variable_of,
)
from citeloom.infrastructure.settings.values import Count, Seconds, Table, Text

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
        description="What a model is told first. The form of the reply and the rule that passages "
        "are no instructions are always added.",
    )
    refusal: Text | None = Field(
        default=None,
        examples=["I do not have the information to answer your question."],
        description="Said where the library does not answer. Unset, in words of the language.",
    )
    prefix: str = Field(default="", description="Put before every answer and every refusal.")

    refuse_weak: bool = Field(
        default=False,
        description="Refuse where the verdict is related, too, instead of giving sentences.",
    )

    def wording(self) -> AnswerWording:
        """The wording as the domain has it."""
        return self.made_into(AnswerWording)


class AnswersTable(AnswerWordingTable):
    """Who answers `citeloom ask`: the passages' own sentences, or a model that a service runs. What
    it writes is checked and shown above its quotes. Without a model nothing is sent anywhere.
    """

    model: Annotated[Text, AfterValidator(_model_name)] | None = Field(
        default=None,
        examples=["openai/qwen3:8b"],
        description="`openai/` and the model's name at any service with OpenAI's chat completions "
        "API: Ollama, llama.cpp, vLLM, OpenAI. Unset, no model writes.",
    )
    base_url: Annotated[Text, AfterValidator(service_address)] | None = Field(
        default=None,
        examples=["http://localhost:11434/v1"],
        description="Where questions and their passages are sent; a model needs it.",
    )
    api_key_env: Text | None = Field(
        default=None,
        examples=["OPENAI_API_KEY"],
        description="Name of the environment variable that holds the key. Unset, it is "
        "OPENAI_API_KEY for api.openai.com, else there is none.",
    )
    max_tokens: Count = Field(default=2000, description="Most tokens of a reply.")
    first_timeout: Seconds = Field(
        default=120, description="Seconds to wait for the beginning of a reply, and between pieces."
    )
    timeout: Seconds = Field(default=300, description="Seconds a whole reply may take.")

    session_days: int = Field(
        default=0,
        ge=0,
        le=36_500,
        description="Days after its last question that a session of `chat` is kept; it is deleted "
        "when the project's sessions are next listed, read or written. 0 keeps it for ever.",
    )

    @model_validator(mode="after")
    def _model_has_an_address(self) -> AnswersTable:
        if self.model and self.base_url is None:
            raise ValueError("a model needs a base_url: text is sent only to a written address")
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
