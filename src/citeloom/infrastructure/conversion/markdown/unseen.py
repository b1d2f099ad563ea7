"""Elements of HTML that a reader does not see."""

from __future__ import annotations

import re

from citeloom.infrastructure.conversion.formats.hidden_html import reason_of_tag
from citeloom.infrastructure.conversion.hidden_text import HiddenPassage

_TAGS = frozenset("script style template noscript svg iframe object select textarea".split())
_EMPTY = frozenset("area base br col embed hr img input link meta source track wbr".split())
_HIDDEN = re.compile(
    r"""\shidden(?=[\s=/>])|aria-hidden\s*=\s*["']?true|display\s*:\s*none|visibility\s*:\s*hidden""",
    re.IGNORECASE,
)
_NAME = re.compile(r"</?([A-Za-z][\w-]*)")


class Unseen:
    """Follows tags, and knows whether what comes next is within an element that is not seen.

    Text that the style of its element hides is added to `hidden`.
    """

    def __init__(self, hidden: list[HiddenPassage]) -> None:
        self._hidden = hidden
        self._reason = ""
        self.tag = ""
        self._depth = 0

    def __bool__(self) -> bool:
        return self._depth > 0

    def close(self) -> None:
        """Leave the element that is not seen."""
        self._depth = 0

    def pass_tag(self, written: str) -> None:
        """Note a tag as it is written."""
        named = _NAME.match(written)
        if named is None:
            return
        tag, closes = named[1].lower(), written.startswith("</")
        if self._depth:
            self._depth += (tag == self.tag) * (-1 if closes else 1)
        elif not closes and tag not in _EMPTY:
            self._reason = reason_of_tag(written)
            if self._reason or tag in _TAGS or _HIDDEN.search(written):
                self.tag, self._depth = tag, int(not written.endswith("/>"))

    def pass_text(self, text: str) -> None:
        """Note text within an element that is not seen."""
        if self._reason and text.strip():
            self._hidden.append(HiddenPassage(text=" ".join(text.split()), reason=self._reason))
