"""Where in a work a passage stands, and how a citation says so."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from citeloom.domain.documents.sections import Paragraph

_MEANT_BY_PANDOC = re.compile(r"[][\\`*_@;^~<$&{}]")
_SPACE = re.compile(r"\s+")
_BARE_CITEKEY = re.compile(r"\w(?:[:.#$%&+?<>~/-]?\w)*")
_NOT_IN_BRACES = re.compile(r"[{}\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Locator:
    """Physical pages, the labels printed on them (one a page, or none), and the section.

    A citation uses the printed labels where there are any, else the physical page numbers. Where
    a format has no pages, the first and the last paragraph take their place. A reader's mark may
    have neither; it is cited as the work alone, or by the one label that Zotero knows of it.
    """

    page_start: int | None = None
    page_end: int | None = None
    page_labels: tuple[str, ...] = ()
    paragraphs: tuple[Paragraph, Paragraph] | None = None
    section: str = ""
    of_page_list: bool = False

    def __post_init__(self) -> None:
        if self.page_start is None or self.page_end is None:
            if len(self.page_labels) > 1 or self.page_start != self.page_end:
                raise ValueError("a locator names pages from the first to the last, or none")
            return
        if not 1 <= self.page_start <= self.page_end:
            raise ValueError(f"not a page span: {self.page_start}..{self.page_end}")
        pages = self.page_end - self.page_start + 1
        if self.page_labels and len(self.page_labels) != pages:
            raise ValueError(f"{len(self.page_labels)} page labels for {pages} pages")

    @property
    def page_span(self) -> tuple[int, int] | None:
        """The first and the last physical page; None without pages."""
        if self.page_start is None or self.page_end is None:
            return None
        return self.page_start, self.page_end

    @property
    def pages(self) -> str:
        """The value of a CSL `page` locator: `45` or `45-47`; empty where there are no pages."""
        if self.page_start is None:
            return "".join(self.page_labels)
        if self.of_page_list and not self.page_labels:
            return ""
        first, last = str(self.page_start), str(self.page_end)
        if self.page_labels:
            first, last = self.page_labels[0], self.page_labels[-1]
        if self.page_start == self.page_end:
            return first
        return f"{first}-{last}"

    def __str__(self) -> str:
        """The locator as it is printed: `p. 45`, `pp. 45-47`, with the PDF page if it differs;
        `sec. 2.3, ¶ 4` without pages; nothing for the whole work.
        """
        if self.paragraphs is not None:
            return _paragraphs(self.paragraphs, ("¶", "¶¶"))
        if self.page_start is None:
            return f"p. {self.pages}" if self.pages else ""
        physical = Locator(page_start=self.page_start, page_end=self.page_end).pages
        prefix = "p." if self.page_start == self.page_end else "pp."
        if not self.pages:
            return ""
        if physical == self.pages or self.of_page_list:
            return f"{prefix} {self.pages}"
        noun = "page" if self.page_start == self.page_end else "pages"
        return f"{prefix} {self.pages} (PDF {noun} {physical})"

    def cite(self, citekey: str) -> str:
        """A Pandoc citation of the place: `[@martinClean2017, p. 45]`, or, without pages,
        `[@martinClean2017, sec. 2.3, para. 4]`, or of the work alone. A key that cannot stand bare
        is written `@{…}`.
        """
        if self.paragraphs is not None:
            paragraphs = _paragraphs(self.paragraphs, ("para.", "paras."), _escaped)
            return f"[@{_key(citekey)}, {paragraphs}]"
        if not self.pages:
            return f"[@{_key(citekey)}]"
        prefix = "p." if self.page_start == self.page_end else "pp."
        return f"[@{_key(citekey)}, {prefix} {_escaped(self.pages)}]"


def _key(citekey: str) -> str:
    """The key as Pandoc reads it whole: within braces unless it is letters, digits and underscores
    with single marks between them.
    """
    if _BARE_CITEKEY.fullmatch(citekey):
        return citekey
    return f"{{{_NOT_IN_BRACES.sub('', citekey)}}}"


def _escaped(label: str) -> str:
    return _MEANT_BY_PANDOC.sub(r"\\\g<0>", _SPACE.sub(" ", label))


def _paragraphs(
    ends: tuple[Paragraph, Paragraph],
    nouns: tuple[str, str],
    written: Callable[[str], str] = str,
) -> str:
    first, last = ends
    sections = [f"sec. {written(end.section)}, " if end.section else "" for end in ends]
    if first == last:
        return f"{sections[0]}{nouns[0]} {first.number}"
    if first.section == last.section:
        return f"{sections[0]}{nouns[1]} {first.number}-{last.number}"
    return f"{sections[0]}{nouns[0]} {first.number} to {sections[1]}{nouns[0]} {last.number}"
