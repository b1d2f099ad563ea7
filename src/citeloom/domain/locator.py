"""Where in a work a passage stands, and how a citation says so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Locator:
    """Physical pages, the labels printed on them (one a page, or none), and the section.

    A citation uses the printed labels where there are any, else the physical page numbers.
    """

    page_start: int
    page_end: int
    page_labels: tuple[str, ...] = ()
    section: str = ""

    def __post_init__(self) -> None:
        if not 1 <= self.page_start <= self.page_end:
            raise ValueError(f"not a page span: {self.page_start}..{self.page_end}")
        pages = self.page_end - self.page_start + 1
        if self.page_labels and len(self.page_labels) != pages:
            raise ValueError(f"{len(self.page_labels)} page labels for {pages} pages")

    @property
    def pages(self) -> str:
        """The value of a CSL `page` locator: `45` or `45-47`."""
        first, last = str(self.page_start), str(self.page_end)
        if self.page_labels:
            first, last = self.page_labels[0], self.page_labels[-1]
        if self.page_start == self.page_end:
            return first
        return f"{first}-{last}"

    def __str__(self) -> str:
        """The locator as it is printed: `p. 45`, `pp. 45-47`, with the PDF page if it differs."""
        physical = Locator(page_start=self.page_start, page_end=self.page_end).pages
        prefix = "p." if self.page_start == self.page_end else "pp."
        if physical == self.pages:
            return f"{prefix} {self.pages}"
        noun = "page" if self.page_start == self.page_end else "pages"
        return f"{prefix} {self.pages} (PDF {noun} {physical})"

    def cite(self, citekey: str) -> str:
        """A Pandoc citation of the place: `[@martinClean2017, p. 45]`."""
        prefix = "p." if self.page_start == self.page_end else "pp."
        return f"[@{citekey}, {prefix} {self.pages}]"
