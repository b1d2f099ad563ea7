"""What a project does with drafts: checks, formats and exports citations, finds support."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from citeloom.application.events import reader_of
from citeloom.application.requests.fields import accepts
from citeloom.application.requests.manuscript import (
    CheckRequest,
    CitationForm,
    CitationUse,
    CiteRequest,
    DraftRequest,
    MatrixRequest,
    SupportRequest,
)
from citeloom.infrastructure.library.parts import ProjectParts

if TYPE_CHECKING:
    from datetime import datetime

    from citeloom.application.events import Progress
    from citeloom.application.manuscript.decisions import Decisions, DraftDecision
    from citeloom.application.manuscript.matrix import Matrix
    from citeloom.application.manuscript.open_draft import OpenDraft
    from citeloom.application.manuscript.works import CitedWorks
    from citeloom.application.ports.runtime import Cancellation
    from citeloom.domain.manuscript.draft import Draft
    from citeloom.domain.manuscript.evidence_bundle import BundleReplay, EvidenceBundle
    from citeloom.domain.manuscript.sentence_support import SupportReport
    from citeloom.domain.manuscript.verdicts import CitationCheck, DraftReport, QuotationCheck
    from citeloom.domain.retrieval.passage import Passage
    from citeloom.infrastructure.manuscript.pandoc import Pandoc


class DraftMethods(ProjectParts):
    """What a project does for those who write."""

    @accepts(CheckRequest)
    def check_drafts(self, request: CheckRequest) -> list[DraftReport]:
        """The verdict on every quotation and citation of drafts, and how much of each was read;
        `progress` counts drafts, then quotations.

        A draft that cannot be read has a report with that `error`. Raises `NotFound` and
        `UnsupportedFormat` for files that are no drafts, `ConfigError` where Pandoc is not
        installed, `InvalidProject` if nothing has been ingested yet.
        """
        from citeloom.application.manuscript.check import check_draft

        progress, cancellation = request.progress, request.cancellation
        read = self.read_drafts(
            *request.files, progress=progress, cancellation=cancellation, keep_unreadable=True
        )
        works, events, least = self._works(), reader_of(progress), request.min_coverage
        return [
            check_draft(
                one, works, cancellation, events, min_coverage=least, terms=self._not_quotations
            )
            for one in read
        ]

    def check_quotation(self, quote: str, doc_id: str) -> QuotationCheck:
        """The verdict on words that are quoted from a document; where it does not have them,
        another work may. Raises `NotFound` for an unknown document, `InvalidFilter` for a quotation
        that is empty or too long.
        """
        from citeloom.application.manuscript.check import check_quotation

        return check_quotation(self._works(), quote, doc_id)

    @property
    def _not_quotations(self) -> tuple[str, ...]:
        return self.parts.settings.drafts.not_quotations

    def read_drafts(
        self,
        *drafts: str | Path | Draft,
        progress: Progress | None = None,
        cancellation: Cancellation | None = None,
        keep_unreadable: bool = False,
        included: bool = True,
    ) -> list[Draft]:
        """Drafts that are read, each with the files that it includes behind it where `included`;
        those that have been read stay; `progress` counts those that have not.

        With `keep_unreadable`, a draft that cannot be read, or not within the limits, is one with
        that `error`; so is one of several that is missing or that no reader can read. Raises what
        it cannot read, and as `check_drafts`.
        """
        from citeloom.infrastructure.manuscript.draft_reader import read_drafts

        return read_drafts(
            drafts,
            self._pandoc(cancellation),
            reader_of(progress),
            keep_unreadable=keep_unreadable,
            included=included,
        )

    @accepts(DraftRequest)
    def read_text(self, request: DraftRequest) -> Draft:
        """A draft that is given as a text, read through Pandoc, which `cancellation` ends. Raises
        `UnreadableDocument`, `DeadlineExceeded` and `ConfigError` as `check`.
        """
        from citeloom.infrastructure.manuscript.draft_reader import draft_of_text

        return draft_of_text(request.text, request.markup, self._pandoc(request.cancellation))

    def read_upload(
        self, content: bytes, name: str, *, cancellation: Cancellation | None = None
    ) -> Draft:
        """A draft that is given as the content of a file, whose format is that of the content;
        `name` is what it is called. Raises as `read_drafts`.
        """
        from citeloom.infrastructure.manuscript.draft_reader import draft_of, suffix_of

        path = Path(Path(name.replace("\\", "/")).name or "draft")
        suffix = suffix_of(content, path.name)
        if path.suffix.lower() != suffix:
            path = path.with_name(f"{path.stem}{suffix}")
        return draft_of(content, path, self._pandoc(cancellation))

    # Drafts that a server reads, and a reader's decisions on them.

    def allowed_draft(self, path: str) -> Path:
        """The absolute path of a draft that another program may have read: a file at or below
        `[server] roots`, or else the folder of `citeloom.toml`.

        Raises `PathNotAllowed` for any other, for links and devices, and `NotFound` if there is
        nothing.
        """
        from citeloom.domain.errors import NotFound
        from citeloom.infrastructure.filesystem.source_files import allowed_path

        settings = self.parts.settings
        place = allowed_path(path, self._draft_roots, settings.base_dir)
        if not place.is_file():
            raise NotFound(f"'{path}' is a folder", "Name the file of a draft in it.")
        return place

    def draft_content(self, path: Path) -> bytes:
        """The content of a draft's file. Raises `NotFound` where it cannot be read."""
        from citeloom.infrastructure.manuscript.draft_reader import content_of

        return content_of(path)

    def latest_drafts(self) -> list[Path]:
        """The drafts that a server may read and that were changed last, the latest first; without
        texts that are sources of the project.
        """
        from citeloom.infrastructure.filesystem.draft_files import latest_drafts
        from citeloom.infrastructure.manuscript.draft_reader import DRAFT_SUFFIXES

        settings = self.parts.settings
        sources = [settings.resolve(source) for source in self.project.sources]
        left_out = [*sources, settings.data_dir, settings.collected_dir]
        suffixes = {*DRAFT_SUFFIXES} - {".txt"}
        return [file.path for file in latest_drafts(self._draft_roots, suffixes, {*left_out})]

    @property
    def _draft_roots(self) -> list[Path]:
        settings = self.parts.settings
        return [*map(settings.resolve, settings.server.roots)] or [settings.base_dir]

    def decisions(self, draft: str | Path) -> tuple[DraftDecision, ...]:
        """A reader's decisions on a draft, kept in `DRAFT.citeloom.json` beside it. Raises
        `ConfigError` for a file that holds anything else.
        """
        return self._decisions.of(Path(draft))

    def decide(
        self, draft: str | Path, check: CitationCheck, decision: str, note: str = ""
    ) -> DraftDecision:
        """Keep a decision on a check of a draft, `accepted` or `to_mend`, in place of an earlier
        one on the same quotation and citation.

        Raises `InvalidFilter` for a note of more than 5,000 characters, `ConfigError` where the
        file cannot be written or holds anything else.
        """
        from citeloom.application.manuscript.decisions import Decision

        return self._decisions.decide(Path(draft), check, Decision(decision), note)

    def forget_decision(self, draft: str | Path, key: str) -> None:
        """Take back the decision of that key. Raises as `decide`."""
        self._decisions.forget(Path(draft), key)

    @property
    def _decisions(self) -> Decisions:
        from citeloom.application.manuscript.decisions import Decisions
        from citeloom.infrastructure.filesystem.draft_files import DecisionsBesideDrafts

        files = DecisionsBesideDrafts(lock=self.parts.settings.data_dir / "decisions.lock")
        return Decisions(files=files, clock=self.parts.clock)

    def _pandoc(self, cancellation: Cancellation | None = None) -> Pandoc:
        from citeloom.application.ports.runtime import Cancellation
        from citeloom.infrastructure.manuscript.pandoc import Pandoc

        limits = self.parts.settings.drafts
        return Pandoc(limits=limits, cancellation=cancellation or Cancellation())

    @accepts(CiteRequest)
    def cite(self, request: CiteRequest) -> str:
        """Citations of works, and of passages by their chunk ids, with their pages.

        `form` is `text`, `html` or `markdown`, in a citation style by name or path with the entries
        of the bibliography; `pandoc`, `latex` or `typst`, a citation a line; or `bibtex`,
        `biblatex`, `csl-json` or `ris`, the references alone. A name may have its pages:
        `[@key, p. 45]`.

        Raises `NotFound` for unknown names and styles, `ConfigError` for a file that is no
        style and where Pandoc is not installed.
        """
        from citeloom.application.manuscript.cite import cited_places
        from citeloom.infrastructure.manuscript.csl_items import exported
        from citeloom.infrastructure.manuscript.formatting import rendered, written

        works = self._works()
        places, form = cited_places(works, request.works), cast("CitationForm", request.form)
        if form.use is CitationUse.WRITING:
            return written(places, form)
        pandoc = self._pandoc(request.cancellation)
        items = self._items(works, (place.citekey for place in places), pandoc)
        if form.use is CitationUse.IMPORT:
            return exported(items, form, pandoc)
        style, locale = request.style, request.locale
        return rendered(places, items, style=style, form=form, locale=locale, pandoc=pandoc)

    def quote(self, *passages: Passage, form: str = "latex") -> str:
        """Passages as block quotations of a draft in `latex` or `typst`, each with its citation;
        those without a reference are left out. Raises `ConfigError` where Pandoc is not installed.
        """
        from citeloom.infrastructure.manuscript.formatting import quoted

        return quoted(passages, form, self._pandoc())

    def draft_bibliography(self, *drafts: str | Path | Draft, form: str = "bibtex") -> str:
        """The references of just the works that drafts cite, as `bibtex`, `biblatex`, `csl-json` or
        `ris`. Raises `NotFound` for citekeys that no reference has, and as `check`.
        """
        from citeloom.application.manuscript.cite import citekeys_of
        from citeloom.infrastructure.manuscript.csl_items import exported

        works, pandoc = self._works(), self._pandoc()
        keys = citekeys_of(works, self.read_drafts(*drafts))
        return exported(self._items(works, keys, pandoc), form, pandoc)

    def draft_links(self, *drafts: str | Path | Draft) -> str:
        """A Lua filter for Pandoc that links the citations of drafts to their pages in the works'
        files. Raises as `check`.
        """
        from citeloom.application.manuscript.cite import cited_pages
        from citeloom.infrastructure.answers.text import link_to_file
        from citeloom.infrastructure.manuscript.formatting import links_filter

        pages = cited_pages(self._works(), self.read_drafts(*drafts))
        base_dir = self.parts.settings.base_dir
        links = ((one, link_to_file(stored, base_dir, page)) for one, stored, page in pages)
        return links_filter((one.citekey, one.suffix, link) for one, link in links if link)

    def bundle_drafts(
        self,
        *drafts: str | Path,
        out: str | Path,
        date: datetime | None = None,
        pictures: bool = True,
        cancellation: Cancellation | None = None,
    ) -> EvidenceBundle:
        """Write the evidence for the citations of drafts to `out`, a ZIP archive, and return it:
        for each the words of the work, a picture of their page, and the hash of the work's file.

        The archive of the same drafts, library and versions has the same bytes. `date` is the one
        in it, by default that of the newest source. Raises as `check`, and `ConfigError` for
        an `out` that does not end in `.zip`.
        """
        from citeloom.application.manuscript.bundle import gather_evidence
        from citeloom.application.manuscript.check import check_draft
        from citeloom.application.retrieval.show import draw_page
        from citeloom.infrastructure.answers.ro_crate import bundle_files
        from citeloom.infrastructure.manuscript.evidence_archive import (
            bundled_drafts,
            writing_archive,
        )

        read = self.read_drafts(*drafts, cancellation=cancellation)
        paths = [Path(draft.name) for draft in read]
        works = self._works()
        reports = [
            check_draft(draft, works, cancellation, terms=self._not_quotations) for draft in read
        ]
        draw = partial(draw_page, self.opened, self.parts.page_images)
        with writing_archive(Path(out)) as archive:
            bundle = gather_evidence(
                works,
                list(zip(read, bundled_drafts(paths, read), reports)),
                keep=archive.add_picture,
                draw=draw if pictures else None,
                versions=self._versions(),
                date=date,
                cancellation=cancellation,
            )
            for name, content in bundle_files(bundle, archive.sizes).items():
                archive.add(name, content)
        return bundle

    def verify_bundle(
        self, bundle: str | Path, *, cancellation: Cancellation | None = None
    ) -> BundleReplay:
        """Whether a bundle is intact, and what has changed since of the evidence in it.

        Raises `NotFound` where there is no such file, `UnreadableDocument` for one that is no
        bundle, `InvalidProject` if nothing has been ingested yet.
        """
        from citeloom.application.manuscript.bundle import replay_evidence
        from citeloom.infrastructure.answers.ro_crate import bundle_of
        from citeloom.infrastructure.manuscript.evidence_archive import read_archive

        path = Path(bundle)
        evidence, damaged = read_archive(path, lambda file: bundle_of(file, path.name))
        return replay_evidence(
            self._works(),
            evidence,
            damaged=damaged,
            versions=self._versions(),
            cancellation=cancellation,
        )

    def _versions(self) -> dict[str, str]:
        """The versions that a bundle depends on; it is verified without Pandoc, too."""
        from importlib.metadata import version

        from citeloom.domain.errors import ConfigError
        from citeloom.infrastructure.wiring.conversion import open_converter

        try:
            pandoc = self._pandoc().version()
        except ConfigError:
            pandoc = "none"
        return {
            "citeloom": version("citeloom"),
            "conversion": open_converter(self.parts.settings).version_of(".pdf"),
            "dense model": self.project.embedding_model,
            "pandoc": pandoc,
            "pypdfium2": version("pypdfium2"),
            "sparse model": self.project.bound_sparse_model or "none",
        }

    @cached_property
    def cited_works(self) -> CitedWorks:
        """Those of an editor, who is answered by references and texts that are read once."""
        return self._works()

    def _works(self) -> CitedWorks:
        from citeloom.application.manuscript.works import CitedWorks

        return CitedWorks(
            project=self.opened, read_references=lambda: self.references().references()
        )

    def _items(
        self, works: CitedWorks, citekeys: Iterable[str], pandoc: Pandoc
    ) -> list[dict[str, object]]:
        """The references of citekeys with every field of the references file."""
        from citeloom.application.manuscript.cite import references_of
        from citeloom.infrastructure.manuscript.csl_items import items_of, read_items

        file = self.project.references
        items = read_items(self.parts.settings.resolve(file), pandoc) if file is not None else []
        return items_of(references_of(works, citekeys), items)

    def open_draft(self, path: Path, *, cancellation: Cancellation | None = None) -> OpenDraft:
        """A draft that an editor has open: checked whole once, then where it changes, until
        `cancellation` ends it.
        """
        from citeloom.application.manuscript.check import check_draft
        from citeloom.application.manuscript.open_draft import OpenDraft
        from citeloom.infrastructure.manuscript.draft_reader import draft_of

        pandoc = self._pandoc(cancellation)
        return OpenDraft(
            name=str(path),
            read=lambda source: draft_of(source.encode(), path, pandoc),
            check=lambda draft: check_draft(
                draft, self.cited_works, cancellation, terms=self._not_quotations
            ),
        )

    @accepts(SupportRequest)
    def support_drafts(self, request: SupportRequest) -> list[SupportReport]:
        """What the project has in support of drafts' sentences without a citation.

        Raises `InvalidFilter` where none of the drafts has any of the lines, and what `read` and
        `query` raise.
        """
        from citeloom.application.manuscript.support import check_lines, support_draft

        read = self.read_drafts(
            *request.files, progress=request.progress, cancellation=request.cancellation
        )
        check_lines(read, request.lines)
        judge, events = self.relevance, reader_of(request.progress)
        return [
            support_draft(self.opened, draft, request, judge=judge, events=events) for draft in read
        ]

    @accepts(MatrixRequest)
    def matrix(self, request: MatrixRequest) -> Matrix:
        """The best passage of each work on each question; with `strict` only where it is likely to
        answer.

        Raises `NotFound` for an unknown work, `InvalidFilter` without a question, and what `query`
        raises.
        """
        from citeloom.application.manuscript.matrix import make_matrix

        events = reader_of(request.progress)
        return make_matrix(self.opened, request, judge=self.relevance, events=events)
