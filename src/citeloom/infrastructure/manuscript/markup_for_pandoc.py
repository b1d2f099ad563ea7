"""LaTeX and Typst in terms that Pandoc reads as these programs do."""

from __future__ import annotations

import re
from dataclasses import dataclass

# LaTeX: the commands of csquotes that Pandoc does not know.

_TEXT = re.compile(
    r"\\(?P<name>(?:hyphen|foreign)?(?:text|block)(?P<cited>c?)quote)\*?(?![A-Za-z])"
)
_LANGUAGE = re.compile(r"\\(?:foreign|hyphen)quote\*?\{[^{}]*\}")
_INSERTED = re.compile(r"\\text(?:ins|del)\*?\{([^{}]*)\}")
_LEFT_OUT = re.compile(r"\\textelp\*?\{([^{}]*)\}")
_DISPLAY = re.compile(r"\\(begin|end)\{display(c?)quote\}")


def with_plain_quotes(text: str) -> str:
    r"""The text with `\textcquote[45]{key}{words}` as `\enquote{words} \autocite[45]{key}`."""
    text = _LANGUAGE.sub(r"\\enquote", text)
    text = _LEFT_OUT.sub(lambda m: f"[\\ldots]{f' [{m[1]}]' if m[1] else ''}", text)
    text = _INSERTED.sub(r"[\1]", text)
    text = _with_display(text)
    parts, at = [], 0
    for match in _TEXT.finditer(text):
        if match.start() < at:
            continue
        read = _arguments(text, match.end(), match)
        if read is not None:
            written, end = read
            parts += [text[at : match.start()], written]
            at = end
    return "".join([*parts, text[at:]])


def _arguments(text: str, at: int, match: re.Match[str]) -> tuple[str, int] | None:
    """The command in other words, and where its arguments end."""
    if match["name"].startswith(("foreign", "hyphen")):
        _, at = _group(text, at, "{}")
    options, at = _options(text, at)
    key: str | None = ""
    if match["cited"]:
        key, at = _group(text, at, "{}")
    words, at = _group(text, at, "{}")
    if words is None or key is None:
        return None
    if match["cited"]:
        cite = "\\autocite" + "".join(f"[{option}]" for option in options if option) + f"{{{key}}}"
    else:
        cite = _unbraced(options[0]) if options and "cite" in options[0] else ""
    if "block" in match["name"]:
        return f"\n\n\\begin{{quote}}{words} {cite}\\end{{quote}}\n\n", at
    return f"\\enquote{{{words}}} {cite}", at


def _options(text: str, at: int) -> tuple[list[str], int]:
    options = []
    while text[at : at + 1] == "[":
        option, at = _group(text, at, "[]")
        if option is None:
            break
        options.append(option)
    return options, at


def _group(text: str, at: int, brackets: str) -> tuple[str | None, int]:
    """What stands between brackets at `at`, and where they end; None where there are none."""
    opening, closing = brackets[0], brackets[1]
    if text[at : at + 1] != opening:
        return None, at
    depth = braces = 0
    for place in range(at, len(text)):
        char = text[place]
        braces += (char == "{") - (char == "}")
        if char == opening and (opening == "{" or place == at):
            depth += 1
        elif char == closing and (opening == "{" or not braces):
            depth -= 1
            if not depth:
                return text[at + 1 : place], place + 1
    return None, at


def _unbraced(option: str) -> str:
    braced = option.startswith("{") and option.endswith("}")
    return option[1:-1] if braced else option


def _with_display(text: str) -> str:
    """`displayquote` and `displaycquote` as block quotations with their citation at the end."""
    parts, at, cite = [], 0, ""
    for match in _DISPLAY.finditer(text):
        parts.append(text[at : match.start()])
        at = match.end()
        if match[1] == "end":
            parts.append(f" {cite}\\end{{quote}}")
            continue
        options, at = _options(text, at)
        key, at = _group(text, at, "{}") if match[2] else ("", at)
        written = "".join(f"[{option}]" for option in options)
        cite = f"\\autocite{written}{{{key}}}" if key else " ".join(map(_unbraced, options))
        parts.append("\\begin{quote}")
    return "".join([*parts, text[at:]])


# Typst: supplements of citations, and single quotation marks within double ones.

_LABEL = re.compile(r"(?P<cited>(?:cite\(\s*|(?:attribution|key):\s*))?<(?P<name>[\w][\w:.-]*)>")
_AT = re.compile(r"(?<![\w\\/.@])@(?P<key>[\w](?:[\w:.-]*\w)?)(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])?")
_SINGLE = re.compile(r"(?<![\w\\])'|'(?!\w)")
_RAW = re.compile(r"```.*?```|`[^`\n]*`|(?<!:)//[^\n]*|/\*.*?\*/|\$[^$]*\$", re.DOTALL)
_BRACKETED = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]")
_ARGUMENTS = re.compile(r"\s*>\s*,?((?:[^()\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*)\)")
_SUPPLEMENT = re.compile(r"supplement:\s*\[((?:[^\[\]]|\[[^\[\]]*\])*)\]")
_PROSE = re.compile(r'form:\s*"(?:prose|author)"')


def prepared_typst(text: str) -> str:
    """The text with `@key[p. 45]` as `#cite(<key>)`, since Pandoc drops the short form where the
    key is named by the long one, too, and with single quotation marks as they are typed, since it
    closes them as double ones. References to labels of the draft stay.
    """
    labels = {match["name"] for match in _LABEL.finditer(text) if not match["cited"]}

    def call(match: re.Match[str]) -> str:
        return match[0] if match["key"] in labels else f"#cite(<{match['key']}>)"

    parts, at = [], 0
    for raw in _RAW.finditer(text):
        parts += [_SINGLE.sub(r"\\'", _AT.sub(call, text[at : raw.start()])), raw[0]]
        at = raw.end()
    return "".join([*parts, _SINGLE.sub(r"\\'", _AT.sub(call, text[at:]))])


@dataclass(frozen=True, slots=True)
class Supplement:
    """What a citation says beside its key; `in_text` where it names the author in the sentence."""

    text: str = ""
    in_text: bool = False


def supplement_behind(text: str, end: int) -> Supplement:
    """The supplement of the citation whose key ends there."""
    if short := _BRACKETED.match(text, end):
        return Supplement(_plain(short[1]))
    arguments = _ARGUMENTS.match(text, end)
    if arguments is None:
        return Supplement()
    match = _SUPPLEMENT.search(arguments[1])
    return Supplement(_plain(match[1]) if match else "", bool(_PROSE.search(arguments[1])))


def _plain(content: str) -> str:
    return content.replace("~", " ").replace("\\", "").strip()
