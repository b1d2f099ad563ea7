"""What a project does with drafts: checks their quotations and citations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.infrastructure.library.evaluation import ProjectEvaluation

if TYPE_CHECKING:
    from citeloom.application.manuscript.check import CheckDraft
    from citeloom.application.manuscript.works import WorkTexts
    from citeloom.application.ports.runtime import Cancellation
    from citeloom.domain.manuscript.draft import Draft
    from citeloom.domain.manuscript.verdicts import DraftReport
    from citeloom.domain.references.citation import CitationMeta


class ProjectManuscript(ProjectEvaluation):
    """Checks drafts against a project's works."""

    def check_drafts(
        self, *drafts: str | Path | Draft, cancellation: Cancellation | None = None
    ) -> list[DraftReport]:
        """The verdict on every quotation and citation of drafts, each a file or one that has been
        read; `cancellation` ends the check from another thread.

        Raises `NotFound`, `UnsupportedFormat` and `UnreadableDocument` for files that are no
        drafts, `ConfigError` where Pandoc is not installed, `InvalidProject` if nothing has been
        ingested yet.
        """
        return [self.draft_check(draft, cancellation) for draft in self.read_drafts(*drafts)]

    def read_drafts(self, *drafts: str | Path | Draft) -> list[Draft]:
        """Drafts read through Pandoc; those that have been read stay. Raises as `check_drafts`."""
        from citeloom.infrastructure.manuscript.draft_reader import read_draft

        return [
            read_draft(Path(draft)) if isinstance(draft, str | Path) else draft for draft in drafts
        ]

    @cached_property
    def work_texts(self) -> WorkTexts:
        """The texts of the project's works, each read once."""
        from citeloom.application.manuscript.works import WorkTexts

        query = self.retrieval
        return WorkTexts(
            project=self.project, index=self.parts.index, dense=query.dense, sparse=query.sparse
        )

    @cached_property
    def draft_check(self) -> CheckDraft:
        """The check of drafts, which keeps the texts of works that it has read."""
        from citeloom.application.manuscript.check import CheckDraft

        return CheckDraft(
            works=self.work_texts,
            references=lambda: self._bibliography,
            retractions=self._retractions,
        )

    @cached_property
    def _bibliography(self) -> tuple[CitationMeta, ...]:
        return self.references().references()

    def _retractions(self) -> Mapping[str, str]:
        """What is known of retracted works, by citekey: titles that say so themselves."""
        retracted = (one for one in self._bibliography if _says_retracted(one.title))
        return {one.citekey: one.title for one in retracted}


def _says_retracted(title: str) -> bool:
    return title.casefold().startswith(("retracted:", "retracted article", "[retracted]"))
