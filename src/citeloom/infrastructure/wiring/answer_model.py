"""The model that writes answers, if one is configured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeloom.application.ports.answer_model import AnswerModel

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
