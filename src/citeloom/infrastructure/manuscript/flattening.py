"""Pandoc's tree of a draft as paragraphs without markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from citeloom.domain.manuscript.draft import (
    MARK,
    DraftCitation,
    DraftLocation,
    NamedWork,
    ParagraphKind,
)
from citeloom.domain.text.greek import GREEK

_RAISED = str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_LOWERED = str.maketrans("0123456789+-\u2212", "₀₁₂₃₄₅₆₇₈₉₊₋₋")


_COMMAND = re.compile(r"\\(?:([A-Za-z]+)\s*|[,;:! ])")
_SIGNS = {**GREEK, **{f"var{name}": letter for name, letter in GREEK.items()}} | {
    "pm": "±", "times": "×", "cdot": "·", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥",
    "approx": "≈", "neq": "≠", "sim": "∼", "to": "→", "rightarrow": "→", "circ": "°", "infty": "∞",
    "in": "∈", "sum": "∑", "prod": "∏", "int": "∫", "partial": "∂", "nabla": "∇", "mid": "|",
    "dots": "…", "ldots": "…", "cdots": "⋯", "prime": "\u2032", "propto": "∝", "equiv": "≡",
    "sqrt": "√",
}  # fmt: skip
# what only says how something is set, and functions, which are written by their names
_SET = re.compile(
    r"\\(?:left|right|big|Big|bigl|bigr|displaystyle|textstyle|limits|quad|qquad|mathrm|mathbf"
    r"|mathit|mathcal|mathbb|text|textrm|operatorname|boldsymbol)(?![A-Za-z])\s*"
)
_FUNCTION = re.compile(r"\\(max|min|sup|inf|lim|log|ln|exp|sin|cos|tan|det|Pr|arg)(?![A-Za-z])")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ATOM = re.compile(r"\w(?:[\^_](?:\w|\{\w*\}))*|\d+(?:[.,]\d+)*")
_GROUP = re.compile(r"(?<![\^_])\{([^{}]*)\}")
_PLAIN = re.compile(r"[\d\s.,+±×·≤≥≈≠∼→°∞=<>%-]*")


def _as_text(formula: str) -> str:
    """A formula of LaTeX in a line, as the text of a PDF has it; unknown commands stay."""
    text = _FUNCTION.sub(r"\1 ", _SET.sub("", formula))
    text = _COMMAND.sub(lambda found: _SIGNS.get(found[1], found[0]) if found[1] else " ", text)
    return _GROUP.sub(r"\1", _FRACTION.sub(_fraction, text))


def _fraction(found: re.Match[str]) -> str:
    return "/".join(part if _ATOM.fullmatch(part) else f"({part})" for part in found.groups())


@dataclass(frozen=True, slots=True)
class FlatMark:
    """Where in a paragraph a bracket of citations, not yet placed in the file, or a footnote
    stands; a footnote has the numbers of its paragraphs.
    """

    offset: int
    citations: tuple[DraftCitation, ...] = ()
    notes: tuple[int, ...] = ()


@dataclass(slots=True)
class FlatParagraph:
    """A paragraph without markup, not yet placed in the file."""

    kind: ParagraphKind
    block: int = 0
    parts: list[str] = field(default_factory=list)
    length: int = 0
    marks: list[FlatMark] = field(default_factory=list)
    formulas: list[tuple[int, int]] = field(default_factory=list)
    row: int = 0

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def add_formula(self, formula: str) -> None:
        """Append a formula as text; one of numbers and signs, such as ± 5, is no formula."""
        signs = _as_text(formula)
        if not _PLAIN.fullmatch(signs):
            self.formulas.append((self.length, self.length + len(signs)))
        self.add(signs)

    def cite(self, *citations: DraftCitation) -> None:
        """Append a mark of citations, or of a footnote without any."""
        self.marks.append(FlatMark(self.length, citations))
        self.add(MARK)

    def replace(self, replacements: Sequence[tuple[int, int, tuple[DraftCitation, ...]]]) -> None:
        """Put a mark in place of each span `(start, end)` of the text that is a citation."""
        text, parts, at, shift = self.text, [], 0, 0
        marks = []
        for start, end, citations in replacements:
            marks.append(FlatMark(start - shift, citations))
            parts += [text[at:start], MARK]
            shift += end - start - 1
            at = end

        def moved(offset: int) -> int:
            return offset - sum(end - start - 1 for start, end, _ in replacements if end <= offset)

        marks += [replace(mark, offset=moved(mark.offset)) for mark in self.marks]
        self.marks = sorted(marks, key=lambda mark: mark.offset)
        self.formulas = [(moved(start), moved(end)) for start, end in self.formulas]
        self.parts = ["".join([*parts, text[at:]])]
        self.length = len(self.parts[0])


@dataclass(slots=True)
class FlatDraft:
    """The paragraphs of a draft in Pandoc's order, the fields at its head, and its works where it
    describes them itself.
    """

    paragraphs: list[FlatParagraph] = field(default_factory=list)
    bibliographies: tuple[str, ...] = ()
    references: tuple[Mapping[str, Any], ...] = ()
    works: tuple[NamedWork, ...] = ()


def flattened(tree: Mapping[str, Any], is_no_work: Callable[[str], bool]) -> FlatDraft:
    """The paragraphs of Pandoc's tree; keys that name no work are left out of its citations."""
    walk = _Walk(is_no_work)
    meta = tree.get("meta", {})
    for name, field_of_head in meta.items():
        if name in {"nocite", "references"}:
            continue
        if _has_citations(field_of_head) and field_of_head["t"] == "MetaBlocks":
            walk.blocks(field_of_head["c"], ParagraphKind.TEXT)
        elif _has_citations(field_of_head) and field_of_head["t"] == "MetaInlines":
            walk.paragraph(field_of_head["c"], ParagraphKind.TEXT, 0)
    walk.blocks(tree["blocks"], ParagraphKind.TEXT)
    files = _value(meta.get("bibliography")) or ()
    return FlatDraft(
        paragraphs=walk.paragraphs,
        bibliographies=(files,) if isinstance(files, str) else tuple(map(str, files)),
        references=tuple(_value(meta.get("references")) or ()),
    )


class _Walk:
    def __init__(self, is_no_work: Callable[[str], bool]) -> None:
        self.paragraphs: list[FlatParagraph] = []
        self._is_no_work = is_no_work
        self._blocks = self._rows = 0

    def blocks(self, blocks: Iterable[Any], kind: ParagraphKind, block: int = 0) -> None:
        for item in _with_block_quotations(blocks):
            content: Any = item.get("c")
            match item["t"]:
                case "Para" | "Plain":
                    self.paragraph(content, kind, block)
                case "Header":
                    self.paragraph(content[2], ParagraphKind.HEADING, block)
                case "LineBlock":
                    lines = [inline for line in content for inline in (*line, {"t": "Space"})]
                    self.paragraph(lines, kind, block)
                case "BlockQuote":
                    is_outer = kind is not ParagraphKind.QUOTATION
                    self._blocks += is_outer
                    number = self._blocks if is_outer else block
                    self.blocks(content, ParagraphKind.QUOTATION, number)
                case "Figure":
                    self.blocks(content[1][1] or [], ParagraphKind.CAPTION, block)
                    self.blocks(content[2], kind, block)
                case "Table":
                    self._table(content, block)
                case other:
                    self._container(other, content, kind, block)

    def _container(self, name: str, content: Any, kind: ParagraphKind, block: int) -> None:
        match name:
            case "Div":
                self.blocks(content[1], kind, block)
            case "BulletList" | "OrderedList":
                for item in content if name == "BulletList" else content[1]:
                    self.blocks(item, kind, block)
            case "DefinitionList":
                for term, definitions in content:
                    self.paragraph(term, kind, block)
                    for definition in definitions:
                        self.blocks(definition, kind, block)

    def _table(self, content: Sequence[Any], block: int) -> None:
        _, caption, _, head, bodies, foot = content
        rows = [*head[1], *(row for body in bodies for row in (*body[2], *body[3])), *foot[1]]
        for row in rows:
            self._rows += 1
            for cell in row[1]:
                self.blocks(cell[4], ParagraphKind.CELL, block)
        self.blocks(caption[1], ParagraphKind.CAPTION, block)

    def paragraph(self, inlines: Iterable[Any], kind: ParagraphKind, block: int) -> None:
        """Add a paragraph, and behind it those of its footnotes."""
        row = self._rows if kind is ParagraphKind.CELL else 0
        paragraph = FlatParagraph(kind=kind, block=block, row=row)
        notes: list[tuple[int, list[Any]]] = []
        self.inlines(inlines, paragraph, notes)
        if paragraph.text.strip():
            self.paragraphs.append(paragraph)
        for at, content in notes:
            before = len(self.paragraphs)
            self.blocks(content, ParagraphKind.NOTE)
            numbers = tuple(range(before, len(self.paragraphs)))
            paragraph.marks[at] = FlatMark(paragraph.marks[at].offset, notes=numbers)

    def inlines(
        self, inlines: Iterable[Any], to: FlatParagraph, notes: list[tuple[int, list[Any]]]
    ) -> None:
        """Append inlines to a paragraph; `notes` receives its footnotes."""
        for inline in inlines:
            content: Any = inline.get("c")
            match inline["t"]:
                case "Code":
                    to.add(content[1])
                case "Str" | "Space" | "SoftBreak" | "LineBreak":
                    to.add(" " if content is None else content)
                case "Quoted":
                    is_single = content[0]["t"] == "SingleQuote"
                    to.add("\u2018" if is_single else "\u201c")
                    self.inlines(content[1], to, notes)
                    to.add("\u2019" if is_single else "\u201d")
                case "Cite":
                    self._cite(content, to)
                case "Note":
                    notes.append((len(to.marks), content))
                    to.cite()
                case "Span" | "Link":
                    self.inlines(content[1], to, notes)
                case "Emph" | "Strong" | "Underline" | "SmallCaps" | "Strikeout":
                    self.inlines(content, to, notes)
                case "Math":
                    to.add_formula(content[1])
                case "RawInline" if tag := _Q.match(_html(inline)):
                    to.add("\u201d" if tag["closes"] else "\u201c")
                case "Superscript" | "Subscript" as kind:
                    signs = _text(content)
                    is_number = signs.lstrip("+-\u2212").isdigit()
                    table = _RAISED if kind == "Superscript" else _LOWERED
                    to.add(signs.translate(table) if is_number else signs)

    def _cite(self, content: Sequence[Any], to: FlatParagraph) -> None:
        citations = [
            citation
            for one in content[0]
            for citation in _cited(one)
            if not self._is_no_work(citation.citekey)
        ]
        if citations:
            to.cite(*citations)


# Quotations in the tags of HTML.

_Q = re.compile(r"<(?P<closes>/)?q\b", re.IGNORECASE)
_BLOCKQUOTE = re.compile(r"<(?P<closes>/)?blockquote\b", re.IGNORECASE)


def _html(node: Mapping[str, Any]) -> str:
    """The HTML that a node of the tree is, if it is any."""
    is_html = node["t"] in {"RawBlock", "RawInline"} and node["c"][0] == "html"
    return node["c"][1] if is_html else ""


def _with_block_quotations(blocks: Iterable[Any]) -> list[Any]:
    """The blocks, those between the tags of a block quotation as one; a tag alone is none."""
    opened: list[list[Any]] = [[]]
    for item in blocks:
        tag = _BLOCKQUOTE.match(_html(item))
        if tag is None:
            opened[-1].append(item)
        elif not tag["closes"]:
            opened.append([])
        elif len(opened) > 1:
            inside = opened.pop()
            opened[-1].append({"t": "BlockQuote", "c": inside})
    return [item for level in opened for item in level]


def _cited(one: Mapping[str, Any]) -> Iterator[DraftCitation]:
    """A citation, and those that stand in its suffix, in `[@key, @other, p. 6]`."""
    suffix: Sequence[Any] = one["citationSuffix"]
    inner = next((at for at, inline in enumerate(suffix) if inline["t"] == "Cite"), len(suffix))
    yield DraftCitation(
        citekey=one["citationId"],
        place=_place(one),
        prefix=_text(one["citationPrefix"]).strip(),
        suffix=_text(suffix[:inner]).strip().rstrip(",").rstrip(),
        in_text=one["citationMode"]["t"] == "AuthorInText",
    )
    for further in suffix[inner]["c"][0] if inner < len(suffix) else ():
        mode = {"t": "NormalCitation"}
        behind = [*further["citationSuffix"], *suffix[inner + 1 :]]
        yield from _cited({**further, "citationSuffix": behind, "citationMode": mode})


def _place(cited: Mapping[str, Any]) -> DraftLocation:
    """Where the key of a citation stands, of which a reader of our own knows the `start`."""
    start = cited.get("start")
    end = 0 if start is None else start + len(cited["citationId"])
    return DraftLocation(start or 0, end, 1, 1)


# Texts and values of Pandoc's tree.


def _text(inlines: Iterable[Any]) -> str:
    paragraph = FlatParagraph(kind=ParagraphKind.TEXT)
    _Walk(lambda _: True).inlines(inlines, paragraph, [])
    return paragraph.text.replace(MARK, "").replace("\xa0", " ")


def _has_citations(node: Any) -> bool:
    if isinstance(node, list):
        return any(map(_has_citations, node))
    return isinstance(node, dict) and (node.get("t") == "Cite" or _has_citations(node.get("c")))


def _value(meta: Any) -> Any:
    """A value of the fields at the head of a draft, as plain data."""
    if meta is None:
        return None
    content = meta.get("c")
    match meta["t"]:
        case "MetaMap":
            return {key: _value(value) for key, value in content.items()}
        case "MetaList":
            return [_value(value) for value in content]
        case "MetaInlines":
            return _text(content)
        case "MetaBlocks":
            return " ".join(_text(block.get("c", ())) for block in content if block["t"] == "Para")
        case _:
            return content
