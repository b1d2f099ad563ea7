"""The small papers as a Zotero library, each in a collection of its citekey's name."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from citeloom.domain.zotero.items import (
    CitekeySource,
    Creator,
    LinkMode,
    ZoteroAttachment,
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    ZoteroTag,
)
from tests.e2e.command import Desk, project_table
from tests.e2e.papers import PAPERS, Paper
from tests.fakes.zotero_contents import key
from tests.fakes.zotero_database import ZoteroDatabase

OWN = ZoteroLibraryRef(name="My Library")


@dataclass
class ZoteroDesk:
    """A desk with a Zotero data directory; `write` writes its database as Zotero leaves it."""

    desk: Desk
    papers: dict[str, Paper] = field(default_factory=dict)
    tags: dict[str, tuple[str, ...]] = field(default_factory=dict)
    searches: dict[str, tuple[tuple[str, str, str], ...]] = field(default_factory=dict)

    @property
    def data_dir(self) -> Path:
        return self.desk.folder / "zotero"

    def configure(self, project: str, **keys: object) -> None:
        """A project without any sources of its own."""
        table = project_table(project, references=None, sources=[], **keys)
        self.desk.configure(table, tables='[zotero]\ndata_dir = "zotero"\n')

    def write(self) -> None:
        """Write the database anew, and the files that are not there yet."""
        (self.data_dir / "zotero.sqlite").unlink(missing_ok=True)
        for paper in self.papers.values():
            if not self.file_of(paper).exists():
                paper.write(self.file_of(paper).parent)
        database = ZoteroDatabase(self.data_dir)
        database.write(self._content())
        for number, (name, conditions) in enumerate(self.searches.items()):
            database.save_search(0, key("SRC", number), name, *conditions)
        database.close()

    def file_of(self, paper: Paper) -> Path:
        """Where the paper's file is stored."""
        return self.data_dir / "storage" / key("PDF", PAPERS.index(paper)) / paper.file_name

    def lose(self, paper: Paper) -> None:
        """Take a paper's file away."""
        shutil.rmtree(self.file_of(paper).parent)

    def _content(self) -> ZoteroContent:
        numbers = {PAPERS.index(paper): paper for paper in self.papers.values()}
        return ZoteroContent(
            library=OWN,
            collections=tuple(
                ZoteroCollection(library=OWN, key=key("CLL", n), path=(paper.citekey,))
                for n, paper in numbers.items()
            ),
            items=tuple(self._item(n, paper) for n, paper in numbers.items()),
            attachments=tuple(
                ZoteroAttachment(
                    library=OWN,
                    key=key("PDF", n),
                    parent=key("ART", n),
                    link_mode=LinkMode.IMPORTED_FILE,
                    title="PDF",
                    content_type="application/pdf",
                    stored_path=f"storage:{paper.file_name}",
                )
                for n, paper in numbers.items()
            ),
        )

    def _item(self, number: int, paper: Paper) -> ZoteroItem:
        tags = self.tags.get(paper.citekey, paper.tags)
        return ZoteroItem(
            library=OWN,
            key=key("ART", number),
            item_type="journalArticle",
            fields={
                "title": paper.title,
                "date": str(paper.year),
                "DOI": f"10.5555/{paper.citekey}",
                "citationKey": paper.citekey,
            },
            creators=(Creator(role="author", family="Lovelace", given="Ada"),),
            tags=tuple(ZoteroTag(name=tag) for tag in tags),
            collections=(key("CLL", number),),
            citekey=paper.citekey,
            citekey_source=CitekeySource.FIELD,
        )


def zotero_desk(desk: Desk, *papers: Paper) -> ZoteroDesk:
    """A desk whose Zotero has these papers."""
    zotero = ZoteroDesk(desk, {paper.citekey: paper for paper in papers})
    zotero.write()
    return zotero
