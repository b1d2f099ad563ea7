"""The precision of the default model in a project that asks for none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from citeloom.domain.model_precision import quantised_name
from citeloom.domain.policies import DEFAULT_DENSE_MODEL
from citeloom.infrastructure.settings import Settings

if TYPE_CHECKING:
    from citeloom.application.ports.vector_reader import VectorReader
    from citeloom.domain.project import Project


def in_its_precision(
    project: Project, settings: Settings, index: Callable[[], VectorReader]
) -> Project:
    """The project with its model in the precision of its collection, or, where there is none yet,
    quantised if the model can be made here.
    """
    model = project.embedding_model
    if project.id in settings.with_precision or model != DEFAULT_DENSE_MODEL:
        return project
    bound = index().binding(project.collection)
    if bound is None:
        return _quantised(project) if _can_be_made(settings) else project
    return _quantised(project) if bound.dense_model == quantised_name(model) else project


def _quantised(project: Project) -> Project:
    return replace(project, embedding_model=quantised_name(project.embedding_model))


def _can_be_made(settings: Settings) -> bool:
    from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache

    return ModelCache(settings.models.cache_dir).minilm_int8.is_usable()
