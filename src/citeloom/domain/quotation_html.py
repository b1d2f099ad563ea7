"""Quotations as HTML, for notebooks."""

from __future__ import annotations

from html import escape


def quotation_html(text: str, source: str) -> str:
    """The text quoted above its source, both escaped."""
    paragraphs = "".join(
        f"<p dir='auto'>{escape(part.strip())}</p>" for part in text.split("\n\n") if part.strip()
    )
    return (
        f"<figure><blockquote>{paragraphs}</blockquote>"
        f"<figcaption>{escape(source)}</figcaption></figure>"
    )
