"""The model that writes answers and the one that judges them, where they are configured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeloom.application.answering.entailment import AnswerModelEntailment, EntailmentCheck
from citeloom.application.ports.answer_model import AnswerModel
from citeloom.application.ports.entailment_model import EntailmentModel
from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.settings.entailment_table import ANSWER_MODEL

if TYPE_CHECKING:
    from citeloom.infrastructure.settings import Settings


def open_answer_model(settings: Settings) -> AnswerModel | None:
    """The configured model; None where the passages' own sentences answer, and nothing is sent."""
    model = settings.answer_model
    if model is None:
        return None
    from citeloom.infrastructure.answering.openai_compatible.model import (
        OpenAiAnswerModel,
        ReplyLimits,
    )
    from citeloom.infrastructure.remote.service import Access, Service

    access = Access(
        url=model.base_url,
        table="[answers]",
        key=model.key.get_secret_value() if model.key else "",
        variable=model.variable,
    )
    table = model.table
    return OpenAiAnswerModel(
        model.service_name,
        service=Service(model.name, access),
        limits=ReplyLimits(
            tokens=table.max_tokens, first_seconds=table.first_timeout, seconds=table.timeout
        ),
    )


def open_entailment(settings: Settings) -> EntailmentCheck | None:
    """The configured check of what quotes entail; None where rules alone decide."""
    table = settings.entailment
    if table.model is None:
        return None
    model = _entailment_model(settings, table.model)
    return EntailmentCheck(model=model, keep_unclear=table.keep_unclear)


def entailment_destination(settings: Settings) -> str | None:
    """The host that written sentences and their quotes are sent to to be judged, if any."""
    if settings.entailment.model == ANSWER_MODEL:
        return settings.answer_model.host if settings.answer_model else None
    return settings.entailment_service.host if settings.entailment_service else None


def _entailment_model(settings: Settings, name: str) -> EntailmentModel:
    from citeloom.infrastructure.embedding.entailment import OnnxEntailment, TeiEntailment
    from citeloom.infrastructure.remote.service import Access, Service

    if name == ANSWER_MODEL:
        model = open_answer_model(settings)
        if model is None:
            raise ConfigError("there is no model to ask", "Name one: model under [answers].")
        return AnswerModelEntailment(model)
    service = settings.entailment_service
    if service is None:
        models = settings.models
        return OnnxEntailment(
            name,
            folder=settings.resolve(name),
            cache_dir=models.cache_dir,
            threads=models.threads,
        )
    access = Access(
        url=service.base_url,
        table="[entailment]",
        key=service.key.get_secret_value() if service.key else "",
        variable=service.variable,
    )
    return TeiEntailment(name, service=Service(name, access), seconds=settings.entailment.timeout)
