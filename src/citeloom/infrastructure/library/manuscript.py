"""What a project does with drafts: checks their quotations, formats and exports citations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.infrastructure.library.evaluation import ProjectEvaluation

if TYPE_CHECKING:
    from citeloom.application.manuscript.check import CheckDraft
    from citeloom.application.manuscript.cite import FindCited
    from citeloom.application.manuscript.works import WorkTexts
    from citeloom.application.ports.runtime import Cancellation
    from citeloom.domain.manuscript.draft import Draft
    from citeloom.domain.manuscript.verdicts import DraftReport
    from citeloom.domain.references.citation import CitationMeta


class ProjectManuscript(ProjectEvaluation):
    """Checks drafts against a project's works, and cites these."""

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

    def cite(
        self, *names: str, style: str = "apa", form: str = "text", locale: str | None = None
    ) -> str:
        """Citations of works, and of passages by their chunk ids, with their pages.

        `form` is `text`, `html` or `markdown`, in a citation style by name or path with the entries
        of the bibliography; `pandoc`, `latex` or `typst`, a citation a line; or `bibtex`,
        `biblatex`, `csl-json` or `ris`, the references alone. A name may have its pages:
        `[@key, p. 45]`.

        Raises `NotFound` for unknown names, `ConfigError` for a style that is not there and where
        Pandoc is not installed.
        """
        from citeloom.infrastructure.manuscript.formatting import exported, rendered, written

        places = self._cited.places(names)
        if form in {"pandoc", "latex", "typst"}:
            return written(places, form)
        items = self._items(place.citekey for place in places)
        if form in {"text", "html", "markdown"}:
            return rendered(places, items, style=style, form=form, locale=locale)
        return exported(items, form)

    def draft_bibliography(self, *drafts: str | Path | Draft, form: str = "bibtex") -> str:
        """The references of just the works that drafts cite, as `bibtex`, `biblatex`, `csl-json` or
        `ris`. Raises `NotFound` for citekeys that no reference has, and as `check_drafts`.
        """
        from citeloom.infrastructure.manuscript.formatting import exported

        keys = self._cited.citekeys_of(self.read_drafts(*drafts))
        return exported(self._items(keys), form)

    @cached_property
    def _cited(self) -> FindCited:
        from citeloom.application.manuscript.cite import FindCited

        return FindCited(works=self.work_texts, references=lambda: self._bibliography)

    def _items(self, citekeys: Iterable[str]) -> list[dict[str, object]]:
        """The references of citekeys with every field of the references file."""
        from citeloom.infrastructure.manuscript.csl_items import items_of, read_items

        file = self.project.references
        items = read_items(self.parts.settings.resolve(file)) if file is not None else []
        return items_of(self._cited.references_of(citekeys), items)

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
        """What the bibliography says of retracted works, by citekey: titles that say so."""
        retracted = (one for one in self._bibliography if _says_retracted(one.title))
        return {one.citekey: one.title for one in retracted}


def _says_retracted(title: str) -> bool:
    return title.casefold().startswith(("retracted:", "retracted article", "[retracted]"))
