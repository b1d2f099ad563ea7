"""A library of two projects as it is wired for users, with models that need no files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest

from citeloom.application.ports.embedders import Embedders
from citeloom.domain.project import Project
from citeloom.domain.references.citation import CitationMeta
from citeloom.infrastructure.extensions import EMBEDDERS, Extension, added_extensions
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.library.project import ProjectLibrary
from citeloom.infrastructure.settings import Settings, load_settings
from tests.copies import copy_folder
from tests.fakes.embedders import HashingDense, PieceCounter, TermHashSparse
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import Library as Workshop
from tests.unit.application.library import paper

LEFT, RIGHT = "lab/left", "lab/right"
SIDES = (LEFT, RIGHT)
SUBJECTS: Mapping[str, tuple[str, ...]] = {
    LEFT: ("wheat", "barley", "sinistral oats"),
    RIGHT: ("wheat", "rye", "dextral spelt"),
}
"""What the papers of each project are about; one subject is the same."""


def side(project: str) -> str:
    """`left` or `right`."""
    return project.partition("/")[2]


def marks(project: str) -> tuple[str, ...]:
    """Words that only this project's passages, references and files have."""
    return (f"{side(project)}only", f"{side(project)}2001", f"{side(project)}/paper")


def two_projects(folder: Path, patch: pytest.MonkeyPatch, *, tables: str = "") -> Library:
    """Both projects, ingested, each with one paper that has a reference; in `folder`, whose
    sources are empty.
    """
    tiny = Extension(
        group=EMBEDDERS.group,
        name="fake",
        module="tests.fakes.two_projects",
        attribute="tiny_models",
        distribution="tests",
    )
    patch.setitem(cast("dict[str, Extension]", added_extensions(EMBEDDERS.group)), "fake", tiny)
    copy_folder(Path(_ingested().name), folder)
    return _library(folder, tables)


@cache
def _ingested() -> TemporaryDirectory[str]:
    """A folder with both projects, ingested once; it is removed when the process ends."""
    folder = TemporaryDirectory(prefix="citeloom-two-projects-")
    with _library(Path(folder.name)) as library:
        for project in SIDES:
            (Path(folder.name) / side(project)).mkdir()
            _ingest(library.project(project))
    return folder


def _library(folder: Path, tables: str = "") -> Library:
    text = "\n".join([*map(_table, SIDES), tables])
    (folder / "citeloom.toml").write_text(text, encoding="utf-8")
    return Library(load_settings(cwd=folder))


def tiny_models(_settings: Settings, _project: Project) -> Embedders:
    """Models that hash words."""
    return Embedders(counter=PieceCounter(), dense=HashingDense(), sparse=TermHashSparse())


def _ingest(opened: ProjectLibrary) -> None:
    project = opened.project
    name = side(project.id)
    cited = CitationMeta(
        citekey=f"{name}2001", title=f"Soils {name}only", authors=("Ry, A.",), year=2001, doi="d"
    )
    workshop = Workshop(
        {
            f"{name}/paper{number}.txt": paper(f"{subject} {name}only", sections=5)
            for number, subject in enumerate(SUBJECTS[project.id])
        }
    )
    workshop.project = project
    workshop.references = MemoryReferenceLibrary(cited, mapping={"paper0.txt": cited.citekey})
    workshop.index = opened.parts.index  # type: ignore[assignment]
    workshop.manifest = opened.parts.manifest  # type: ignore[assignment]
    workshop.dense, workshop.sparse = HashingDense(), TermHashSparse()
    report = workshop.ingest()
    assert len(report.indexed) == len(SUBJECTS[project.id]), report


def _table(project: str) -> str:
    return (
        f'[project."{project}"]\n'
        f'sources = ["{side(project)}/"]\n'
        'embedding_model = "fake/hashing-dense"\n'
        'sparse_model = "fake/term-hash-sparse"\n'
        "chunking = { max_tokens = 60, overlap_tokens = 0, min_chunk_tokens = 5 }\n"
    )
