"""Finds the citations in the text of a draft apart from its reader, by what they look like.

It is what the reader is judged by, so it knows nothing of paragraphs, macros or Pandoc.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from html import unescape

from citeloom.domain.manuscript.cited_place import Markup
from citeloom.infrastructure.manuscript.csquotes import Groups
from citeloom.infrastructure.manuscript.field_items import items_of_field

CROSS_REFERENCE = re.compile(
    r"(?:fig|tbl|tab|sec|eq|lst|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg)[-:]"
)
"""What the names of a draft's own figures, tables and sections begin with."""


@dataclass(frozen=True, slots=True)
class KeyInText:
    """A citekey in a text, and where it begins; one that is not certain may be something else."""

    citekey: str
    start: int
    is_certain: bool = True


# Text that holds no citation, with spaces in its place, so that lines and columns stay.

_NO_LINE_END = re.compile(r"[^\n]")
_FENCE = re.compile(r"^[ \t>]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)$", re.MULTILINE)


def blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with spaces in place of the spans, which are in order; lines stay."""
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], _NO_LINE_END.sub(" ", text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


def listings(text: str) -> Iterator[tuple[int, int, str]]:
    """Where fenced listings stand, fences included, and what is written behind the first fence; one
    that nothing closes is none.
    """
    fences = list(_FENCE.finditer(text))
    longest: dict[str, list[int]] = {"`": [0], "~": [0]}
    for match in reversed(fences):
        for sign, lengths in longest.items():
            closes = match["fence"][0] == sign and not match["info"].strip()
            lengths.append(max(lengths[-1], len(match["fence"]) if closes else 0))
    opened: re.Match[str] | None = None
    for number, match in enumerate(fences):
        fence = match["fence"]
        if opened is None:
            is_closed = longest[fence[0]][len(fences) - number - 1] >= len(fence)
            opened = match if is_closed else None
        elif fence.startswith(opened["fence"]) and not match["info"].strip():
            yield opened.start(), match.end(), opened["info"]
            opened = None


def closed(
    text: str, opening: re.Pattern[str], closing: Callable[[re.Match[str]], str]
) -> Iterator[tuple[int, int]]:
    """Where spans stand from what opens them to what closes them: to its own end where that is
    empty. One that nothing closes is none, and looked for once.
    """
    at, missing = 0, set[str]()
    while match := opening.search(text, at):
        sign = closing(match)
        end = -1 if sign in missing else text.find(sign, match.end())
        at = match.end() if end < 0 else end + len(sign)
        if end < 0:
            missing.add(sign)
        else:
            yield match.start(), at


# Markdown: `@key`, but for listings, comments, addresses and the fields at the head.

_HEAD = re.compile(r"---[ \t]*\n")
_END_OF_HEAD = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_NO_MARKDOWN = re.compile(
    r"(?P<comment><!--)|(?<!`)(`+)(?!`)[^`\n]+\2(?!`)|\bhttps?://[^\s<>)\]]+|\]\([^()\n]*\)"
)
_AT = re.compile(
    r"(?<![\w@\\.:/+-])-?@(?:\{(?P<braced>[^{}\n]+)\}|(?P<key>\w(?:[:.#$%&+?<>~/-]?\w)*))"
)


_CHUNK_OPTIONS = re.compile(
    r"\A[ \t>]*(?:`{3,}|~{3,})[ \t]*\{[^\n]*|^[ \t>]*(?:#|//|%%|--)\|[^\n]*"
    r"|\bcap(?:tion)?\s*=\s*(?:\"[^\"]*\"|'[^']*')",
    re.MULTILINE,
)
"""Where citations stand in a chunk of code: the rest of it is code."""


def _code_in_markdown(text: str) -> Iterator[tuple[int, int]]:
    for start, end, info in listings(text):
        at = start
        for kept in _CHUNK_OPTIONS.finditer(text[start:end]) if info.startswith("{") else ():
            yield at, start + kept.start()
            at = start + kept.end()
        yield at, end


def plain_markdown(text: str) -> str:
    """Markdown without code, comments, addresses and the fields at its head."""
    plain = blank(text, _code_in_markdown(text))
    if _HEAD.match(plain) and (end := _END_OF_HEAD.search(plain, 3)):
        plain = blank(plain, [(0, end.end())])
    return blank(plain, closed(plain, _NO_MARKDOWN, _end_of_markdown))


def _end_of_markdown(match: re.Match[str]) -> str:
    return "-->" if match["comment"] else ""


def _in_markdown(text: str) -> Iterator[KeyInText]:
    plain = plain_markdown(text)
    for match in _AT.finditer(plain):
        name = "braced" if match["braced"] else "key"
        if not CROSS_REFERENCE.match(match[name]):
            yield KeyInText(match[name], match.start(name))
    yield from _cite_commands(plain)


# LaTeX: every command with `cite` in its name that has a key in braces.

CODE_IN_LATEX = re.compile(
    r"\\(?:lstinline|mintinline(?=(?:\[[^\[\]]*\])?\{[^{}]*\}\{))(?:\[[^\[\]]*\])?"
    r"(?:\{(?:[^{}]|\{[^{}]*\})*\}){1,2}"
)
_NO_LATEX = re.compile(
    rf"{CODE_IN_LATEX.pattern}|\\[%\\]|(?P<comment>%)|\\verb\*?(?P<sign>[^\w\s*])|(?P<false>\\iffalse\b)"
    r"|\\begin\{(?P<name>verbatim|lstlisting|minted|comment|filecontents\*?)\}"
    r"|(?P<end>\\end\{document\})"
)
_CITE = re.compile(
    r"\\(?P<name>[A-Za-z]*[cC]ite(?!style|index|reset|tracker)[A-Za-z]*|[a-z]*cquote)\*?"
)
_BEGIN_QUOTE = re.compile(r"\\begin\{(?P<name>displaycquote)\*?\}")
_DEFINES = re.compile(r"(?:command\*?\{?|[a-z]*let|def|Command\*?\{)\s*$")
_NO_CITATION = frozenset(
    "nocite bibcite newcite defcitealias setcitestyle DeclareCiteCommand DeclareMultiCiteCommand "
    "citation excite printcite mkbibcite".split()
)
_ARGUMENT = re.compile(
    r"\s*(?:\((?P<round>[^()\n]*)\)|\[(?P<square>(?:[^\[\]{}]|\{[^{}]*\})*)\]"
    r"|\{(?P<braced>[^{}]*)\})"
)
_KEYS = re.compile(r"[^\s,\\#$]+")
_UNKNOWN = re.compile(
    r"(?:\\(?P<name>[A-Za-z]+)\*?(?:\[[^\[\]]{0,200}\]){0,2}|\})\{(?P<key>[A-Za-z][\w:.+/-]*)(?=\})"
)
"""A word alone in the braces behind a command, or behind those of another word."""
_NO_KEYS = frozenset(
    "label ref eqref pageref autoref cref Cref nameref begin end input include usepackage nocite "
    "bibliography bibliographystyle addbibresource bibitem".split()
)


_DEFINITION = re.compile(
    r"\\(?:(?P<one>(?:re)?newcommand|providecommand|(?:re)?newrobustcmd|DeclareRobustCommand)"
    r"|(?P<two>(?:re)?newenvironment|(?:New|Renew|Provide|Declare)DocumentCommand)"
    r"|[egx]?def(?=\s*\\))\*?\s*(?:\\[A-Za-z@]+\*?|(?=\{))[^{}\[\]]*"
)


def definitions(text: str) -> Iterator[tuple[int, int]]:
    """Where the definitions of macros and environments stand in LaTeX."""
    groups, at = Groups(text), 0
    for match in _DEFINITION.finditer(text):
        if match.start() < at:
            continue
        named = text.startswith("{", match.end())
        at, left = match.end(), (2 if match["two"] else 1) + named
        while left:
            _, inner = groups.options(at)
            body = groups.braced(inner)
            if body is None:
                break
            at, left = body.stop + 1, left - 1
        if not left:
            yield match.start(), at


_OF_SEVERAL_PARTS = re.compile(
    r"\\(?:(?:re)?new|provide)command\*?\s*\{?\s*\\(?P<name>[A-Za-z]+)\s*\}?"
    r"\s*\[(?:[2-9]\](?!\s*\[)|[3-9]\]\s*\[)"
)


def macros_of_several_parts(text: str) -> set[str]:
    """The names of the macros that a LaTeX text defines with several parts in braces: only the
    definition says which of these is a citekey.
    """
    return {match["name"] for match in _OF_SEVERAL_PARTS.finditer(text)}


def plain_latex(text: str) -> str:
    """LaTeX up to the document's end without comments and what is printed as it is."""
    ended = f"{text}\n\0"
    return blank(ended, closed(ended, _NO_LATEX, _end_of_latex))


def _end_of_latex(match: re.Match[str]) -> str:
    if match["name"]:
        return f"\\end{{{match['name']}}}"
    if match["end"]:
        return "\0"
    return match["sign"] or ("\n" if match["comment"] else "\\fi" if match["false"] else "")


def _in_latex(text: str) -> Iterator[KeyInText]:
    plain = plain_latex(text)
    own = macros_of_several_parts(plain)
    plain = blank(plain, definitions(plain))
    certain = {one.start: one for one in _cite_commands(plain, own)}
    yield from certain.values()
    for match in _UNKNOWN.finditer(plain):
        start = match.start("key")
        if start not in certain and match["name"] not in _NO_KEYS:
            yield KeyInText(match["key"], start, is_certain=False)


def _cite_commands(text: str, own: AbstractSet[str] = frozenset()) -> Iterator[KeyInText]:
    for match in (*_CITE.finditer(text), *_BEGIN_QUOTE.finditer(text)):
        name, before = match["name"], text[max(match.start() - 20, 0) : match.start()]
        if name in _NO_CITATION or name in own or _DEFINES.search(before):
            continue
        skipped = name.startswith(("foreign", "hyphen")) or "vol" in name
        yield from _keys_behind(text, match.end(), skipped=skipped, several=name.endswith("s"))


def _keys_behind(text: str, at: int, *, skipped: bool, several: bool) -> Iterator[KeyInText]:
    """The keys in the first braces behind a command, or in all of them."""
    while argument := _ARGUMENT.match(text, at):
        at = argument.end()
        if argument["braced"] is None:
            continue
        if skipped:
            skipped = False
            continue
        start = argument.start("braced")
        if "\\" in argument["braced"] or "#" in argument["braced"]:
            return
        for key in _KEYS.finditer(argument["braced"]):
            yield KeyInText(key[0], start + key.start())
        if not several:
            return


# Typst: `@key`, and the labels of `cite` and of attributions.

ASIDE_IN_TYPST = re.compile(r"\\.|(?P<raw>```)|`[^`\n]*`|(?P<comment>/\*)|(?<!:)//[^\n]*")
_NO_TYPST = re.compile(
    rf"{ASIDE_IN_TYPST.pattern}|#(?:import|include)\b[^\n]*"
    r"|\"@[^\s\"\[\]]+\"|^[ \t]*[\w-]+:[ \t]*\"[^\"\n]*\",?[ \t]*$",
    re.MULTILINE,
)
_TYPST_AT = re.compile(r"(?<![\w\\/.@])@(?!(?:preview|local)/)(?P<key>\w(?:[\w:.-]*\w)?)")
_TYPST_CITE = re.compile(
    r"\b(?:cite[a-z]*\s*\(|attribution:|key:)\s*"
    r"(?:<(?P<key>\w[\w:.-]*)>|label\(\s*\"(?P<text>[^\"\n]+)\")"
)
_TYPST_STRING = re.compile(r"[(,]\s*\"(?P<name>\w[\w:.-]*)\"(?=\s*[,)])")
_TYPST_LABEL = re.compile(r"(?P<before>[(:,]\s*)?<(?P<name>\w[\w:.-]*)>")


def typst_labels(text: str) -> set[str]:
    """The labels of the parts of a text."""
    found = _TYPST_LABEL.finditer(plain_typst(text))
    return {match["name"] for match in found if not match["before"]}


def plain_typst(text: str, no_text: re.Pattern[str] = _NO_TYPST) -> str:
    """Typst without comments and code, and without what else can hold no citation."""
    return blank(text, closed(text, no_text, _end_of_typst))


def _end_of_typst(match: re.Match[str]) -> str:
    return {"comment": "*/", "raw": "```"}.get(match.lastgroup or "", "")


def _in_typst(text: str) -> Iterator[KeyInText]:
    plain, labels = plain_typst(text), typst_labels(text)
    for match in _TYPST_AT.finditer(plain):
        if match["key"] not in labels and not CROSS_REFERENCE.match(match["key"]):
            yield KeyInText(match["key"], match.start("key"))
    found = set[int]()
    for match in _TYPST_CITE.finditer(plain):
        name = "key" if match["key"] else "text"
        yield KeyInText(match[name], match.start(name))
        found.add(match.start(name))
    for match in _TYPST_LABEL.finditer(plain):
        start = match.start("name")
        if match["before"] and start not in found and match["name"] not in labels:
            yield KeyInText(match["name"], start, is_certain=False)
    for match in _TYPST_STRING.finditer(plain):
        if match.start("name") not in found:
            yield KeyInText(match["name"], match.start("name"), is_certain=False)


# Org: `[cite:@key]`, and the links of org-ref.

ASIDE_IN_ORG = re.compile(
    r"^[ \t]*#\+begin_(?P<name>src|example|comment|export)\b|^[ \t]*#(?:[ \t]|$)[^\n]*",
    re.MULTILINE | re.IGNORECASE,
)
_NO_ORG = re.compile(
    rf"{ASIDE_IN_ORG.pattern}|^[ \t]*#\+[^\n]*"
    r"|(?<![\w=])=[^=\n]+=(?!\w)|(?<![\w~])~[^~\n]+~(?!\w)",
    re.MULTILINE | re.IGNORECASE,
)
_ORG_CITE = re.compile(r"(?<!\[)\[cite(?:/[\w/-]+)?:(?P<keys>[^\[\]]*)\]")
_ORG_REF = re.compile(
    r"(?<![\w\[/])(?:\[\[)?[A-Za-z]*cite[A-Za-z]*\*?:"
    r"(?P<keys>(?<=.)[^\[\]\s][^\[\]\n]*(?=\])|[&\w][\w:;,&.-]*\w)"
)
_ORG_KEY = re.compile(
    r"@(?P<at>\w[\w:.#$%&+?<>~/-]*)|&(?P<and>\w[\w:./-]*)"
    r"|(?:^|(?<=,))\s*(?P<bare>\w[\w:./-]*)\s*(?=,|$)"
)


def plain_org(text: str, no_text: re.Pattern[str] = _NO_ORG) -> str:
    """Org without comments and listings, and without what else can hold no citation."""
    return blank(text, closed(text, no_text, _end_of_org))


def _end_of_org(match: re.Match[str]) -> str:
    name = match["name"]
    return f"#+{'END' if name and name.isupper() else 'end'}_{name}" if name else ""


def _in_org(text: str) -> Iterator[KeyInText]:
    plain = plain_org(text)
    for match in (*_ORG_CITE.finditer(plain), *_ORG_REF.finditer(plain)):
        for key in _ORG_KEY.finditer(match["keys"]):
            name = key.lastgroup or "at"
            if name != "bare" or match.re is _ORG_REF:
                written = key[name].rstrip(".:,;-")
                yield KeyInText(written, match.start("keys") + key.start(name))
    yield from _cite_commands(plain)


SCANS: Mapping[str, Callable[[str], Iterator[KeyInText]]] = {
    "markdown": _in_markdown,
    "latex": _in_latex,
    "typst": _in_typst,
    "org": _in_org,
}
"""What finds the citations of a text, by what it is written in."""


# What of a text is printed elsewhere than it stands, or nowhere.


def unprinted(text: str, markup: Markup) -> list[tuple[int, int]]:
    """Where comments and blocks of code stand, in order."""
    match markup:
        case "markdown":
            code = [(start, end) for start, end, info in listings(text) if info[:1] != "{"]
            spans = closed(blank(text, code), _NO_MARKDOWN, _end_of_markdown)
            comments = [one for one in spans if text.startswith("<!--", one[0])]
            return sorted([*code, *comments])
        case "latex":
            ended = f"{text}\n\0"
            signs = ("%", "\\iffalse", "\\begin", "\\end")
            spans = closed(ended, _NO_LATEX, _end_of_latex)
            return [one for one in spans if ended.startswith(signs, one[0])]
        case "typst":
            spans = closed(text, ASIDE_IN_TYPST, _end_of_typst)
            return [one for one in spans if text.startswith(("//", "/*", "```"), one[0])]
        case "org":
            return list(closed(text, ASIDE_IN_ORG, _end_of_org))


@dataclass(frozen=True, slots=True)
class NoteDefinition:
    """Where a footnote stands that is defined apart from the text that it belongs to."""

    label: str
    start: int
    end: int


_DEFINED_NOTES: Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "markdown": (
        re.compile(r"^ {0,3}\[\^(?P<label>[^\]\s]+)\]:", re.MULTILINE),
        re.compile(r"\n[ \t]*\n(?! {4}|\t|[ \t]*\n)|\n(?= {0,3}\[\^[^\]\s]+\]:)"),
    ),
    "org": (
        re.compile(r"^\[fn:(?P<label>[\w-]+)\]", re.MULTILINE),
        re.compile(r"\n[ \t]*\n[ \t]*\n|\n(?=\*+ |\[fn:[\w-]+\])"),
    ),
}
"""What begins a footnote that is defined apart, and what ends it."""


def note_definitions(text: str, markup: Markup) -> list[NoteDefinition]:
    """The footnotes that are defined apart, in the order of the text."""
    if markup not in _DEFINED_NOTES:
        return []
    begins, ends = _DEFINED_NOTES[markup]
    found = list[NoteDefinition]()
    for match in begins.finditer(text):
        end = ends.search(text, match.end())
        found.append(NoteDefinition(match["label"], match.end(), end.start() if end else len(text)))
    return found


# Word and OpenDocument: the codes of fields, and the names of marks, in the XML as it is written.

_WORD_FIELD = re.compile(
    r"<(?:\w+:)?(?:fldChar\b[^>]*fldCharType=\"(?P<mark>\w+)\"|instrText\b[^>]*>(?P<code>[^<]*)<"
    r"|fldData\b[^>]*>(?P<data>[^<]*)<|fldSimple\b[^>]*\binstr=\"(?P<simple>[^\"]*)\")"
)
_MARK_NAME = re.compile(
    r"<(?:\w+:)?(?:reference-mark-start\b[^>]*\bname|bookmarkStart\b[^>]*\bname"
    r"|bookmark-start\b[^>]*\bname|bibliography-mark\b[^>]*\b(?P<key>identifier))=\"(?P<name>[^\"]*)\""
)
_CITES = re.compile(r"CSL_CITATION|\bEN\.CITE\b(?!\.DATA)|^\s*CITATION\s|JABREF_|ZOTERO_BREF_")
_LONGEST_NAME = 60


def keys_in_fields(xml: str) -> Iterator[str]:
    """What the fields and marks of an XML file of Word or OpenDocument cite."""
    marks = (mark for mark in _MARK_NAME.finditer(xml) if not mark["key"])
    for code, data in (*_codes(xml), *((unescape(mark["name"]), "") for mark in marks)):
        items = items_of_field(code, data, {})
        yield from (item.work.citekey for item in items)
        if not items and _CITES.search(code):
            yield " ".join(code.split())[:_LONGEST_NAME]
    yield from (match["name"] for match in _MARK_NAME.finditer(xml) if match["key"])


def _codes(xml: str) -> Iterator[tuple[str, str]]:
    """The code of each field, up to what it shows, and the data within it."""
    code, data = list[str](), list[str]()
    for match in _WORD_FIELD.finditer(xml):
        if match["simple"] is not None:
            yield unescape(match["simple"]), ""
        elif match["code"] is not None:
            code.append(match["code"])
        elif match["data"] is not None:
            data.append(match["data"])
        elif match["mark"] == "separate" or (match["mark"] == "end" and code):
            yield unescape("".join(code)), "".join(data)
            code, data = [], []
