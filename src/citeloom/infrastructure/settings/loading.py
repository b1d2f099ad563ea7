"""How the settings in force are found."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic_core import ErrorDetails

from citeloom.domain.answers.messages import AnswerWording
from citeloom.domain.documents.metadata import MetadataField, MetadataSchema
from citeloom.domain.errors import ConfigError, InvalidProject
from citeloom.domain.fields import as_base, keys_of
from citeloom.domain.policies import ChunkingPolicy, RetrievalPolicy
from citeloom.domain.project import (
    INT8,
    Project,
    ProjectOptions,
    VectorStorage,
    quantised_name,
)
from citeloom.domain.zotero.selection import ZoteroSelection
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
    without_former_keys,
)
from citeloom.infrastructure.settings.layers import (
    KeyPath,
    Layer,
    dotenv_variables,
    find_file,
    flags,
    merged,
    read_file,
    read_variables,
)
from citeloom.infrastructure.settings.resolved import ConfiguredProject, Settings, absolute
from citeloom.infrastructure.settings.service_tables import (
    ANSWER_MODEL,
    RemoteModelTable,
    check_name,
    endpoint_of,
)
from citeloom.infrastructure.settings.tables import (
    CORE_TABLES,
    SECTIONS,
    ModelsTable,
    ProjectTable,
    RetrievalTable,
    VectorStorageTable,
    named_strategy,
)
from citeloom.infrastructure.settings.values import AddedTable, fault, read_table, table_keys


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
    try:
        folder = cwd.absolute() if cwd else Path.cwd()
    except OSError as error:
        raise ConfigError(
            f"the current folder cannot be used: {error.strerror}",
            "Go into a folder that is there.",
        ) from error
    file = absolute(folder, config) if config else find_file(folder)
    base = file.parent if file else folder
    written = read_file(file) if file else Layer(place="the defaults", tree={})
    variables = dotenv_variables(base / ".env")
    layers, warnings = without_former_keys(
        [
            written,
            read_variables(str(base / ".env"), variables),
            read_variables("the environment", os.environ),
            flags(overrides or {}),
        ]
    )
    tables, added, file_projects = _read(layers)
    _refuse_contradictions(tables, added, layers)
    services = _services(tables, {**variables, **os.environ})
    if config is None:
        refuse_redirects({**tables, **added}, layers[:2], layers[2:])
        refuse_model_redirects(services.values(), layers[:2], layers[2:], os.environ)
    kept_on_disk = (table for table in added.values() if isinstance(table, VectorStorageTable))
    storage = next((table.storage for table in kept_on_disk), VectorStorage())
    configured = _configured(file_projects, tables["models"], storage, layers[0])
    paths, validation = tables.pop("paths"), tables.pop("validate")
    retrieval = as_base(RetrievalPolicy, tables.pop("retrieval"))
    return Settings(
        **_with_absolute_paths(tables, base),
        base_dir=base,
        config_file=file,
        data_dir=absolute(base, paths.data_dir),
        collected_dir=absolute(base, paths.collected_dir),
        runs_dir=absolute(base, paths.runs_dir),
        retrieval=retrieval,
        validation=validation,
        added=added,
        configured=configured,
        services=services,
        warnings=tuple(warnings),
        layers=tuple(layers),
    )


_FileProject = tuple[ProjectTable, AnswerWording, dict[str, Any]]
"""What the file says of a project: its table, its wording, and the fields of its own tables."""


def _read(
    layers: Sequence[Layer],
) -> tuple[dict[str, Any], dict[str, AddedTable], dict[str, _FileProject]]:
    """The tables of core and extensions, and projects. Raises `ConfigError` with all faults."""
    tree, faults, of_added = merged(layers), list[ErrorDetails](), list[ErrorDetails]()
    added = {
        name: read_table(TABLES[name], tree[name], (name,), of_added)
        for name in tree
        if name not in CORE_TABLES and name in TABLES
    }
    tables = {
        name: _section(kind, tree[name], (name,), faults) if name in tree else kind()
        for name, kind in SECTIONS.items()
    }
    for name in tree:
        if name not in CORE_TABLES and name not in added:
            faults.append(fault("extra_forbidden", (name,), tree[name]))
    written, of_projects = tree.get("project", {}), list[ErrorDetails]()
    projects: dict[str, Any] = {}
    if isinstance(written, Mapping):
        for project_id, table in written.items():
            projects[project_id] = _file_project(project_id, table, tables, layers, of_projects)
    else:
        of_projects.append(fault("dict_type", ("project",), written))
    wrong = about_keys_in_files([layers[0], layers[-1]])
    if wrong := [*wrong, *about([*of_added, *of_projects, *faults], layers)]:
        raise refusal(wrong)
    return tables, added, projects


def _refuse_contradictions(
    tables: Mapping[str, Any], added: Mapping[str, AddedTable], layers: Sequence[Layer]
) -> None:
    """Raises `ConfigError` for two stores, and for an answer model that is referred to, but not
    named.
    """
    stores = ["store"] if tables["store"].url else []
    stores += [name for name, table in added.items() if table.store_url]
    if len(stores) > 1:
        place = origin((stores[0], "url"), layers).place
        named = " and ".join(f"{name}.url" for name in stores[:2])
        raise refusal([f"{place}: {named} are two stores; unset one of them"])
    if tables["entailment"].model == ANSWER_MODEL and tables["answers"].model is None:
        place = origin(("entailment", "model"), layers).place
        raise refusal(
            [f"{place}: entailment.model is the model of [answers], and none is named there"]
        )


_PATHS = (
    ("zotero", "data_dir"),
    ("zotero", "base_dir"),
    ("server", "token_file"),
    ("models", "cache_dir"),
)


def _with_absolute_paths(tables: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """The tables with the paths they name below `base`."""
    found = dict(tables)
    for name, key in _PATHS:
        if path := getattr(found[name], key):
            found[name] = replace(found[name], **{key: absolute(base, path)})
    return found


def _section(kind: Any, written: object, place: KeyPath, faults: list[ErrorDetails]) -> Any:
    if kind is ChunkingPolicy and isinstance(written, Mapping) and "strategy" in written:
        name = written["strategy"]
        written = {key: value for key, value in written.items() if key != "strategy"}
        try:  # it may be an extension's
            written["strategy"] = named_strategy(name)
        except ValueError as error:
            faults.append(fault("value_error", (*place, "strategy"), name, str(error)))
    if kind is not ModelsTable or not isinstance(written, Mapping):
        return read_table(kind, written, place, faults)
    rest, remote, keys = dict[str, Any](), dict[str, RemoteModelTable](), keys_of(ModelsTable)
    for name, table in written.items():
        if name in keys or not ("/" in name or isinstance(table, Mapping)):
            rest[name] = table
        elif model := read_table(RemoteModelTable, table, (*place, name), faults):
            remote[name] = model
    try:
        for name, model in remote.items():
            check_name(name, model)
    except ValueError as error:
        faults.append(fault("value_error", place, written, str(error)))
    return read_table(ModelsTable, rest, place, faults, remote=remote)


def _file_project(
    project_id: str,
    written: object,
    tables: Mapping[str, Any],
    layers: Sequence[Layer],
    faults: list[ErrorDetails],
) -> _FileProject | None:
    """A project: its own tables go over the shared ones, values above the file over both."""
    place, before = ("project", project_id), len(faults)
    table = read_table(ProjectTable, written, place, faults)
    parts: Mapping[str, Any] = written if isinstance(written, Mapping) else {}

    def overlaid(section: str, kind: Any) -> Any:
        own, shared = parts.get(section), tables[section]
        if not own or not isinstance(own, Mapping):
            return shared
        return _overlaid(kind, own, shared, layers, (*place, section), faults)

    selection = parts.get("zotero")
    zotero = None
    if isinstance(selection, Mapping):
        zotero = read_table(ZoteroSelection, selection, (*place, "zotero"), faults)
    declared = parts.get("front_matter")
    fields = [
        read_table(
            MetadataField,
            {"type": field} if isinstance(field, str) else field,
            (*place, "front_matter", name),
            faults,
            name=name,
        )
        for name, field in (declared.items() if isinstance(declared, Mapping) else ())
    ]
    chunking = overlaid("chunking", ChunkingPolicy)
    retrieval = overlaid("retrieval", RetrievalTable)
    wording = overlaid("answers", AnswerWording)
    if len(faults) > before or table is None or None in tables.values():
        return None
    return (
        table,
        as_base(AnswerWording, wording),
        {
            "chunking": chunking,
            "retrieval": as_base(RetrievalPolicy, retrieval),
            "zotero": zotero,
            "front_matter": tuple(fields),
        },
    )


def _overlaid(
    kind: Any,
    own: Mapping[str, object],
    shared: Any,
    layers: Sequence[Layer],
    place: KeyPath,
    faults: list[ErrorDetails],
) -> Any:
    """A project's own table over the `shared` one: only what is wrong with its own values, or with
    them beside the shared ones, is added to the `faults`.
    """
    section = place[-1]
    below = merged(layers).get(section, {})
    if not isinstance(below, Mapping):
        return shared
    own = {
        key: value
        for key, value in own.items()
        if not any(layer.holds((section, key)) for layer in layers[1:])
    }
    values = {key: value for key, value in below.items() if key in table_keys(kind)} | own
    wrong: list[ErrorDetails] = []
    read = _section(kind, values, place, wrong)
    for each in wrong:
        *_, last = each["loc"][: len(place) + 1]
        if last in own or (each["loc"] == place and shared is not None):
            faults.append(each)
    return read


def _services(
    tables: Mapping[str, Any], variables: Mapping[str, str]
) -> dict[tuple[str, ...], ServiceEndpoint]:
    """The services that text is sent to, by the table that names them, with their keys."""
    endpoints = [
        endpoint_of(name, table, ("models", name), variables)
        for name, table in tables["models"].remote.items()
    ]
    endpoints += [
        endpoint_of(tables[name].model, tables[name], (name,), variables)
        for name in ("answers", "rerank", "entailment")
    ]
    return {service.place: service for service in endpoints if service}


def _configured(
    file_projects: Mapping[str, _FileProject],
    models: ModelsTable,
    storage: VectorStorage,
    file: Layer,
) -> dict[str, ConfiguredProject]:
    """The projects of the file. Raises `ConfigError` for those that cannot be."""
    configured, wrong = {}, []
    for project_id, (table, wording, own_tables) in file_projects.items():
        options = {name: getattr(table, name) for name in keys_of(ProjectOptions)}
        try:
            options |= own_tables
            options["front_matter"] = MetadataSchema(own_tables["front_matter"])
            project = Project(
                **options,
                id=project_id,
                on_disk_vectors=storage.on_disk_vectors,
                on_disk_hnsw=storage.on_disk_hnsw,
            )
            name = project.embedding_model
            if table.precision == INT8:
                name = quantised_name(name)
            project = replace(project, embedding_model=name, remote=models.binding(name))
        except (ValueError, InvalidProject) as error:
            reason = f"{error}. {error.hint}" if isinstance(error, InvalidProject) else str(error)
            wrong.append(f"{file.place}: {dotted(('project', project_id))}: {reason}")
        else:
            configured[project_id] = ConfiguredProject(
                project=project, table=table, wording=wording
            )
    if wrong:
        raise refusal(wrong)
    return configured
