"""A passage as HTML, for notebooks: the text quoted, the work and the place below it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.domain.passage import Passage


def passage_html(passage: Passage) -> str:
    """The passage as a figure; everything a document says is escaped."""
    paragraphs = "".join(
        f"<p dir='auto'>{escape(part.strip())}</p>"
        for part in passage.text.split("\n\n")
        if part.strip()
    )
    return (
        f"<figure><blockquote>{paragraphs}</blockquote>"
        f"<figcaption>{escape(_source(passage))}</figcaption></figure>"
    )


def _source(passage: Passage) -> str:
    stored = passage.stored
    work = stored.citation
    named = f"{'; '.join(work.authors)}: {work.title}" if work else stored.source_path
    remark = f" ({stored.citekey_remark})" if stored.citekey_remark else ""
    return f"{passage.citation or str(stored.locator)}{remark} {named}".strip()
