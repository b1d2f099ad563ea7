"""The text of HTML files as a reader sees it, without what leads from page to page; on request
with marks where headings and tables stand in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
MARKS = {
    **{f"h{level}": chr(0xE100 + level) for level in range(1, 7)},
    "table": "\ue110",
    "tr": "\ue111",
    "td": "\ue112",
    "th": "\ue112",
    "pre": "\ue113",
}
"""What stands in a marked text before the content of an element; `END` stands behind it."""
END = "\ue1ff"
BLOCK, ANY_BREAK, PAIR = "\ue120", "\ue121", "\ue122"
"""What stands between two blocks, where a line may or may not end, and between a term and its
description or two cells of a row, in a text that tells them apart.
"""
_PRIVATE = re.compile("[\ue100-\ue1ff]")


def text_beside(path: Path, *, marked: bool = False, broken: bool = False) -> str:
    """The text of `NAME.html`, or of all HTML files of the folder `NAME`, beside `NAME.pdf`."""
    single, folder = path.with_suffix(".html"), path.with_suffix("")
    files = [single] if single.is_file() else sorted(folder.rglob("*.*htm*"))
    texts = (text_of(file.read_bytes(), marked=marked, broken=broken) for file in files)
    return "\n\n".join(texts)


def text_of(data: bytes, *, marked: bool = False, broken: bool = False) -> str:
    """What an HTML file shows; blocks begin a line, spaces in lines are as in the file. On request
    with marks where headings and tables stand, or with what kind of break stands between blocks.
    """
    named = _CHARSET.search(data[:_HEAD])
    try:
        source = data.decode(named[1].decode() if named else "utf-8")
    except (UnicodeDecodeError, LookupError):
        source = data.decode("utf-8", "replace")
    source = _PRIVATE.sub("", _DECLARATION.sub("", source))
    root = html.document_fromstring(source or "<p></p>")
    pieces = _broken_pieces(root) if broken else _pieces(root, MARKS if marked else {})
    return _INVISIBLE.sub("", "".join(pieces))


def _pieces(root: html.HtmlElement, marks: Mapping[str, str]) -> Iterator[str]:
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
            mark = marks.get(each.tag, "")
            stack.append(END if mark else "")
            stack.extend(reversed(each))
            stack.append(mark + (each.text or ""))


def _broken_pieces(root: html.HtmlElement) -> Iterator[str]:
    stack: list[tuple[html.HtmlElement | str, bool]] = [(root, False)]
    while stack:
        each, code = stack.pop()
        if isinstance(each, str):
            yield each.replace("\n", ANY_BREAK) if code else each
            continue
        begun, ended = _marks_around(each)
        yield begun
        stack += [(each.tail or "", code), (ended, False)]
        if isinstance(each.tag, str) and not _is_left_out(each):
            code = code or each.tag == "pre"
            stack.extend((child, code) for child in reversed(each))
            stack.append((each.text or "", code))


def _marks_around(element: html.HtmlElement) -> tuple[str, str]:
    if element.tag == "br":
        return ANY_BREAK, ""
    if element.tag not in _BLOCKS:
        return "", ""
    before = element.getprevious()
    beside = {"dd": "dt", "td": "td", "th": "th"}.get(element.tag)
    if before is not None and beside and before.tag in (beside, "th"):
        return PAIR, "" if element.tag != "dd" else BLOCK
    if element.tag == "dt" and before is not None and before.tag == "dt":
        return ANY_BREAK, ""
    return BLOCK, "" if element.tag in ("dt", "td", "th") else BLOCK


def _is_left_out(element: html.HtmlElement) -> bool:
    return element.tag in _UNSEEN or (
        element.tag != "body" and _LEADS_ON.search(element.get("class") or "") is not None
    )
