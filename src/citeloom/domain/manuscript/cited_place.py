"""A cited work with its pages, as people and programs write it in drafts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from citeloom.domain.manuscript.page_locator import page_locator
from citeloom.domain.retrieval.locator import Locator

# The citation, in the notations of the programs that format drafts.

_CITATION = re.compile(
    r"\[?\s*-?@(?:\{(?P<braced>[^{}]+)\}|(?P<bare>[^\s,;\]\[{}]+))\s*(?:,\s*(?P<suffix>[^\]]+))?\]?"
)
_NEXT = re.compile(r"(?<=[;,])\s*(?=(?:[^\s@;,]+\s+)?-?@)")
_LABEL = r"[^\W\d_]*\.?[\s\xa0]*"
_LATEX = re.compile(r"[\\{}$&#%_^~\[\]]")
_TYPST = re.compile(r"[\\\[\]#*_$@<>`]")
_TYPST_LABEL = re.compile(r"[A-Za-z0-9_:.-]+")
_IN_QUOTES = re.compile(r'["\\]')
_BACKSLASHED = r"\\\g<0>"


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPlace:
    """A citekey with pages as a citation names them, or with another locator in words."""

    citekey: str
    pages: str = ""
    other: str = ""

    @classmethod
    def read(cls, text: str) -> CitedPlace:
        """What `key`, `@key` or `[@key, p. 45]` cites; what is no page stays with the page."""
        match = _CITATION.fullmatch(text.strip())
        if match is None:
            return cls(citekey=text.strip())
        key, suffix = match["braced"] or match["bare"], (match["suffix"] or "").strip()
        pages = str(page_locator(suffix) or "")
        is_all = bool(pages) and re.fullmatch(_LABEL + re.escape(pages), suffix) is not None
        return cls(citekey=key, pages=pages if is_all else "", other="" if is_all else suffix)

    @classmethod
    def read_all(cls, text: str) -> list[CitedPlace]:
        """What each citation of a bracket cites: `[@key, p. 45; @other]`."""
        inner = text.strip()
        if inner.startswith("[") and inner.endswith("]") and inner.count("@") > 1:
            parts = [part.strip(" ,;") for part in _NEXT.split(inner[1:-1])]
            return [cls.read(part) for part in parts if part]
        return [cls.read(text)]

    @classmethod
    def of(cls, citekey: str, locator: Locator) -> CitedPlace:
        """The place of a passage."""
        if locator.pages:
            return cls(citekey=citekey, pages=locator.pages)
        written = locator.cite(citekey)
        return cls(citekey=citekey, other=written.partition(", ")[2].rstrip("]"))

    @property
    def locator(self) -> str:
        """The locator with its label: `p. 45`, `pp. 45-47`, `sec. 2`; empty without one."""
        if not self.pages:
            return self.other
        several = any(sign in self.pages for sign in "-\u2013,")
        return f"{'pp.' if several else 'p.'} {self.pages}"

    def pandoc(self) -> str:
        """As Pandoc reads it: `[@key, p. 45]`."""
        key = self.citekey if re.fullmatch(r"\w(?:[:.#$%&+?<>~/-]?\w)*", self.citekey) else ""
        named = key or f"{{{self.citekey}}}"
        return f"[@{named}, {self.locator}]" if self.locator else f"[@{named}]"

    def latex(self) -> str:
        r"""For biblatex: `\autocite[45]{key}`."""
        pages = self.pages.replace("\u2013", "-").replace("-", "--")
        option = _LATEX.sub(_BACKSLASHED, pages or self.other)
        return (
            f"\\autocite[{option}]{{{self.citekey}}}" if option else f"\\autocite{{{self.citekey}}}"
        )

    def typst(self) -> str:
        """For Typst: `#cite(<key>, supplement: [p. 45])`."""
        supplement = _TYPST.sub(_BACKSLASHED, self.locator)
        label = f"<{self.citekey}>"
        if not _TYPST_LABEL.fullmatch(self.citekey):
            quoted = _IN_QUOTES.sub(_BACKSLASHED, self.citekey)
            label = f'label("{quoted}")'
        return f"#cite({label}, supplement: [{supplement}])" if supplement else f"#cite({label})"

    def org(self) -> str:
        """For Org: `[cite:@key p. 45]`."""
        return (
            f"[cite:@{self.citekey} {self.locator}]" if self.locator else f"[cite:@{self.citekey}]"
        )

    def in_file(self, name: str) -> str:
        """As the draft in a file of that name, or with that suffix, has it."""
        return language_of(name).cite(self)


# What drafts are written in.

Markup = Literal["markdown", "latex", "typst", "org"]
"""What a draft that is given as a text is written in."""


@dataclass(frozen=True, slots=True)
class MarkupLanguage:
    """The suffixes of its drafts, the one of a text without a file first; how it cites; and what a
    comment to the end of a line begins with.
    """

    suffixes: tuple[str, ...]
    cite: Callable[[CitedPlace], str]
    line_comment: str = ""


MARKUPS: Mapping[Markup, MarkupLanguage] = {
    "markdown": MarkupLanguage(
        (".md", ".markdown", ".qmd", ".rmd", ".txt", ".mdown"), CitedPlace.pandoc
    ),
    "latex": MarkupLanguage((".tex", ".latex", ".ltx"), CitedPlace.latex, "%"),
    "typst": MarkupLanguage((".typ",), CitedPlace.typst, "//"),
    "org": MarkupLanguage((".org",), CitedPlace.org),
}


def markup_of(name: str) -> Markup:
    """What the draft in a file of that name is written in; Markdown where none has its suffix."""
    suffix = name[name.rfind(".") :].lower()
    named = (markup for markup, language in MARKUPS.items() if suffix in language.suffixes)
    return next(named, "markdown")


def language_of(name: str) -> MarkupLanguage:
    """The language of the draft in a file of that name."""
    return MARKUPS[markup_of(name)]
