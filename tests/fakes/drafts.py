"""Drafts made in memory."""

from __future__ import annotations

from citeloom.domain.manuscript.draft import (
    MARK,
    Draft,
    DraftCitation,
    DraftLocation,
    DraftParagraph,
    Mark,
)

HERE = DraftLocation(0, 1, 1, 1)


def draft_of(*paragraphs: str, name: str = "draft.md") -> Draft:
    """A draft of plain paragraphs, one a line; `{@key}` is a citation, `{}` a formula's place."""
    made, lines = [], []
    start = 0
    for text in paragraphs:
        plain, marks = "", []
        for part in text.replace("}", "{").split("{"):
            if part.startswith("@"):
                cited = DraftCitation(citekey=part[1:], place=HERE)
                marks.append(Mark(offset=len(plain), citations=(cited,)))
                plain += MARK
            else:
                plain += part
        words = []
        at = 0
        for word in plain.split(" "):
            letters = word.replace(MARK, "").rstrip(".?!:,")
            if letters:
                words.append((at, start + at, len(letters)))
            at += len(word) + 1
        made.append(DraftParagraph(text=plain, marks=tuple(marks), anchors=tuple(words)))
        lines.append(plain)
        start += len(plain) + 1
    return Draft(name=name, text="\n".join(lines), paragraphs=tuple(made))
