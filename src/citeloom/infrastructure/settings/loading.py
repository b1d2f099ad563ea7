"""How the settings in force are found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from pydantic import SecretStr, ValidationError

from citeloom.domain.answers.messages import AnswerWording
from citeloom.domain.errors import ConfigError, InvalidProject
from citeloom.domain.project import Project, collisions
from citeloom.infrastructure.settings.error_messages import (
    ServiceTable,
    about,
    about_keys_in_files,
    dotted,
    origin,
    refusal,
    refuse_model_redirects,
    refuse_redirects,
    without_removed,
)
from citeloom.infrastructure.settings.layers import (
    Layer,
    dotenv_variables,
    find_file,
    flags,
    merged,
    read_dotenv,
    read_file,
    read_variables,
)
from citeloom.infrastructure.settings.models import (
    ANSWER_MODEL,
    AnswerModelSettings,
    AnswerWordingTable,
    EntailmentServiceSettings,
    RemoteModelSettings,
    RerankServiceSettings,
    answer_model_of,
    entailment_service_of,
    is_remote,
    rerank_service_of,
)
from citeloom.infrastructure.settings.resolved import (
    Settings,
    absolute,
    project_from,
)
from citeloom.infrastructure.settings.tables import Configuration
from citeloom.infrastructure.settings.values import Table

_T = TypeVar("_T", bound=Table)


def load_settings(
    *,
    config: Path | None = None,
    cwd: Path | None = None,
    overrides: Mapping[str, Mapping[str, object]] | None = None,
) -> Settings:
    """The settings of the file `config`, or of the citeloom.toml in `cwd` or above it.

    `overrides` (by table and key; None is no value) go over `CITELOOM_*` in the environment,
    this over .env beside the file, this over the file, this over the defaults. Raises
    `ConfigError` with everything that is wrong, and for a file that was not named and yet sends a
    key of the environment to another host; projects that share a collection are refused when one
    of them is asked for. Keys that earlier versions had are warnings of the settings.
    """
    folder = cwd.absolute() if cwd else _here()
    file = absolute(folder, config) if config else find_file(folder)
    base = file.parent if file else folder
    written = read_file(file) if file else Layer(place="the defaults", tree={})
    layers = [
        written,
        read_dotenv(base / ".env"),
        read_variables("the environment", os.environ),
        flags(overrides or {}),
    ]
    (written, *above), warnings = without_removed(layers)
    configuration = _validated([written, *above])
    _check_stores(configuration, [written, *above])
    _check_entailment(configuration, [written, *above])
    models = _remote_models(configuration, base)
    answers = _answer_model(configuration, base)
    rerank = _rerank_service(configuration, base)
    entailment = _entailment_service(configuration, base)
    if config is None:
        refuse_redirects(configuration, [written, above[0]], above[1:])
        services: list[ServiceTable] = [*models.values()]
        services += [service for service in (answers, rerank, entailment) if service]
        refuse_model_redirects(services, [written, above[0]], above[1:], os.environ)
    projects = _projects(configuration, [written, *above], models)
    return replace(
        _settings(base, file, configuration, projects),
        remote_models=models,
        answer_model=answers,
        rerank_service=rerank,
        entailment_service=entailment,
        wordings=_wordings(configuration, above),
        warnings=tuple(warnings),
    )


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise ConfigError(
            f"the current folder cannot be used: {error.strerror}",
            "Go into a folder that is there.",
        ) from error


def _validated(layers: list[Layer]) -> Configuration:
    wrong = about_keys_in_files([layers[0], layers[-1]])
    try:
        configuration = Configuration.model_validate(merged(layers))
    except ValidationError as error:
        raise refusal([*wrong, *about(error, layers)]) from None
    if wrong:
        raise refusal(wrong)
    return configuration


def _check_stores(configuration: Configuration, layers: list[Layer]) -> None:
    if configuration.qdrant.url and configuration.store.url:
        place = origin(("store", "url"), layers).place
        raise refusal([f"{place}: store.url and qdrant.url are two stores; unset one of them"])


def _check_entailment(configuration: Configuration, layers: list[Layer]) -> None:
    """Refuse an answer model that is to be asked once more where there is none."""
    if configuration.entailment.model == ANSWER_MODEL and configuration.answers.model is None:
        place = origin(("entailment", "model"), layers).place
        raise refusal(
            [f"{place}: entailment.model is the model of [answers], and none is named there"]
        )


def _remote_models(configuration: Configuration, base: Path) -> dict[str, RemoteModelSettings]:
    """The remote models, with their keys from the environment or from .env beside the file."""
    variables = _variables(base)
    models = {
        name: RemoteModelSettings(name=name, table=table)
        for name, table in configuration.models.remote.items()
    }
    keys = {name: variables.get(model.variable) for name, model in models.items()}
    return {
        name: replace(model, key=SecretStr(key) if (key := keys[name]) else None)
        for name, model in models.items()
    }


def _answer_model(configuration: Configuration, base: Path) -> AnswerModelSettings | None:
    """The model that writes answers, with its key from the environment or from .env."""
    model = answer_model_of(configuration.answers)
    key = _variables(base).get(model.variable) if model else None
    return replace(model, key=SecretStr(key)) if model and key else model


def _rerank_service(configuration: Configuration, base: Path) -> RerankServiceSettings | None:
    """The service that puts passages in order, with its key from the environment or from .env."""
    service = rerank_service_of(configuration.rerank)
    key = _variables(base).get(service.variable) if service else None
    return replace(service, key=SecretStr(key)) if service and key else service


def _entailment_service(
    configuration: Configuration, base: Path
) -> EntailmentServiceSettings | None:
    """The service that judges sentences, with its key from the environment or from .env."""
    service = entailment_service_of(configuration.entailment)
    key = _variables(base).get(service.variable) if service else None
    return replace(service, key=SecretStr(key)) if service and key else service


def _variables(base: Path) -> dict[str, str]:
    """The variables of .env beside the file, and of the environment above them."""
    return {**dotenv_variables(base / ".env"), **os.environ}


def _wordings(configuration: Configuration, above: list[Layer]) -> dict[str, AnswerWording]:
    """How each project words its answers; a value above the file goes over the project's own."""
    shared: AnswerWordingTable = configuration.answers
    return {
        name: _overlaid("answers", shared, table.answers, above).wording()
        for name, table in configuration.project.items()
    }


def _projects(
    configuration: Configuration, layers: list[Layer], models: Mapping[str, RemoteModelSettings]
) -> tuple[Project, ...]:
    """The projects of the file; a value above the file goes over the project's own."""
    _check_policies(configuration, layers)
    file, *above = layers
    found, wrong = [], []
    for project_id, table in configuration.project.items():
        chunking = _overlaid("chunking", configuration.chunking, table.chunking, above)
        retrieval = _overlaid("retrieval", configuration.retrieval, table.retrieval, above)
        try:
            project = project_from(project_id, table, chunking, retrieval, configuration.qdrant)
            found.append(_with_remote_model(project, models))
        except (ValueError, InvalidProject) as error:
            wrong.append(f"{file.place}: {dotted(('project', project_id))}: {error}")
    if wrong:
        raise refusal(wrong)
    return tuple(found)


def _with_remote_model(project: Project, models: Mapping[str, RemoteModelSettings]) -> Project:
    """The project and where its texts are sent, if they are. Raises `ValueError` for a remote model
    without a table: text leaves the machine only for an address that is written down.
    """
    name = project.embedding_model
    if name in models:
        return replace(project, remote=models[name].remote())
    if is_remote(name):
        raise ValueError(
            f'{name} is run by a service: say which in a table [models."{name}"] with a base_url'
        )
    return project


def _check_policies(configuration: Configuration, layers: list[Layer]) -> None:
    try:
        configuration.chunking.policy()
    except ValueError as error:
        place = origin(("chunking",), layers).place
        raise refusal([f"{place}: chunking: {error}"]) from error


def _overlaid(section: str, shared: _T, own: _T, above: list[Layer]) -> _T:
    """The shared table with the project's own keys, save those set above the file."""
    return shared.model_copy(
        update={
            key: getattr(own, key)
            for key in own.model_fields_set
            if not any(layer.holds((section, key)) for layer in above)
        }
    )


def _settings(
    base: Path,
    file: Path | None,
    configuration: Configuration,
    projects: tuple[Project, ...],
) -> Settings:
    models, zotero = configuration.models, configuration.zotero
    zotero = _with_path(zotero, "data_dir", zotero.data_dir, base)
    return Settings(
        base_dir=base,
        config_file=file,
        data_dir=absolute(base, configuration.paths.data_dir),
        collected_dir=absolute(base, configuration.paths.collected_dir),
        chunking=configuration.chunking,
        retrieval=configuration.retrieval,
        rerank=configuration.rerank,
        entailment=configuration.entailment,
        answers=configuration.answers,
        conversion=configuration.conversion,
        validation=configuration.validation.policy(),
        qdrant=configuration.qdrant,
        store=configuration.store,
        milvus=configuration.milvus,
        zotero=_with_path(zotero, "base_dir", zotero.base_dir, base),
        server=configuration.server,
        models=_with_path(models, "cache_dir", models.cache_dir, base),
        logging=configuration.logging,
        listed=projects,
        refused=collisions(projects),
        mappings={name: table.files for name, table in configuration.project.items()},
        shapes={name: table.shapes for name, table in configuration.project.items()},
        with_precision=frozenset(
            name for name, table in configuration.project.items() if table.precision
        ),
    )


def _with_path(table: _T, key: str, path: Path | None, base: Path) -> _T:
    return table.model_copy(update={key: absolute(base, path)}) if path else table
