"""LaTeX, Org and chunks of code in the forms that Pandoc reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

import yaml

from citeloom.infrastructure.manuscript.citation_scan import (
    CODE_IN_LATEX,
    blank,
    closed,
    macros_of_several_parts,
)
from citeloom.infrastructure.manuscript.csquotes import Groups, with_plain_quotes

# LaTeX in the commands that Pandoc knows: citations, quotation marks, macros of the author's.

_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_IN_OPTION: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\\(?:page|pno|p)(?![A-Za-z])[\s~]*"), "p. "),
    (re.compile(r"\\(?:pages|ppno|pp)(?![A-Za-z])[\s~]*"), "pp. "),
    (re.compile(r"[\s~]*\\psqq(?![A-Za-z])"), "ff."),
    (re.compile(r"[\s~]*\\psq(?![A-Za-z])"), "f."),
    (re.compile(r"\\S(?![A-Za-z])\s*"), "\u00a7 "),
    (re.compile(r"\\text(?:en|em)dash(?:\{\}|\s*)"), "\u2013"),
    (_COMMENT, ""),
    (re.compile(r"\\[,;: ]|~"), " "),
    (re.compile(r"\\[A-Za-z@]+\*?\s*|[{}]"), ""),
)
_SHORTHANDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\\og(?:\{\}|(?![A-Za-z]))[ \t~]*"), "\u00ab"),
    (re.compile(r"[ \t~]*\\fg(?:\{\}|(?![A-Za-z]))"), "\u00bb"),
    (re.compile(r"<<[ \t~]*(?=[^\W\d_]|\\)(?=[^<>]{1,4000}>>(?!=))"), "\u00ab"),
    (re.compile(r"(?<=[\w.!?,})\u2026])[ \t~]*>>(?!=)"), "\u00bb"),
    (re.compile(r"(?<=\w)\"[-=|~](?=\w)"), ""),
    (re.compile(r"\"`(?=\S)"), "\u201e"),
    (re.compile(r"(?<=\S)\"'"), "\u201c"),
    (re.compile(r"\"<(?=\S)"), "\u00ab"),
    (re.compile(r"(?<=\S)\">"), "\u00bb"),
)
_CITE = re.compile(r"\\(?P<name>[A-Za-z]*[cC]ite[A-Za-z]*|apud(?:online)?)\*?(?=\s*[\[({<])")
_NO_CITATION = re.compile(
    r"nocite|bibcite|newcite|\w*citealias|\w*citestyle|citereset\w*|Declare\w*|\w*citation\w*|"
    r"citetracker\w*|excite\w*|AtEveryCite\w*|\w*citeindex\w*"
)
_DEFINES = re.compile(r"(?:command\*?\s*\{?|Command\*?\s*\{|let|def)\s*$")
_IN_TEXT = re.compile(r"(?i:textcite|online|author|citealt)|[cC]itet(?!i|e)|citeA|citeN")
_OVERLAY = (
    r"<(?:(?:[a-z]+[@:] *)?[\d+.(-][\d+.,() -]*|presentation|article|beamer|handout)"
    r"(?:\|[^<>\\{}$\n]{0,60})?>"
)
_WITH_OVERLAY = re.compile(
    rf"(\\(?![A-Za-z]*[cC]ite)[A-Za-z]+\*?|\\begin *\{{[A-Za-z]+\*?\}}) *{_OVERLAY}"
    rf"|\[{_OVERLAY}\]"
)
"""On which slides of a presentation something is shown: `\\only<2->{words}`."""
_IFFALSE = re.compile(r"\\iffalse(?![A-Za-z])")
_GROUP = re.compile(r"\s*([\[({<])")
_CLOSING = {"(": ")", "<": ">"}
_KEYS = re.compile(r"[^{}\\\[\]]+|[^{}\[\]]*#\d[^{}\[\]]*")


def prepared_latex(text: str) -> str:
    """The text with the citations and quotation marks of many packages as Pandoc knows them."""
    text = blank(text, closed(text, _IFFALSE, lambda _: "\\fi"))
    text = _with_epigraphs(_with_words_of_pictures(CODE_IN_LATEX.sub("", text)))
    text = _QUOTE.sub(r"\\\1{quote}", _WITH_OVERLAY.sub(r"\1", text))
    text = without_macros(with_plain_quotes(text), _OF_ONE_PART, ())
    for pattern, plain in _SHORTHANDS:
        text = pattern.sub(plain, text)
    own = macros_of_several_parts(text)
    groups, parts, at = Groups(text), list[str](), 0
    for match in _CITE.finditer(text):
        name, before = match["name"], text[max(match.start() - 20, 0) : match.start()]
        if match.start() < at or _NO_CITATION.fullmatch(name) or _DEFINES.search(before):
            continue
        if name in own:
            continue
        written = _Command(groups, name, match.end()).plain()
        if written is not None:
            parts += [text[at : match.start()], written[0]]
            at = written[1]
    return "".join([*parts, text[at:]])


_QUOTE = re.compile(
    r"\\(begin|end)\{(?:cita[cç](?:ao|ão)|cita|citazione|citation|zitat|extract|quoting|"
    r"longquote|blockquote|quotebox)\*?\}(?:\[[^\[\]]*\])?"
)
"""Environments of classes for long quotations."""
_EPIGRAPH = re.compile(r"\\epigraph\s*(?=\{(?!\s*(?:``|[\"\u201c\u201e\u00ab]|\\enquote)))")


def _with_epigraphs(text: str) -> str:
    """Epigraphs without quotation marks as block quotations with their source."""
    groups, parts, at = Groups(text), list[str](), 0
    for match in _EPIGRAPH.finditer(text):
        words = groups.braced(match.end())
        following = _GROUP.match(text, words.stop + 1) if words else None
        source = groups.braced(following.end() - 1) if following else None
        if words and source and match.start() >= at:
            quote = f"\\begin{{quote}}{text[words]}\n{text[source]}\\end{{quote}}"
            parts += [text[at : match.start()], quote]
            at = source.stop + 1
    return "".join([*parts, text[at:]])


_PICTURE = re.compile(r"\\begin\{tikzpicture\}")
_NODE = re.compile(
    r"\bnode(?![A-Za-z])\s*(?:(?:\[[^\[\]]{0,400}\]|\([^()]{0,80}\)|at\b)\s*){0,8}(?=\{)"
)


def _with_words_of_pictures(text: str) -> str:
    """Of drawings what their nodes have in braces, each as a paragraph."""
    groups, parts, at = Groups(text), list[str](), 0
    for start, end in closed(text, _PICTURE, lambda _: "\\end{tikzpicture}"):
        parts.append(text[at:start])
        for node in _NODE.finditer(text, start, end):
            words = groups.braced(node.end())
            if words:
                parts.append(f"\n\n{text[words]}\n\n")
        at = end
    return "".join([*parts, text[at:]])


class _Command:
    """A citation command and what stands in its brackets and braces."""

    def __init__(self, groups: Groups, name: str, at: int) -> None:
        self.groups, self.name, self.at = groups, name, at

    def plain(self) -> tuple[str, int] | None:
        """The command in the words of Pandoc, and where it ends; None for one without keys."""
        name = self.name.lower()
        volume = ""
        leading: list[str] = []
        if "vol" in name:
            leading = self._options()
            volume = f"vol.~{self._braced() or ''}, "
        cited: list[str] = []
        most = 2 if name.startswith("apud") else 50 if name.endswith("s") else 1
        while len(cited) < most:
            options = self._options()
            keys = self._braced()
            if keys is None or not _KEYS.fullmatch(keys):
                break
            keys = " ".join(_COMMENT.sub(" ", keys).split())
            cited.append(f"{_written([*leading, *options], volume)}{{{keys}}}")
        if not cited:
            return None
        if name in {"citefield", "citename", "citelist"}:
            self._braced()
        command = "textcite" if _IN_TEXT.search(self.name) else "autocite"
        every = " ".join(f"\\{command}{one}" for one in cited)
        if len(cited) > 1:
            every = f"\\{command}s{''.join(cited)}"
        return (f"\\footnote{{{every}}}" if "foot" in name else every), self.at

    def _options(self) -> list[str]:
        options: list[str] = []
        text = self.groups.text
        while (match := _GROUP.match(text, self.at)) and match[1] != "{":
            start = match.end()
            if match[1] == "[":
                inside = self.groups.bracketed(start - 1)
                end = inside.stop if inside else -1
            else:
                end = text.find(_CLOSING[match[1]], start, start + 200)
            if end < 0:
                break
            if match[1] != "(":
                options.append(text[start:end])
            self.at = end + 1
        return options

    def _braced(self) -> str | None:
        match = _GROUP.match(self.groups.text, self.at)
        inside = self.groups.braced(match.end() - 1) if match and match[1] == "{" else None
        if inside is None:
            return None
        self.at = inside.stop + 1
        return self.groups.text[inside]


def _written(options: list[str], volume: str) -> str:
    """The words before and behind the key, without macros."""
    plain = []
    for option in options[-2:]:
        words = option
        for pattern, instead in _IN_OPTION:
            words = pattern.sub(instead, words)
        plain.append(words.strip())
    if not plain and not volume:
        return ""
    behind = plain[-1] if plain else ""
    if volume:
        behind = f"{volume}{'p.~' if behind[:1].isdigit() else ''}{behind}"
    return f"[{plain[0] if len(plain) > 1 else ''}][{behind}]" if len(plain) > 1 else f"[{behind}]"


# Macros that Pandoc does not know keep what they are given.

_OF_ONE_PART = (
    *("resizebox", "scalebox", "rotatebox", "adjustbox", "raisebox"),
    *("mbox", "fbox", "hbox", "makebox", "framebox", "fcolorbox"),
)
"""Those whose last part alone is text, of which Pandoc reads none."""

_MACRO = re.compile(r"\\([A-Za-z@]+)\*?(?=\s*[\[{])")
_ENVIRONMENT = re.compile(r"\\begin\s*\{([A-Za-z@*]+)\}")
_NO_TEXT = re.compile(
    r"(?i:.*(?:space|skip|ref|style|page\w*|length|counter|color|path|label|graphics|geometry|setup|"
    r"format|rule|box|input|include\w*|package|bib\w*|resource|header|footer|index|glossary|gls\w*|"
    r"ac[slf]?p?|SI|num|unit|url|href|toc\w*|contentsline|language))|begin|end|newcommand|renewcommand|"
    r"providecommand|def|let|newtheorem|newenvironment|renewenvironment|DeclareMathOperator|hyphenation"
)
_NO_WORDS = re.compile(
    r"!|-?[\s\d.,]*(?:cm|mm|pt|em|ex|in|\\[a-z]+width)?\s*|[\w-]+\s*=.*|[\w/-]+:[\w:-]+"
)
_CODE = frozenset(
    "tikzpicture pgfpicture axis forest algorithm algorithmic algorithmic* lstlisting minted "
    "verbatim comment equation align gather".split()
)


def unknown_names(tree: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """The macros and the environments with text that Pandoc left as they are."""
    macros: set[str] = set()
    environments: set[str] = set()
    for raw in _raw(tree["blocks"]):
        if environment := _ENVIRONMENT.match(raw):
            environments.add(environment[1])
        elif macro := _MACRO.match(raw):
            macros.add(macro[1])
    return {name for name in macros if not _NO_TEXT.fullmatch(name)}, environments - _CODE


def _raw(node: Any) -> Iterator[str]:
    """The LaTeX that a tree has as it is written, but for that of citations."""
    if isinstance(node, list):
        for one in node:
            yield from _raw(one)
    elif isinstance(node, dict):
        match node.get("t"):
            case "RawInline" | "RawBlock":
                yield node["c"][1].lstrip()
            case "Cite":
                return
            case _:
                yield from _raw(node.get("c"))


def without_macros(text: str, macros: Iterable[str], environments: Iterable[str]) -> str:
    """The text with what macros are given in their place, and without marks of environments."""
    for name in environments:
        text = re.sub(rf"\\(?:begin|end)\s*\{{{re.escape(name)}\}}", "\n\n", text)
    names = sorted(macros, key=len, reverse=True)
    if not names:
        return text
    called = re.compile(rf"\\(?:{'|'.join(map(re.escape, names))})(?![A-Za-z@])\*?")
    groups, cuts = Groups(text), list[tuple[int, int, str]]()
    for match in called.finditer(text):
        if _DEFINES.search(text[max(match.start() - 20, 0) : match.start()]):
            continue
        at, is_first = match.end(), True
        cuts.append((match.start(), at, ""))
        while group := _GROUP.match(text, at):
            inside = groups.bracketed if group[1] == "[" else groups.braced
            span = inside(group.end() - 1) if group[1] in "[{" else None
            if span is None:
                break
            words = text[span]
            if _NO_WORDS.fullmatch(words) or (group[1] == "[" and "cite" not in words):
                cuts.append((at, span.stop + 1, ""))
            else:
                cuts.append((at, span.start, "" if is_first else " "))
                cuts.append((span.stop, span.stop + 1, ""))
                is_first = False
            at = span.stop + 1
    parts, at = list[str](), 0
    for start, end, instead in sorted(cuts):
        if start >= at:
            parts += [text[at:start], instead]
            at = end
    return "".join([*parts, text[at:]])


# LaTeX that stands in Markdown: R Markdown and Quarto hand it on as it is.

_WITH_WORDS = re.compile(r"\\[A-Za-z]*[cC]ite|\\[A-Za-z]*quote|\\begin\s*\{[a-z]*quot")
"""What cites or quotes; all other LaTeX stays as it is."""
_RULE = "\n\n\\hrule\n\n"
"""Parts the pieces of LaTeX, and becomes a block of its own."""


def with_latex_read(
    tree: Mapping[str, Any], read: Callable[[str], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """The tree of a Markdown draft with what cites or quotes in its LaTeX, read together."""
    pieces = [*dict.fromkeys(piece for piece in _pieces(tree["blocks"]) if "\\hrule" not in piece)]
    if not pieces:
        return tree
    blocks = read(_RULE.join(pieces))["blocks"]
    runs = groupby(blocks, lambda block: block["t"] == "HorizontalRule")
    parts = [[*run] for is_rule, run in runs if not is_rule]
    if len(parts) != len(pieces):
        return tree
    return {**tree, "blocks": _replaced(tree["blocks"], dict(zip(pieces, parts)))}


def _pieces(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for one in node:
            yield from _pieces(one)
    elif isinstance(node, dict):
        if piece := _piece(node):
            yield piece
        else:
            yield from _pieces(node.get("c"))


def _piece(node: Mapping[str, Any]) -> str:
    """The LaTeX of a node that cites or quotes, of any other nothing."""
    if node.get("t") not in {"RawInline", "RawBlock"} or node["c"][0] not in {"tex", "latex"}:
        return ""
    return node["c"][1] if _WITH_WORDS.search(node["c"][1]) else ""


def _replaced(node: Any, read: Mapping[str, Sequence[Any]]) -> Any:
    if isinstance(node, dict):
        return {**node, "c": _replaced(node["c"], read)} if "c" in node else node
    if not isinstance(node, list):
        return node
    replaced = list[Any]()
    for one in node:
        blocks = read.get(_piece(one)) if isinstance(one, dict) else None
        if blocks is None:
            replaced.append(_replaced(one, read))
        elif one["t"] == "RawBlock":
            replaced += blocks
        else:
            replaced += (
                inline for block in blocks if block["t"] == "Para" for inline in block["c"]
            )
    return replaced


# Org with the citations of org-ref, and LaTeX's, as Org itself has them.

_LINK = re.compile(
    r"\[\[(?P<name>[A-Za-z]*cite[A-Za-z]*\*?):(?P<keys>[^\[\]\n]+)\](?:\[(?P<behind>[^\[\]\n]*)\])?\]"
)
_BARE = re.compile(r"(?<![\w\[/:])(?P<name>[A-Za-z]*cite[A-Za-z]*\*?):(?P<keys>[&\w][\w:,.&-]*\w)")
_LATEX = re.compile(
    r"\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?P<options>(?:\[[^\[\]\n]*\]){0,2})\{(?P<keys>[^{}\n]+)\}"
)
_COMMA = re.compile(r"(\[cite[^\[\]\n:]{0,20}:@[\w:.-]+),\s*(?=@\w)")
_EMPHASIS = re.compile(
    r"(?P<kept>^\*+[ \t]|^[ \t]*\|-[^\n]*|\[\[[^\[\]\n]*\])"
    r"|(?<![^\s({'\"\u201c|-])(?:(?P<plus>\+)(?=\d)|[*/_+]+(?=[^\s*/_+]))"
    r"|(?<=[^\s*/_+])[*/_+]+(?![^\s.,;:!?'\")}\u201d|-])",
    re.MULTILINE,
)
_PARAGRAPH = re.compile(r"^(\s*)\\(?:sub)?paragraph\*?\{([^{}\n]*)\}", re.MULTILINE)


def prepared_org(text: str) -> str:
    """The text with citations of org-ref as `[cite:@key p. 4]`, without LaTeX's headings, and
    without emphasis: marks that never close take Pandoc more than twice as long each.
    """
    text = _EMPHASIS.sub(lambda mark: mark["kept"] or ("\\plus{}" if mark["plus"] else ""), text)
    text = _PARAGRAPH.sub(r"\1\2 ", text)
    text = _COMMA.sub(r"\1; ", text)
    text = _LINK.sub(_cite, text)
    text = _BARE.sub(_cite, text)
    return _LATEX.sub(_cite, text)


def _cite(match: re.Match[str]) -> str:
    keys, groups = match["keys"], match.groupdict()
    parts = keys.split(";") if "&" in keys else keys.split(",")
    cited = [_with_at(part.strip()) for part in parts]
    behind = (groups.get("behind") or "").replace("::", " ").strip()
    options = re.findall(r"\[([^\[\]]*)\]", groups.get("options") or "")
    behind = behind or (options[-1] if options else "")
    if behind[:1].isdigit():
        behind = f"p. {behind}"
    prefix = f"{options[0]} " if len(options) > 1 and options[0] else ""
    return f"[cite:{prefix}{'; '.join(cited)}{f' {behind}' if behind else ''}]"


def _with_at(part: str) -> str:
    """`see &key p. 4` or `key` with `@` before its key."""
    return part.replace("&", "@", 1) if "&" in part else f"@{part}"


# The captions that Quarto and R Markdown have in chunks of code.

_OPTION = re.compile(r"^[ \t>]*(?:#|//|%%|--)\| ?(?P<yaml>[^\n]*)$", re.MULTILINE)
_CAPTION = re.compile(r"(?:\w+-)?(?:sub)?cap")
_STRING = re.compile(r"\"(?P<double>(?:[^\"\\]|\\.)*)\"|'(?P<single>(?:[^'\\]|\\.)*)'", re.DOTALL)
_BETWEEN = r"(?:[\w.$]{1,40}(?:\([\w., $]{0,80}\))?\s*,\s*)?"
"""A variable or a simple call between the strings that are put together."""
_STRINGS = r"(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
_IN_CODE = re.compile(
    r"\b(?:\w+[._])?(?:sub)?cap(?:tion)?\s*=\s*(?:[\w.]{1,40}\(\s*){0,2}"
    rf"(?P<strings>{_STRINGS}(?:\s*,\s*{_BETWEEN}{_STRINGS})*)",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_LONGEST_OPTIONS, _DEEPEST_OPTIONS = 50_000, 5
MOST_OPTIONS = 500_000
"""Up to how many characters of chunks the options of a draft are read."""
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""That of libyaml, which is seven times as fast."""


def captions_of_chunk(chunk: str, *, with_options: bool = True) -> Iterator[str]:
    """The captions, in Markdown, among the options of a chunk and in its code; an option that is
    no YAML has none.
    """
    options = "\n".join(match["yaml"] for match in _OPTION.finditer(chunk))
    if with_options and "cap" in options and len(options) <= _LONGEST_OPTIONS:
        yield from _in_options(options)
    for match in _IN_CODE.finditer(_OPTION.sub("", chunk)):
        for string in _STRING.finditer(match["strings"]):
            yield _ESCAPED.sub(
                lambda sign: " " if sign[1] in "nt" else sign[1], string[string.lastgroup or 0]
            )


def _in_options(options: str) -> Iterator[str]:
    name, depth = "", 0
    with suppress(yaml.YAMLError):  # the scan of the text counts what stands there as not read
        for event in yaml.parse(options, Loader=_LOADER):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            elif isinstance(event, yaml.ScalarEvent) and depth == 1 and not name:
                name = event.value
                continue
            elif isinstance(event, yaml.ScalarEvent) and _CAPTION.fullmatch(name):
                yield event.value
            if depth > _DEEPEST_OPTIONS:
                return
            if depth <= 1:
                name = ""
