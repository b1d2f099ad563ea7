"""Notes as Zotero's "Add Note from Annotations" writes them."""

from __future__ import annotations

import json
from urllib.parse import quote


def quoted(
    text: str,
    *,
    attachment: str,
    work: str,
    label: str,
    page_index: int | None = None,
    annotation: str = "",
    place: str = "users/4711",
    remark: str = "",
) -> str:
    """A paragraph with a quotation, its citation and what the reader said of it."""
    uri = f"http://zotero.org/{place}/items/"
    cited = {"uris": [f"{uri}{work}"], "locator": label}
    data: dict[str, object] = {
        "attachmentURI": f"{uri}{attachment}",
        "color": "#ffd400",
        "pageLabel": label,
        "position": {"rects": []} if page_index is None else {"pageIndex": page_index},
        "citationItem": cited,
    }
    if annotation:
        data["annotationKey"] = annotation
    citation = {"citationItems": [cited], "properties": {}}
    return (
        f'<p><span class="highlight" data-annotation="{_encoded(data)}">\u201c{text}\u201d</span> '
        f'<span class="citation" data-citation="{_encoded(citation)}">(<span class="citation-item">'
        f"Fenn, 2001, p. {label}</span>)</span> {remark}</p>"
    )


def _encoded(data: object) -> str:
    return quote(json.dumps(data), safe="")
