"""The [entailment] table: what judges whether quotes entail a sentence, and where it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator

from citeloom.infrastructure.settings.remote_models import (
    Provider,
    ServedModel,
    service_address,
    variable_of,
)
from citeloom.infrastructure.settings.values import Seconds, Table, Text

ANSWER_MODEL = "answers"
TEI = "tei"


class EntailmentTable(Table):
    """What judges whether the quotes of a sentence that a model wrote entail it. It only narrows
    what is shown. Unset, rules alone decide, and nothing is sent anywhere.
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
        description="Where sentences and their quotes are sent; a `tei/` model needs it.",
    )
    api_key_env: Text | None = Field(
        default=None,
        examples=["LAB_KEY"],
        description="Name of the environment variable that holds the key of a `tei/` model. "
        "Unset, there is none.",
    )
    keep_unclear: bool = Field(
        default=False,
        description="Show sentences of which the model says that it is unclear, and say so.",
    )
    timeout: Seconds = Field(
        default=30, description="Seconds that a `tei/` model may take for a sentence."
    )

    @model_validator(mode="after")
    def _service_has_an_address(self) -> EntailmentTable:
        family, _, name = (self.model or "").partition("/")
        if family == TEI:
            if not name:
                raise ValueError(f"{self.model} must name a model behind {TEI}/")
            if self.base_url is None:
                raise ValueError(
                    f"{self.model} needs a base_url: text is sent only to a written address"
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
