"""A cited work with its pages, in the notations of the programs that format drafts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeloom.domain.manuscript.page_locators import page_locator
from citeloom.domain.retrieval.locator import Locator

_CITATION = re.compile(
    r"\[?\s*-?@(?:\{(?P<braced>[^{}]+)\}|(?P<bare>[^\s,;\]\[{}]+))\s*(?:,\s*(?P<suffix>[^\]]+))?\]?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPlace:
    """A citekey with pages as a citation names them, or with another locator in words."""

    citekey: str
    pages: str = ""
    other: str = ""

    @classmethod
    def read(cls, text: str) -> CitedPlace:
        """What `key`, `@key` or `[@key, p. 45]` cites."""
        found = _CITATION.fullmatch(text.strip())
        if found is None:
            return cls(citekey=text.strip())
        key, suffix = found["braced"] or found["bare"], (found["suffix"] or "").strip()
        locator = page_locator(suffix)
        if locator is None:
            return cls(citekey=key, other=suffix)
        return cls(citekey=key, pages=str(locator))

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
        option = self.pages.replace("\u2013", "-").replace("-", "--") or self.other
        return (
            f"\\autocite[{option}]{{{self.citekey}}}" if option else f"\\autocite{{{self.citekey}}}"
        )

    def typst(self) -> str:
        """For Typst: `#cite(<key>, supplement: [p. 45])`."""
        supplement = self.locator.replace("[", "\\[").replace("]", "\\]").replace("#", "\\#")
        if not supplement:
            return f"#cite(<{self.citekey}>)"
        return f"#cite(<{self.citekey}>, supplement: [{supplement}])"
