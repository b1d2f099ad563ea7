"""The use case `eval pages`: does each chunk stand on the pages it is cited by, and in order?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from citeloom.application.open_project import OpenProject
from citeloom.application.ports.conversion import PageTexts
from citeloom.application.reports import DocumentFailure
from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.documents.conversion import LEAST_LOSS, LeftOut
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import CiteloomError, SourceUnavailable, UnreadableDocument
from citeloom.domain.evaluation.line_order import PageOrder, PrintedPage, page_order, texts_by_page
from citeloom.domain.evaluation.page_recall import (
    PageWords,
    WordFaults,
    left_out,
    page_words,
    running_lines,
    word_faults,
)
from citeloom.domain.evaluation.page_truth import Letters, PageCheck, PageVerdict, check_page_span

GOOD = (PageVerdict.EXACT, PageVerdict.NEAR)
"""The verdicts under which a citation to the page is right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedChunk:
    chunk: Chunk
    check: PageCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCounts:
    """How lines and words stand, by a second reader of the pages."""

    pages: int
    """Pages whose order was compared."""
    tagged_pages: int
    """Those compared by the tags of the PDF, the others by the order of drawing."""
    doubtful_pages: int
    """Those with lines out of order or torn."""
    lines: int
    """Lines compared."""
    moved: int
    """Those out of order."""
    torn: int
    """Those whose beginning and end stand apart."""
    floats: int
    """Those of tables, captions and notes that stand elsewhere by custom."""
    words: int
    """Words compared."""
    glued: int
    """Those that are two."""
    broken: int
    """Those that are parted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallCounts:
    """How many words of the pages are in chunks."""

    words: int
    """Words of pages with text."""
    left_out: int
    """Those that the conversion left out on purpose, as running heads and contents."""
    lost: int
    """The others in no chunk."""
    lossy_pages: int
    """Pages that lose twenty words or more."""
    confirmed_pages: int
    """Those of which the conversion says so, too."""

    @property
    def share(self) -> float | None:
        """The words in some chunk or left out on purpose among all; null without any."""
        return 1 - self.lost / self.words if self.words else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPages:
    """How many chunks of a document have which verdict, with the worst that are not good; the order
    of the lines of each page that could be compared, and the words that are glued, broken or lost.
    """

    path: str
    citekey: str | None
    verdicts: Mapping[PageVerdict, int]
    orders: Mapping[int, PageOrder]
    words: WordFaults
    recall: Mapping[int, PageWords]
    left_out: int = 0
    """How many words of its pages the conversion left out on purpose."""
    lost_at_ingest: Mapping[int, int] = field(default_factory=dict)
    """How many words of each page are in no chunk by the conversion, which knows its layout."""
    examples: tuple[CheckedChunk, ...] = ()
    citekey_generated: bool = False

    @property
    def lines(self) -> LineCounts:
        orders = self.orders.values()
        return LineCounts(
            pages=len(orders),
            tagged_pages=sum(order.tagged for order in orders),
            doubtful_pages=sum(order.is_doubtful for order in orders),
            lines=sum(order.lines for order in orders),
            moved=sum(len(order.moved) for order in orders),
            torn=sum(len(order.torn) for order in orders),
            floats=sum(len(order.floats) for order in orders),
            words=self.words.words,
            glued=len(self.words.glued),
            broken=len(self.words.broken),
        )

    @property
    def lossy(self) -> Mapping[int, PageWords]:
        """The pages that lose many words."""
        pages = self.recall.items()
        return {page: words for page, words in pages if words.lost_count >= LEAST_LOSS}

    def is_confirmed(self, page: int) -> bool:
        """Whether the page loses many words by the conversion, too."""
        return self.lost_at_ingest.get(page, 0) >= LEAST_LOSS

    @property
    def recalled(self) -> RecallCounts:
        pages = self.recall.values()
        return RecallCounts(
            words=sum(page.count for page in pages),
            left_out=self.left_out,
            lost=sum(page.lost_count for page in pages),
            lossy_pages=len(self.lossy),
            confirmed_pages=sum(map(self.is_confirmed, self.lossy)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReport:
    """Every document that could be compared, and those that could not, with the reason."""

    project: str
    """The project."""
    documents: tuple[DocumentPages, ...]
    skipped: tuple[DocumentFailure, ...]
    """Documents that could not be compared."""

    @property
    def totals(self) -> dict[PageVerdict, int]:
        return {v: sum(d.verdicts[v] for d in self.documents) for v in PageVerdict}

    @property
    def lines(self) -> LineCounts:
        """How the lines and words of all documents stand."""
        counts = [document.lines for document in self.documents]
        names = [each.name for each in fields(LineCounts)]
        return LineCounts(**{n: sum(getattr(count, n) for count in counts) for n in names})

    @property
    def recall(self) -> RecallCounts:
        """How many words of all documents are in chunks."""
        counts = [document.recalled for document in self.documents]
        names = [each.name for each in fields(RecallCounts)]
        return RecallCounts(**{n: sum(getattr(count, n) for count in counts) for n in names})

    @property
    def share(self) -> float | None:
        """Exact or near among the chunks whose pages have text; null without any."""
        totals = self.totals
        compared = sum(totals.values()) - totals[PageVerdict.NO_TEXT]
        return sum(totals[verdict] for verdict in GOOD) / compared if compared else None


def evaluate_pages(project: OpenProject, page_texts: PageTexts, *, examples: int = 3) -> PageReport:
    """Look every stored chunk up in the raw text of the pages it claims, with at most so many
    `examples` a document; changes nothing.

    Raises `InvalidProject` when nothing was ingested yet.
    """
    project.existing_collection()
    documents: list[DocumentPages] = []
    skipped: list[DocumentFailure] = []
    for entry in _entries(project):
        try:
            documents.append(_document(project, page_texts, entry, examples))
        except CiteloomError as error:
            skipped.append(DocumentFailure.of(entry.path, error))
    return PageReport(project=project.id, documents=tuple(documents), skipped=tuple(skipped))


def _entries(project: OpenProject) -> Iterator[ManifestEntry]:
    """The indexed documents, each content once."""
    seen: set[str] = set()
    for entry in project.entries():
        if entry.status is Status.INDEXED and entry.doc_id not in seen:
            seen.add(entry.doc_id)
            yield entry


def _document(
    project: OpenProject, page_texts: PageTexts, entry: ManifestEntry, examples: int
) -> DocumentPages:
    printed = _printed(project, page_texts, entry)
    letters = [Letters(page.text) for page in printed]
    selection = replace(project.everything, doc_id=entry.doc_id)
    stored = list(project.chunks(selection))
    chunks = sorted((each.chunk for each in stored), key=lambda chunk: chunk.chunk_idx)
    checked = [CheckedChunk(chunk=chunk, check=check_page_span(chunk, letters)) for chunk in chunks]
    texts = texts_by_page(chunks)
    pages = {number: (page, texts[number]) for number, page in enumerate(printed, start=1)}
    orders = {number: page_order(page, parts) for number, (page, parts) in pages.items()}
    return DocumentPages(
        path=entry.path,
        citekey=entry.citekey,
        verdicts={v: sum(j.check.verdict is v for j in checked) for v in PageVerdict},
        orders={number: order for number, order in orders.items() if order.lines},
        words=word_faults(pages.values()),
        recall=_recall(printed, chunks, entry.left_out),
        left_out=sum(text.count for texts in entry.left_out.values() for text in texts),
        lost_at_ingest=entry.lost_words,
        examples=tuple(_worst(checked)[:examples]),
        citekey_generated=any(s.citation and s.citation.citekey_generated for s in stored),
    )


def _printed(
    project: OpenProject, page_texts: PageTexts, entry: ManifestEntry
) -> Sequence[PrintedPage]:
    listing = project.files.find([entry.path], frozenset())
    if not listing.files:
        raise SourceUnavailable("the file is no longer there", "Run ingest --prune.")
    path = listing.files[0].path
    if project.files.content_hash(path) != entry.content_hash:
        raise UnreadableDocument("the file has changed since", "Run ingest on it again.")
    return page_texts.pages(path)


def _recall(
    printed: Sequence[PrintedPage],
    chunks: Sequence[Chunk],
    named: Mapping[int, Sequence[LeftOut]],
) -> dict[int, PageWords]:
    """The words of each page with text, compared with the chunks on it, their headings, and what is
    `named` as left out; where nothing is, with what looks like running heads and contents.
    """
    texts: dict[int, list[str]] = defaultdict(list)
    for chunk in chunks:
        if chunk.page_span is not None and chunk.mark is None:
            for number in range(chunk.page_span[0], chunk.page_span[1] + 1):
                texts[number] += (chunk.text, *chunk.titles)
    running = running_lines(printed)
    for number, page in enumerate(printed, start=1):
        apart = [text.text for text in named.get(number, ())]
        texts[number] += apart or left_out(page, running)
    return {
        number: page_words(page, texts[number])
        for number, page in enumerate(printed, start=1)
        if page.text.strip()
    }


def _worst(checked: Iterable[CheckedChunk]) -> list[CheckedChunk]:
    """Chunks on a wrong page, then those not found, the least found first."""
    bad = (PageVerdict.WRONG_PAGE, PageVerdict.NOT_FOUND)
    return sorted(
        (chunk for chunk in checked if chunk.check.verdict in bad),
        key=lambda chunk: (bad.index(chunk.check.verdict), chunk.check.share),
    )
