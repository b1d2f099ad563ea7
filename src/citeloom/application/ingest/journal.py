"""What happens in a run, written down once: for its report and for whoever watches it."""

from __future__ import annotations

from collections.abc import Callable

from citeloom.application.ingest.events import (
    Confirmed,
    Converted,
    Embedded,
    Failed,
    Stored,
    Updated,
)
from citeloom.application.ingest.reducing import reduce
from citeloom.application.ports.executor import PageBegun, StageBegun
from citeloom.application.ports.progress import Progress
from citeloom.application.reports import IngestReport
from citeloom.domain.errors import CiteloomError


class Journal:
    """Takes every event of a run and shows it at once.

    What is told of a document while others are worked on, too, is kept until that document's turn
    comes, so that a report is the same however the work was spread.
    """

    def __init__(
        self,
        report: IngestReport,
        progress: Progress,
        *,
        has_references: Callable[[], bool] = lambda: True,
    ) -> None:
        self.report = report
        self._progress = progress
        self._has_references = has_references
        self._held: dict[str, list[object]] = {}
        self._pages: dict[str, int] = {}

    def start(self, documents: int) -> None:
        """So many documents are to be done."""
        self._progress.start(documents)

    def add(self, *events: object) -> None:
        """Write down what has happened, and show it."""
        for event in events:
            self._show(event)
            reduce(self.report, event)

    def hold(self, document: str, event: object) -> None:
        """Show what is told of a document, and write it down when it is `settled`."""
        self.show(document, event)
        if not isinstance(event, PageBegun | StageBegun):
            self._held.setdefault(document, []).append(event)

    def show(self, document: str, event: object) -> None:
        """Show what is told of a document, and write nothing down."""
        if isinstance(event, PageBegun):
            self._show_page(document, event.page)
        elif isinstance(event, StageBegun):
            self._progress.stage(document, event.stage)
        else:
            self._show(event)

    def settle(self, document: str) -> tuple[object, ...]:
        """Write down what was told of the document, in order; returns it."""
        events = tuple(self._held.pop(document, ()))
        for event in events:
            reduce(self.report, event)
        return events

    def ready(self, document: str) -> None:
        """All of a document is prepared and waits to be stored."""
        self._progress.stage(document, "store")

    def counted(self, document: str, error: CiteloomError | None) -> None:
        """A document was prepared, or could not be, to see what embedding it takes."""
        outcome = f"failed: {error.code}" if error else "unchanged: counted"
        self._progress.advance(document, outcome)

    def _show_page(self, document: str, page: int) -> None:
        if document not in self._pages:
            self._pages[document] = 0
            self._progress.stage(document, "convert")
        if (more := page - self._pages[document]) > 0:
            self._pages[document] = page
            self._progress.count(document, pages=more)

    def _show(self, event: object) -> None:
        progress = self._progress
        match event:
            case Converted(document=document, pages=pages):
                self._show_page(document, max(1, pages))
            case Embedded(document=document, chunks=chunks):
                progress.count(document, chunks=chunks)
            case Stored(document=document, text=text):
                progress.advance(document, f"indexed: {text.chunks} chunks{self._cited(event)}")
            case Failed(failure=failure):
                progress.advance(failure.path, f"failed: {failure.code}")
            case Updated(document=document):
                progress.advance(document, f"updated{self._cited(event, ': ')}")
            case Confirmed(document=document):
                progress.advance(document, "unchanged")
            case _:
                pass

    def _cited(self, event: Stored | Updated, before: str = ", ") -> str:
        """What a document is cited as, and whether that was lost; nothing where the project has no
        references.
        """
        if event.citekey:
            return f"{before}@{event.citekey}"
        if event.cited_as:
            return f"{before}lost its reference @{event.cited_as}"
        return f"{before}no reference" if self._has_references() else ""
