"""How the settings in force are found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from citeloom.domain.answers.messages import AnswerWording
from citeloom.domain.errors import ConfigError, InvalidProject
from citeloom.domain.project import Project, VectorStorage, collisions
from citeloom.infrastructure.extensions import TABLES
from citeloom.infrastructure.remote.endpoint import ServiceEndpoint
from citeloom.infrastructure.settings.error_messages import (
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
from citeloom.infrastructure.settings.models import ANSWER_MODEL, endpoint_of, is_remote
from citeloom.infrastructure.settings.project_tables import AnswerWordingTable, ProjectTable
from citeloom.infrastructure.settings.resolved import Settings, absolute, project_from
from citeloom.infrastructure.settings.tables import CORE_TABLES, Configuration, VectorStorageTable
from citeloom.infrastructure.settings.values import AddedTable, Table

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
    configuration, added = _validated([written, *above])
    _check_stores(configuration, added, [written, *above])
    _check_entailment(configuration, [written, *above])
    services = _services(configuration, {**dotenv_variables(base / ".env"), **os.environ})
    if config is None:
        refuse_redirects(configuration, added, [written, above[0]], above[1:])
        refuse_model_redirects(services.values(), [written, above[0]], above[1:], os.environ)
    projects = _projects(configuration, _storage(added), [written, *above])
    return replace(
        _settings(base, file, configuration, projects),
        added=added,
        remote_models={service.model: service for place, service in services.items() if place[1:]},
        answer_model=services.get(("answers",)),
        rerank_service=services.get(("rerank",)),
        entailment_service=services.get(("entailment",)),
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


def _validated(layers: list[Layer]) -> tuple[Configuration, dict[str, AddedTable]]:
    """The core's tables, and those of extensions that the file has."""
    wrong, tree = about_keys_in_files([layers[0], layers[-1]]), merged(layers)
    added = {}
    for name in [name for name in tree if name not in CORE_TABLES and name in TABLES]:
        try:
            added[name] = TABLES[name].model_validate(tree.pop(name))
        except ValidationError as error:
            wrong += about(error, layers, (name,))
    try:
        configuration = Configuration.model_validate(tree)
    except ValidationError as error:
        raise refusal([*wrong, *about(error, layers)]) from None
    if wrong:
        raise refusal(wrong)
    return configuration, added


def _check_stores(
    configuration: Configuration, added: Mapping[str, AddedTable], layers: list[Layer]
) -> None:
    chosen = [name for name, table in added.items() if table.store_url]
    if configuration.store.url:
        chosen.insert(0, "store")
    if len(chosen) > 1:
        place = origin((chosen[0], "url"), layers).place
        named = " and ".join(f"{name}.url" for name in chosen[:2])
        raise refusal([f"{place}: {named} are two stores; unset one of them"])


def _storage(added: Mapping[str, AddedTable]) -> VectorStorage:
    """Where vectors are kept, by the table that says so."""
    tables = (table for table in added.values() if isinstance(table, VectorStorageTable))
    return next((table.storage for table in tables), VectorStorage())


def _check_entailment(configuration: Configuration, layers: list[Layer]) -> None:
    """Refuse an answer model that is to be asked once more where there is none."""
    if configuration.entailment.model == ANSWER_MODEL and configuration.answers.model is None:
        place = origin(("entailment", "model"), layers).place
        raise refusal(
            [f"{place}: entailment.model is the model of [answers], and none is named there"]
        )


def _services(
    configuration: Configuration, variables: Mapping[str, str]
) -> dict[tuple[str, ...], ServiceEndpoint]:
    """The services that text is sent to, by the table that names them, with their keys."""
    answers, rerank = configuration.answers, configuration.rerank
    entailment = configuration.entailment
    endpoints = [
        endpoint_of(name, table, ("models", name), variables)
        for name, table in configuration.models.remote.items()
    ]
    endpoints += [
        endpoint_of(answers.model, answers, ("answers",), variables),
        endpoint_of(rerank.model, rerank, ("rerank",), variables),
        endpoint_of(entailment.model, entailment, ("entailment",), variables),
    ]
    return {service.place: service for service in endpoints if service}


def _wordings(configuration: Configuration, above: list[Layer]) -> dict[str, AnswerWording]:
    """How each project words its answers; a value above the file goes over the project's own."""
    shared: AnswerWordingTable = configuration.answers
    return {
        name: _overlaid("answers", shared, table, above).value()
        for name, table in configuration.project.items()
    }


def _projects(
    configuration: Configuration, storage: VectorStorage, layers: list[Layer]
) -> tuple[Project, ...]:
    """The projects of the file; a value above the file goes over the project's own."""
    file, *above = layers
    projects, wrong = [], []
    for project_id, table in configuration.project.items():
        chunking = _overlaid("chunking", configuration.chunking, table, above)
        retrieval = _overlaid("retrieval", configuration.retrieval, table, above)
        try:
            project = project_from(project_id, table, chunking.value(), retrieval.value(), storage)
            projects.append(_with_remote_model(project, configuration))
        except (ValueError, InvalidProject) as error:
            said = f"{error}. {error.hint}" if isinstance(error, InvalidProject) else str(error)
            wrong.append(f"{file.place}: {dotted(('project', project_id))}: {said}")
    if wrong:
        raise refusal(wrong)
    return tuple(projects)


def _with_remote_model(project: Project, configuration: Configuration) -> Project:
    """The project and where its texts are sent, if they are. Raises `ValueError` for a remote model
    without a table: text leaves the machine only for an address that is written down.
    """
    name, tables = project.embedding_model, configuration.models.remote
    if name in tables:
        return replace(project, remote=tables[name].binding(name))
    if is_remote(name):
        raise ValueError(
            f'{name} is run by a service: say which in a table [models."{name}"] with a base_url'
        )
    return project


def _overlaid(section: str, shared: _T, project: ProjectTable, above: list[Layer]) -> _T:
    """The shared table with the project's own keys, save those set above the file."""
    own: Table = getattr(project, section)
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
    models, zotero, server = configuration.models, configuration.zotero, configuration.server
    token_file = server.value().token_file
    zotero = _with_path(zotero, "data_dir", zotero.data_dir, base)
    return Settings(
        base_dir=base,
        config_file=file,
        data_dir=absolute(base, configuration.paths.data_dir),
        collected_dir=absolute(base, configuration.paths.collected_dir),
        chunking=configuration.chunking.value(),
        retrieval=configuration.retrieval.value(),
        rerank=configuration.rerank,
        entailment=configuration.entailment,
        answers=configuration.answers,
        conversion=configuration.conversion,
        validation=configuration.validation.value(),
        store=configuration.store,
        drafts=configuration.drafts.value(),
        zotero=_with_path(zotero, "base_dir", zotero.base_dir, base),
        server=_with_path(server, "token_file", token_file, base),
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
