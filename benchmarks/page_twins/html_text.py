"""The text of HTML files as a reader sees it, without what leads from page to page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import html

_UNSEEN = frozenset("script style head noscript nav template svg math button select".split())
_BLOCKS = frozenset(
    "address article aside blockquote body br caption center dd details div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main ol p pre section summary "
    "table tbody td tfoot th thead tr ul".split()
)
_LEADS_ON = re.compile(
    r"(?:^|[\s_-])(?:nav\w*|sphinxsidebar\w*|headerlink|related|footer|breadcrumbs?|linenos?|menu"
    r"|copiable-(?:link|anchor))(?:$|[\s_-])",
    re.IGNORECASE,
)
_CHARSET = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?([\w-]+)")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*>")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_HEAD = 3000  # bytes of a file in which it names its encoding


def text_beside(path: Path) -> str:
    """The text of `NAME.html`, or of all HTML files of the folder `NAME`, beside `NAME.pdf`."""
    single, folder = path.with_suffix(".html"), path.with_suffix("")
    files = [single] if single.is_file() else sorted(folder.rglob("*.*htm*"))
    return "\n\n".join(text_of(file.read_bytes()) for file in files)


def text_of(data: bytes) -> str:
    """What an HTML file shows; blocks begin a line, spaces in lines are as in the file."""
    named = _CHARSET.search(data[:_HEAD])
    try:
        source = data.decode(named[1].decode() if named else "utf-8")
    except (UnicodeDecodeError, LookupError):
        source = data.decode("utf-8", "replace")
    root = html.document_fromstring(_DECLARATION.sub("", source) or "<p></p>")
    return _INVISIBLE.sub("", "".join(_pieces(root)))


def _pieces(root: html.HtmlElement) -> Iterator[str]:
    stack: list[html.HtmlElement | str] = [root]
    while stack:
        each = stack.pop()
        if isinstance(each, str):
            yield each
            continue
        end = "\n" if each.tag in _BLOCKS else ""
        yield end
        stack.append(end + (each.tail or ""))
        if isinstance(each.tag, str) and not _is_left_out(each):
            stack.extend(reversed(each))
            stack.append(each.text or "")


def _is_left_out(element: html.HtmlElement) -> bool:
    return element.tag in _UNSEEN or (
        element.tag != "body" and _LEADS_ON.search(element.get("class") or "") is not None
    )
