"""The use case `zotero doctor`: what keeps items of Zotero from being found and cited."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from citeloom.application.ports.zotero_library import ZoteroLibrary
from citeloom.application.zotero.diagnosis import Diagnosis, Symptom, checks_of
from citeloom.application.zotero.index_checks import IngestedProject, index_symptoms
from citeloom.application.zotero.item_checks import item_symptoms, selected_documents
from citeloom.application.zotero.snapshot import take_snapshot
from citeloom.domain.zotero_selection import ZoteroSelection, selected_items


@dataclass(frozen=True, slots=True, kw_only=True)
class Doctor:
    """Checks Zotero for faults and, given a project, compares it with the index."""

    zotero: ZoteroLibrary
    project: IngestedProject | None = None

    def __call__(
        self, selection: ZoteroSelection | None = None, *, strict: bool = False
    ) -> Diagnosis:
        """Check the selected items; without a selection, those of the project's own.

        Raises `NotFound` for an unknown library or collection, and what `ZoteroLibrary` raises.
        """
        own = self.project.selection if self.project else None
        chosen = selection or own or ZoteroSelection()
        snapshot = take_snapshot(self.zotero, chosen)
        items = [item for content in snapshot.contents for item in selected_items(content, chosen)]
        symptoms = [*item_symptoms(snapshot, items)]
        if self.project:
            symptoms += index_symptoms(self.project, snapshot, whole=chosen == own)
        return Diagnosis(
            source=snapshot.source,
            project=self.project.id if self.project else None,
            libraries=tuple(content.library.path for content in snapshot.contents),
            items=len(items),
            documents=sum(1 for _ in selected_documents(snapshot)),
            symptoms=_in_order(symptoms),
            has_selection=own is not None,
            strict=strict,
            sends_text_to=self._sends_text_to,
        )

    @property
    def _sends_text_to(self) -> str | None:
        return self.project.sends_text_to if self.project else None


def _in_order(symptoms: Iterable[Symptom]) -> tuple[Symptom, ...]:
    """The symptoms by check, then by library, citekey and title."""
    rank = {name: place for place, name in enumerate(checks_of("every"))}
    return tuple(
        sorted(
            symptoms, key=lambda one: (rank[one.check], one.library, one.citekey or "", one.title)
        )
    )
