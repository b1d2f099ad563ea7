"""What the converter is called: part of every cached result's key, and free of heavy imports."""

from __future__ import annotations

from collections.abc import Mapping

DOCLING = "docling-2.142.1"
LAYOUT_ENGINE = "heuristic-8"
FORMATS_ENGINE = "formats-3"
MARKDOWN_ENGINE = "markdown-3"
PAGES_ENGINE = "pages-1"
SLIDES_ENGINE = "slides-2"


def docling_layout_version(models: str) -> str:
    """Names Docling's pipeline with its models, where these find the layout of PDFs."""
    return f"{DOCLING}/{models}"


def converter_version() -> str:
    """Names the library, the layout rules and the readers of other formats; it must change
    whenever a result may.
    """
    return f"{DOCLING}/{LAYOUT_ENGINE}/{FORMATS_ENGINE}"


def own_versions() -> Mapping[str, str]:
    """The versions of readers that change without the others, by suffix."""
    shared = converter_version()
    markdown = dict.fromkeys((".md", ".markdown", ".mdx", ".txt"), f"{shared}/{MARKDOWN_ENGINE}")
    pages = (".html", ".htm", ".xhtml", ".epub", ".docx")
    return {
        **markdown,
        **dict.fromkeys(pages, f"{shared}/{PAGES_ENGINE}"),
        ".pptx": f"{shared}/{SLIDES_ENGINE}",
    }
