"""A cited work with its pages, as people and programs write it in drafts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from citeloom.domain.retrieval.locator import Locator

# The pages that the locator of a citation names.

_OTHER = re.compile(
    r"^\W*(?:chap(?:ter)?s?|ch|kap(?:itel)?|cap|sec(?:tion)?s?|§+|¶+|para(?:graph)?s?|abs(?:atz)?|"
    r"fig(?:ure)?s?|abb|tab(?:le)?s?|vol(?:ume)?s?|bd|no|nos|l|ll|lines?|vv?|verses?|col(?:umn)?s?|"
    r"fol(?:io)?s?|app(?:endix)?|eq(?:uation)?s?|n|nn|notes?|anm|part|bk|book|loc(?:ation)?s?|"
    r"slides?|s\.v)(?:\b|(?<=\W))\.?",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^\W*(?:pp?|pages?|pgs?|s|seiten?|p[áa]gs?|p[áa]ginas?|bl|blz|str|ss?|f)(?:\b|(?=\d))\.?\s*(?=[\divxlcmDA-Z])",
    re.IGNORECASE,
)
_NUMBER = r"(?:[A-Za-z]{1,2}[-.]?)?\d+[a-e]?|[ivxlcdm]+|[IVXLCDM]+"
_RANGE = re.compile(
    rf"\s*[,;&]?\s*(?:(?:and|und|e|y|et)\s+)?"
    rf"(?P<first>{_NUMBER})(?:\s*(?:[-\u2010-\u2015\u2212]+|to|bis)\s*(?P<last>{_NUMBER})"
    r"|\s*(?P<on>ff?|sqq?)\b\.?)?(?=$|[\s,;.:)\]&])"
)
_FOLLOWING = 10
"""How many pages `ff.` may mean."""


@dataclass(frozen=True, slots=True)
class CitedPages:
    """Pages from `first` to `last` as they are written, and `following` more."""

    first: str
    last: str
    following: int = 0


@dataclass(frozen=True, slots=True)
class PageLocator:
    """The pages that a citation names: `45`, `45-47`, `iv`, `45ff.`, `45, 50`."""

    ranges: tuple[CitedPages, ...]
    text: str

    def __str__(self) -> str:
        return self.text


def page_locator(suffix: str) -> PageLocator | None:
    """The pages that the suffix of a citation names; None where it names none."""
    if _OTHER.match(suffix):
        return None
    label = _LABEL.match(suffix)
    at = label.end() if label else len(suffix) - len(suffix.lstrip(" ,;\xa0("))
    ranges, end = [], at
    while match := _RANGE.match(suffix, end):
        first, last, end = match["first"], match["last"] or match["first"], match.end()
        if first.isdigit() and last.isdigit() and len(last) < len(first):
            last = first[: -len(last)] + last
        following = _FOLLOWING if match["on"] in {"ff", "sqq"} else 1 if match["on"] else 0
        ranges.append(CitedPages(first, last, following))
    if not ranges or (label is None and not ranges[0].first[-1:].isdigit()):
        return None
    while at < end and not suffix[at].isalnum():
        at += 1
    return PageLocator(tuple(ranges), suffix[at:end])


# The citation, in the notations of the programs that format drafts.

_CITATION = re.compile(
    r"\[?\s*-?@(?:\{(?P<braced>[^{}]+)\}|(?P<bare>[^\s,;\]\[{}]+))\s*(?:,\s*(?P<suffix>[^\]]+))?\]?"
)
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
        """What `key`, `@key` or `[@key, p. 45]` cites."""
        match = _CITATION.fullmatch(text.strip())
        if match is None:
            return cls(citekey=text.strip())
        key, suffix = match["braced"] or match["bare"], (match["suffix"] or "").strip()
        locator = page_locator(suffix)
        return cls(citekey=key, pages=str(locator or ""), other="" if locator else suffix)

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


MARKUPS: Mapping[str, MarkupLanguage] = {
    "markdown": MarkupLanguage(
        (".md", ".markdown", ".qmd", ".rmd", ".txt", ".mdown"), CitedPlace.pandoc
    ),
    "latex": MarkupLanguage((".tex", ".latex", ".ltx"), CitedPlace.latex, "%"),
    "typst": MarkupLanguage((".typ",), CitedPlace.typst, "//"),
    "org": MarkupLanguage((".org",), CitedPlace.org),
}


def language_of(name: str) -> MarkupLanguage:
    """What the draft in a file of that name is written in; Markdown where none has its suffix."""
    suffix = name[name.rfind(".") :].lower()
    named = (language for language in MARKUPS.values() if suffix in language.suffixes)
    return next(named, MARKUPS["markdown"])
