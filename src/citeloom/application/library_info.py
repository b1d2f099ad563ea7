"""What a library says of itself: its configuration, its projects, and the health of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredModel:
    """A model that writes answers, judges written sentences or reranks."""

    name: str
    """The model."""
    sends_to: str | None
    """The host that it sends texts to; null where it runs here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryInfo:
    """The configuration file of a library, if any, what is out of date in it, its folders, the
    shapes by project in which results may be printed, and the model that writes answers, the one
    that judges them and the reranker, where they are configured; whether the store is on a server.
    """

    base_dir: Path
    data_dir: Path
    config_file: Path | None
    log_level: str = "warning"
    shapes: Mapping[str, Mapping[str, Mapping[str, str | dict[str, str]]]] = field(
        default_factory=dict
    )
    answer_model: ConfiguredModel | None = None
    reranker: ConfiguredModel | None = None
    entailment: ConfiguredModel | None = None
    warnings: tuple[str, ...] = ()
    has_remote_store: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSummary:
    """A configured project, summarised."""

    id: str
    """As it is named with `--project`."""
    collection: str
    """Its collection."""
    embedding_model: str
    """Its dense model."""
    sparse_model: str | None
    """Null where queries are dense alone."""
    references: str | None
    """The file, as configured."""
    documents: int
    """How many are indexed."""
    sends_text_to: str | None = None
    """The address of a remote model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Whether a part of the library is usable, and the reason if it is not."""

    part: str
    ok: bool
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSetting:
    """A key of the configuration with the value in force."""

    table: str
    """As `retrieval`."""
    key: str
    value: str
    """As citeloom.toml writes it; empty where it is unset, or depends on the machine."""
    source: str
    """The file, the variable, or `the command line`; empty for the default."""
