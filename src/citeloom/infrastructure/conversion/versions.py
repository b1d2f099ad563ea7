"""The versions of converters: part of every cached result's key, and free of heavy imports."""

from __future__ import annotations

from collections.abc import Mapping

from citeloom_pdf import ENGINE

DOCLING = "docling-2.142.1"
LAYOUT_ENGINE = ENGINE
DOUBTS_ENGINE = "doubts-7"
_FIRST_LAYOUT = "heuristic-8"  # while PDFs had no version of their own
FORMATS_ENGINE = "formats-3"
MARKDOWN_ENGINE = "markdown-5"
PAGES_ENGINE = "pages-5"
EPUB_ENGINE = "epub-6"
SLIDES_ENGINE = "slides-4"


def converter_version() -> str:
    """Names the library and the readers of formats other than PDF; it must change whenever all of
    their results may.
    """
    return f"{DOCLING}/{_FIRST_LAYOUT}/{FORMATS_ENGINE}"


def pdf_version() -> str:
    """Names the library, the layout rules of PDFs, and what is doubted; it must change whenever a
    result may.
    """
    return f"{DOCLING}/{LAYOUT_ENGINE}/{DOUBTS_ENGINE}"


def own_versions() -> Mapping[str, str]:
    """The versions of readers that change without the others, by suffix."""
    shared = converter_version()
    markdown = dict.fromkeys((".md", ".markdown", ".mdx", ".txt"), f"{shared}/{MARKDOWN_ENGINE}")
    pages = (".html", ".htm", ".xhtml", ".docx")
    return {
        **markdown,
        **dict.fromkeys(pages, f"{shared}/{PAGES_ENGINE}"),
        ".epub": f"{shared}/{EPUB_ENGINE}",
        ".pptx": f"{shared}/{SLIDES_ENGINE}",
        ".pdf": pdf_version(),
    }
