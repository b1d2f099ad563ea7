"""Reads Typst into a tree as Pandoc has it, without running it: nothing is imported or computed.

What stands in brackets is text wherever a function takes it; what only a run could say is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile
from typing import Any

from citeloom.domain.manuscript.page_locator import page_locator
from citeloom.domain.text.greek import GREEK
from citeloom.infrastructure.manuscript.citation_scan import typst_labels

Node = dict[str, Any]

_NOWHERE = ["", [], []]
_TOKEN = re.compile(
    r"\\(?:u\{(?P<code>[0-9a-fA-F]{1,6})\}|(?P<escaped>.)|$)|(?P<comment>(?<!:)//[^\n]*)"
    r"|(?P<block>/\*)|(?P<address>\bhttps?://[^\s\[\]()<>]+)|(?P<raw>`+)|(?P<math>\$)"
    r"|(?P<blank>\n(?:[ \t]*\n)+)|(?P<line>\n)"
    r"|(?<![\w@])@(?P<key>\w(?:[\w:.-]*\w)?)|(?P<label><\w[\w:.-]*>)|(?P<sign>~|---?|\.\.\.)"
    r"|(?P<strong>(?<!\w)[*_]|[*_](?!\w))|(?P<hash>\#)|(?P<open>\[)|(?P<close>\])|(?P<quote>\")",
    re.MULTILINE,
)
_HEADING = re.compile(r"[ \t]*=+[ \t]+")
_ITEM = re.compile(r"[ \t]*(?:[-+]|\d+\.|/)[ \t]+")
_SIGNS = {"~": "\xa0", "--": "\u2013", "---": "\u2014", "...": "\u2026"}
_NAME = re.compile(r"[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)*")
_STATEMENT = re.compile(r"(?:let|set|show|import|include|return|context)\b")
_BRANCH = re.compile(r"(?:if|for|while)\b")
_ELSE = re.compile(r"\s*else\b")
_CODE = re.compile(
    r"(?P<comment>//[^\n]*)|(?P<block>/\*)|(?P<raw>`+)|(?P<math>\$)|\"(?P<text>(?:[^\"\\]|\\.)*)\""
    r"|(?P<name>[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)*)|<(?P<label>\w[\w:.-]*)>|(?P<sign>[\[({\])},;:\n])",
    re.DOTALL,
)
_GOES_ON = re.compile(r"(?:=>?|[+,.(\[{]|\b(?:and|or|in|else))[ \t]*$")
_GREEK = re.compile(rf"\b(?:{'|'.join(GREEK)})(?![A-Za-z])")
_FRACTION = re.compile(r"\bfrac\(([^(),]*),\s*([^(),]*)\)")
_NO_TEXT = frozenset("image bibliography raw read json yaml csv toml xml eval plugin lorem".split())


def typst_tree(text: str, is_no_work: Callable[[str], bool]) -> Mapping[str, Any]:
    """The tree of a text; references to its own labels are no citations."""
    labels = typst_labels(text)
    reader = _Typst(text, lambda key: key in labels or is_no_work(key))
    blocks: list[Node] = []
    while reader.at < len(text):
        blocks += reader.markup()
        reader.at += 1
    return {"blocks": blocks, "meta": {}}


@dataclass(frozen=True, slots=True)
class Label:
    """A label or citekey, and where it begins in the text."""

    name: str
    start: int


@dataclass(slots=True)
class _Value:
    """What an expression holds: text in brackets, words in quotation marks, labels."""

    blocks: list[Node] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    strings: list[Label] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)

    def add(self, other: _Value) -> None:
        self.blocks += other.blocks
        self.texts += other.texts
        self.strings += other.strings
        self.labels += other.labels

    @property
    def content(self) -> list[Node]:
        """Its text as blocks, be it in brackets or in quotation marks."""
        return self.blocks or ([_paragraph([_string(" ".join(self.texts))])] if self.texts else [])


@dataclass(slots=True)
class _Page:
    """Blocks, and behind them the paragraph that is being read."""

    blocks: list[Node] = field(default_factory=list)
    inlines: list[Node] = field(default_factory=list)

    def end_paragraph(self) -> None:
        if self.inlines:
            self.blocks.append(_paragraph(self.inlines))
            self.inlines = []

    def finished(self) -> list[Node]:
        self.end_paragraph()
        return self.blocks

    def add(self, value: _Value) -> None:
        """Put what code is into the text: within the paragraph where it is a piece of one."""
        for block in value.blocks:
            if block["t"] == "Plain" or (len(value.blocks) == 1 and block["t"] == "Para"):
                self.inlines += block["c"]
            else:
                self.end_paragraph()
                self.blocks.append(block)


class _Typst:
    """The reader of a text at a place in it."""

    def __init__(self, text: str, is_no_work: Callable[[str], bool]) -> None:
        self.text, self.at = text, 0
        self.is_no_work = is_no_work
        self._missing: set[str] = set()

    # Markup.

    def markup(self, end: str = "]") -> list[Node]:
        """The blocks up to the bracket, or the line end, that closes what is read."""
        page, depth = _Page(), 0
        self._line_start(page, end)
        while match := _TOKEN.search(self.text, self.at):
            page.inlines.append(_string(self.text[self.at : match.start()]))
            self.at = match.end()
            match match.lastgroup:
                case "close" if not depth and end == "]":
                    self.at = match.start()
                    return page.finished()
                case "blank" | "line" if end == "\n":
                    self.at = match.start()
                    return page.finished()
                case "open" | "close" as bracket:
                    depth = max(depth + (1 if bracket == "open" else -1), 0)
                    page.inlines.append(_string(match[0]))
                case "blank" | "line" as gap:
                    page.inlines.append({"t": "Space"})
                    if gap == "blank":
                        page.end_paragraph()
                    self._line_start(page, end)
                case "hash":
                    page.add(self._code_in_markup())
                case _:
                    page.inlines += self._inline(match)
        page.inlines.append(_string(self.text[self.at :]))
        self.at = len(self.text)
        return page.finished()

    def _line_start(self, page: _Page, end: str) -> None:
        """Read what only the beginning of a line may be: a heading, the mark of an item."""
        while end != "\n" and (heading := _HEADING.match(self.text, self.at)):
            page.end_paragraph()
            self.at = heading.end()
            inside = self.markup("\n")
            page.blocks.append({"t": "Header", "c": [1, _NOWHERE, _inlines_of(inside)]})
            self.at += 1
        if item := _ITEM.match(self.text, self.at):
            page.end_paragraph()
            self.at = item.end()

    def _inline(self, match: re.Match[str]) -> list[Node]:
        node: Node | None = None
        match match.lastgroup:
            case "code":
                node = _string(chr(min(int(match["code"], 16), 0x10FFFF)))
            case "escaped":
                node = _string(match["escaped"])
            case "address":
                node = _string(match[0])
            case "sign":
                node = _string(_SIGNS[match["sign"]])
            case "quote":
                before = self.text[match.start() - 1 : match.start()] or " "
                closes = before.isalnum() or before in ".,;:!?)]}*_\u201d\u2026"
                node = _string("\u201d" if closes else "\u201c")
            case "key":
                supplement = _inlines_of(self._bracket()) if self._is_at("[") else []
                if not self.is_no_work(match["key"]):
                    node = _cite([Label(match["key"], match.start("key"))], supplement)
            case "math":
                node = self._math()
            case "raw":
                raw = self._raw(match)
                node = {"t": "Code", "c": [_NOWHERE, "" if "\n" in raw else raw]}
            case "block":
                self._closed("*/")
        return [node] if node else []

    def _math(self) -> Node:
        start = self.at
        if not self._closed("$"):
            return _string("$")
        formula = self.text[start : self.at - 1].replace('"', "")
        formula = _GREEK.sub(lambda name: GREEK[name[0]], formula)
        formula = _FRACTION.sub(r"\\frac{\1}{\2}", formula)
        return {"t": "Math", "c": [{"t": "InlineMath"}, formula]}

    def _raw(self, match: re.Match[str]) -> str:
        start, fence = self.at, match["raw"]
        if len(fence) == 2 or not self._closed(fence):
            return ""
        return self.text[start : self.at - len(fence)]

    def _closed(self, sign: str) -> bool:
        """Whether something closes with a sign; it is then behind it."""
        end = -1 if sign in self._missing else self.text.find(sign, self.at)
        if end < 0:
            self._missing.add(sign)
            return False
        self.at = end + len(sign)
        return True

    def _is_at(self, sign: str) -> bool:
        return self.text.startswith(sign, self.at)

    def _bracket(self) -> list[Node]:
        """The blocks in the brackets that open here."""
        self.at += 1
        blocks = self.markup()
        self.at += 1
        return blocks

    # Code.

    def _code_in_markup(self) -> _Value:
        """What stands behind `#`."""
        text, value = self.text, _Value([_plain([_string("#")])])
        if self._is_at("["):
            value = _Value(self._bracket())
        elif self._is_at('"') and (string := _CODE.match(text, self.at)):
            self.at = string.end()
            value = _Value([_plain([_string(string["text"] or "")])])
        elif text[self.at : self.at + 1] in {"{", "("}:
            value = self._group()
        elif _STATEMENT.match(text, self.at):
            value = self._expression("\n;])}")
            self.at += self._is_at(";")
        elif _BRANCH.match(text, self.at):
            value = self._branch()
        elif name := _NAME.match(text, self.at):
            self.at = name.end()
            value = self._call(name[0]) if text[self.at : self.at + 1] in {"(", "["} else _Value()
            value = self._chained(value)
        return value

    def _chained(self, value: _Value) -> _Value:
        """A call with the methods that are called of its value."""
        while self._is_at(".") and (name := _NAME.match(self.text, self.at + 1)):
            if self.text[name.end() : name.end() + 1] not in {"(", "["}:
                break
            self.at = name.end()
            value.add(self._call(name[0]))
        return value

    def _branch(self) -> _Value:
        value = _Value()
        while True:
            value.add(self._expression("[{\n"))
            if self._is_at("["):
                value.blocks += self._bracket()
            elif self._is_at("{"):
                value.add(self._group())
            following = _ELSE.match(self.text, self.at)
            if following is None:
                return _Value(value.blocks)
            self.at = following.end()

    def _group(self) -> _Value:
        """What stands in the parentheses or braces that open here."""
        closing = ")" if self._is_at("(") else "}"
        self.at += 1
        value = _Value()
        while self.at < len(self.text) and not self._is_at(closing):
            value.add(self._expression(f"{closing},;"))
            self.at += not self._is_at(closing)
        self.at += 1
        return value

    def _expression(self, ends: str) -> _Value:
        """What code holds up to one of the signs that end it."""
        value, text, start = _Value(), self.text, self.at
        while match := _CODE.search(text, self.at):
            sign = match["sign"]
            if sign and sign in ends and not self._goes_on(sign, start, match.start()):
                self.at = match.start()
                return value
            self.at = match.end()
            match match.lastgroup:
                case "text":
                    value.texts.append(match["text"])
                    value.strings.append(Label(match["text"], match.start("text")))
                case "label":
                    value.labels.append(Label(match["label"], match.start("label")))
                case "name" if text[self.at : self.at + 1] in {"(", "["}:
                    value.add(self._call(match["name"]))
                case "block":
                    self._closed("*/")
                case "math":
                    self._closed("$")
                case "raw":
                    self._raw(match)
                case "sign" if sign == "[":
                    self.at = match.start()
                    value.blocks += self._bracket()
                case "sign" if sign in {"(", "{"}:
                    self.at = match.start()
                    value.add(self._group())
        self.at = len(text)
        return value

    def _goes_on(self, sign: str, start: int, at: int) -> bool:
        """Whether an expression goes on behind the end of a line."""
        return sign == "\n" and bool(_GOES_ON.search(self.text[max(start, at - 40) : at]))

    def _call(self, name: str) -> _Value:
        """What a function makes of its arguments."""
        positional, named = self._arguments()
        function = name.removesuffix(".with").rpartition(".")[2]
        return _Call(function, positional, named, self.is_no_work).value()

    def _arguments(self) -> tuple[list[_Value], dict[str, _Value]]:
        positional: list[_Value] = []
        named: dict[str, _Value] = {}
        if self._is_at("("):
            self.at += 1
            while self.at < len(self.text) and not self._is_at(")"):
                key = _ARGUMENT.match(self.text, self.at)
                self.at = key.end() if key else self.at
                start = self.at
                value = self._expression("),;")
                if key:
                    named[key[1]] = value
                    value.texts = value.texts or [self.text[start : self.at].strip()]
                else:
                    positional.append(value)
                self.at += not self._is_at(")")
            self.at += 1
        while self._is_at("["):
            positional.append(_Value(self._bracket()))
        return positional, named


_LABEL = 8
"""How many letters may stand before the number of a page: `Seiten 7`."""
_ARGUMENT = re.compile(r"\s*([^\W\d][\w-]*)\s*:")


@dataclass(frozen=True, slots=True)
class _Call:
    """The call of a function."""

    name: str
    positional: Sequence[_Value]
    named: Mapping[str, _Value]
    is_no_work: Callable[[str], bool]

    def value(self) -> _Value:
        """What the call is in the text."""
        if "cite" in self.name.lower() or self.name == "ref":
            return self._cited()
        made = _FUNCTIONS.get(self.name)
        return made(self) if made else self._other()

    def _label(self) -> _Value:
        return _Value(labels=[label for value in self.positional for label in value.strings])

    def _footnote(self) -> _Value:
        return _Value([_plain([{"t": "Note", "c": self._content()}])])

    def _heading(self) -> _Value:
        return _Value([{"t": "Header", "c": [1, _NOWHERE, _inlines_of(self._content())]}])

    def _table(self) -> _Value:
        return _Value([_table(self.positional)])

    def _words(self) -> _Value:
        return _Value([_plain(_inlines_of(self._content()))])

    def _figure(self) -> _Value:
        caption = self.named.get("caption", _Value()).content
        return _Value([{"t": "Figure", "c": [_NOWHERE, [None, caption], self._content()]}])

    def _content(self) -> list[Node]:
        return [block for value in self.positional for block in value.content]

    def _cited(self) -> _Value:
        labels = [label for value in self.positional for label in value.labels]
        labels = labels or [label for value in self.positional for label in value.strings]
        keys = [label for label in labels if not self.is_no_work(label.name)]
        supplement = self.named.get("supplement") or self._place() or _Value()
        form = self.named.get("form", _Value()).texts
        cited = _cite(keys, _inlines_of(supplement.content), {*form} & {"prose", "author"})
        return _Value([_plain([cited])] if keys else [])

    def _quoted(self) -> _Value:
        body = self._content()
        attribution = self.named.get("attribution", _Value())
        inlines = _inlines_of(attribution.blocks)
        written = [*dropwhile(lambda node: node["t"] != "Cite", inlines)]
        source = [_string(" "), *self._citations(attribution), *written]
        if self.name == "blockquote" or "true" in self.named.get("block", _Value()).texts:
            return _Value([{"t": "BlockQuote", "c": [*body, _paragraph(source)]}])
        quoted = {"t": "Quoted", "c": [{"t": "DoubleQuote"}, _inlines_of(body)]}
        return _Value([_plain([quoted, *source])])

    def _other(self) -> _Value:
        """What an unknown function takes is text; a label that is none of the draft's is cited."""
        every = [*self.positional, *self.named.values()]
        labels = [label for one in every for label in one.labels]
        place = self._place() if any(not self.is_no_work(label.name) for label in labels) else None
        value = _Value([block for one in every for block in one.blocks if one is not place])
        value.labels += labels
        in_line = all(block["t"] in {"Para", "Plain"} for block in value.blocks)
        cited = self._citations(value, place)
        if cited and in_line and len(value.blocks) == 1:
            return _Value([_plain([*value.blocks[0]["c"], _string(" "), *cited])])
        if cited:
            value = _Value([*value.blocks, _plain(cited)])
        if in_line and len(every) == 1:
            return _Value([_plain(block["c"]) for block in value.blocks[:1]] + value.blocks[1:])
        return value

    def _citations(self, value: _Value, place: _Value | None = None) -> list[Node]:
        keys = [label for label in value.labels if not self.is_no_work(label.name)]
        return [_cite(keys, _inlines_of(place.content) if place else [])] if keys else []

    def _place(self) -> _Value | None:
        """The first argument that is nothing but pages, with or without a label."""
        for value in (*self.positional, *self.named.values()):
            words = _words_of(_inlines_of(value.content))
            pages = page_locator(words)
            if pages and words.endswith(pages.text) and len(words) - len(pages.text) <= _LABEL:
                return value
        return None


_FUNCTIONS: Mapping[str, Callable[[_Call], _Value]] = {
    **dict.fromkeys(_NO_TEXT, lambda _: _Value()),
    **dict.fromkeys(("quote", "blockquote"), _Call._quoted),
    **dict.fromkeys(("table", "grid"), _Call._table),
    **dict.fromkeys(
        ("emph", "strong", "text", "smallcaps", "underline", "highlight"), _Call._words
    ),
    "label": _Call._label,
    "footnote": _Call._footnote,
    "heading": _Call._heading,
    "figure": _Call._figure,
}


# Nodes of the tree.


def _string(text: str) -> Node:
    return {"t": "Str", "c": text}


def _paragraph(inlines: list[Node]) -> Node:
    return {"t": "Para", "c": inlines}


def _plain(inlines: list[Node]) -> Node:
    return {"t": "Plain", "c": inlines}


def _cite(keys: Sequence[Label], supplement: list[Node], in_text: object = None) -> Node:
    mode = "AuthorInText" if in_text else "NormalCitation"
    cited = [
        {
            "citationId": key.name,
            "start": key.start,
            "citationPrefix": [],
            "citationSuffix": supplement,
            "citationMode": {"t": mode},
        }
        for key in keys
    ]
    return {"t": "Cite", "c": [cited, []]}


def _inlines_of(blocks: Sequence[Node]) -> list[Node]:
    """The inlines of blocks in one line."""
    inlines: list[Node] = []
    for block in blocks:
        if block["t"] in {"Para", "Plain"}:
            inlines += [*([_string(" ")] if inlines else []), *block["c"]]
    return inlines


def _words_of(inlines: Sequence[Node]) -> str:
    return "".join(str(node["c"]) if node["t"] == "Str" else " " for node in inlines).strip()


def _table(cells: Sequence[_Value]) -> Node:
    row = [_NOWHERE, [[_NOWHERE, None, 1, 1, cell.blocks] for cell in cells if cell.blocks]]
    empty = [_NOWHERE, []]
    return {"t": "Table", "c": [_NOWHERE, [None, []], [], empty, [[_NOWHERE, 0, [], [row]]], empty]}
