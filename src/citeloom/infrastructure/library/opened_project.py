"""A project, what its use cases are built of, and the three that others are built on."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.application.answering.ask import Ask
    from citeloom.application.answering.relevance import JudgeRelevance
    from citeloom.application.ingest import IngestParts
    from citeloom.application.ports.embedders import QuestionModels
    from citeloom.application.ports.sources import ReferenceLibrary
    from citeloom.application.retrieval.query import Query
    from citeloom.application.retrieval.reranking import Reranking
    from citeloom.domain.project import Project
    from citeloom.infrastructure.library.shared_parts import SharedParts
    from citeloom.infrastructure.wiring.models import Embedders


class OpenedProject:
    """A project of a library, with whose other projects it shares `parts`."""

    def __init__(self, parts: SharedParts, project: Project) -> None:
        self.parts = parts
        self._configured = project

    @cached_property
    def project(self) -> Project:
        """The project as it is configured, with its model in the precision of its collection."""
        from citeloom.infrastructure.wiring.models import in_its_precision

        parts = self.parts
        return in_its_precision(self._configured, parts.settings, lambda: parts.index)

    @property
    def embedders(self) -> Embedders:
        """The project's models."""
        return self.parts.embedders(self.project)

    @property
    def question_models(self) -> QuestionModels:
        """The models that questions need."""
        from citeloom.application.ports.embedders import QuestionModels

        project = self.project
        return QuestionModels(
            dense_name=project.embedding_model,
            dense=lambda: self.embedders.dense,
            sparse_name=project.bound_sparse_model,
            sparse=lambda: self.embedders.sparse,
            dense_is_remote=project.remote is not None,
        )

    @cached_property
    def retrieval(self) -> Query:
        """The query, with the configured reranker."""
        from citeloom.application.retrieval.query import Query

        index = self.parts.index
        dense, sparse = index.question_embedders(self.project.collection, self.question_models)
        return Query(
            project=self.project,
            dense=dense,
            sparse=sparse,
            index=index,
            clock=self.parts.clock,
            reranking=self.reranking(),
        )

    def reranking(self, name: str | None = None) -> Reranking | None:
        """The reranking by the reranker of that name, or else by the configured one, if any."""
        if name is None and (
            self.parts.settings.rerank.model is None or not self.project.retrieval.rerank
        ):
            return None
        return self.parts.reranking(self.project, name)

    @cached_property
    def relevance(self) -> JudgeRelevance:
        """The judge of whether the project is about a question."""
        from citeloom.application.answering.relevance import JudgeRelevance

        return JudgeRelevance(query=self.retrieval, calibrations=self.parts.calibrations)

    @cached_property
    def answering(self) -> Ask:
        """What answers questions, by the configured model or with the passages' own sentences."""
        from citeloom.application.answering.ask import Ask
        from citeloom.infrastructure.wiring.models import open_answer_model

        settings = self.parts.settings
        return Ask(
            query=self.retrieval,
            judge=self.relevance,
            model=open_answer_model(settings),
            entailment=self.parts.entailment,
            wording=settings.wording(self.project.id),
        )

    def references(self, file: Path | None = None) -> ReferenceLibrary:
        """The bibliography in `file`, or else the configured one; an empty one without either."""
        from citeloom.infrastructure.references.file_library import (
            EmptyReferenceLibrary,
            FileReferenceLibrary,
        )

        project, settings = self.project, self.parts.settings
        if file is not None:
            path = file.absolute()
        elif project.references is not None:
            path = settings.resolve(project.references)
        else:
            return EmptyReferenceLibrary()
        return FileReferenceLibrary(path, mapping=settings.mapping(project.id))

    def ingest_parts(self, references: Path | None = None) -> IngestParts:
        """The dependencies of an ingest, with `references` instead of the project's own."""
        from importlib.metadata import version

        from citeloom.application.ingest import IngestParts
        from citeloom.infrastructure.filesystem.disk_space import FolderDiskSpace
        from citeloom.infrastructure.wiring.conversion import (
            DocumentTools,
            image_reading,
            open_executor,
        )

        parts, settings, models = self.parts, self.parts.settings, self.embedders
        conversion, bibliography = settings.conversion, self.references(references)
        # A text may have been too long for the window of a remote model.
        window = f" {models.counter.window}" if models.remote else ""
        tools = DocumentTools(settings=settings, project=self.project, references=bibliography)
        return IngestParts(
            project=self.project,
            files=parts.files,
            tools=replace(
                tools(), counter=models.counter, dense=models.dense, sparse=models.sparse
            ),
            executor=open_executor(tools),
            reading=image_reading(settings),
            ocr_languages=conversion.ocr_languages if conversion.ocr else None,
            ocr_min_confidence=conversion.value().ocr_min_confidence,
            limits=f"{version('citeloom')} {conversion.limits}{window}",
            remote=models.remote,
            index=parts.index,
            manifest=parts.manifest,
            audit=parts.audit,
            clock=parts.clock,
            lease=parts.lease,
            space=FolderDiskSpace(settings.data_dir / "projects"),
            machine=parts.make_machine if parts.machine is not None else None,
        )
