r"""The commands of csquotes that Pandoc does not know, in those that it knows."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict

# LaTeX: the commands of csquotes that Pandoc does not know.

_TEXT = re.compile(
    r"\\(?P<name>(?:hyphen|foreign)?(?:text|block)(?P<cited>c?)quote)\*?(?![A-Za-z])"
)
_LANGUAGE = re.compile(r"\\(?:foreign|hyphen)quote\*?\{[^{}]*\}")
_INSERTED = re.compile(r"\\text(?:ins|del)\*?\{([^{}]*)\}")
_LEFT_OUT = re.compile(r"\\textelp\*?\{([^{}]*)\}")
_BRACKET = re.compile(r"[{}\[\]]")
_MOST_OPTIONS = 4
_OPENING_GUILLEMET = re.compile(r"\\og(?:\{\}|(?![A-Za-z]))\s*")
_CLOSING_GUILLEMET = re.compile(r"\s*\\fg(?:\{\}|\\(?=\s)|(?![A-Za-z]))")
_DISPLAY = re.compile(r"\\(begin|end)\{display(c?)quote\}")


def with_plain_quotes(text: str) -> str:
    r"""The text with `\textcquote[45]{key}{words}` as `\enquote{words} \autocite[45]{key}`, and
    with the guillemets of babel's French as such.
    """
    text = _CLOSING_GUILLEMET.sub("~»", _OPENING_GUILLEMET.sub("«~", text))
    text = _LANGUAGE.sub(r"\\enquote", text)
    text = _LEFT_OUT.sub(lambda m: f"[\\ldots]{f' [{m[1]}]' if m[1] else ''}", text)
    text = _INSERTED.sub(r"[\1]", text)
    text = _with_display(text)
    groups = Groups(text)
    parts, at = [], 0
    for match in _TEXT.finditer(text):
        plain = _plain_command(groups, match) if match.start() >= at else None
        if plain is not None:
            parts += [text[at : match.start()], plain[0]]
            at = plain[1]
    return "".join([*parts, text[at:]])


class Groups:
    """The groups in braces and in brackets of a text, all of them found in one pass."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._closing: dict[int, int] = {}
        self._depths: dict[int, int] = {}
        self._brackets: dict[int, list[int]] = defaultdict(list)
        opened: list[int] = []
        depth = 0
        for sign in _BRACKET.finditer(text):
            match sign[0]:
                case "{":
                    depth += 1
                    opened.append(sign.start())
                case "}":
                    depth -= 1
                    if opened:
                        self._closing[opened.pop()] = sign.start()
                case "[":
                    self._depths[sign.start()] = depth
                case _:
                    self._brackets[depth].append(sign.start())

    def braced(self, at: int) -> slice | None:
        """What stands between the brace at `at` and the one that closes it."""
        closing = self._closing.get(at)
        return None if closing is None else slice(at + 1, closing)

    def bracketed(self, at: int) -> slice | None:
        """What stands between the bracket at `at` and the next one outside braces."""
        if at not in self._depths:
            return None
        closing = self._brackets[self._depths[at]]
        number = bisect_right(closing, at)
        return slice(at + 1, closing[number]) if number < len(closing) else None

    def options(self, at: int) -> tuple[list[slice], int]:
        """The groups in brackets from `at` on, and where they end."""
        options: list[slice] = []
        while len(options) < _MOST_OPTIONS and (option := self.bracketed(at)):
            options.append(option)
            at = option.stop + 1
        return options, at


def _plain_command(groups: Groups, match: re.Match[str]) -> tuple[str, int] | None:
    """The command in other words, and where its arguments end."""
    at = match.end()
    if match["name"].startswith(("foreign", "hyphen")) and (language := groups.braced(at)):
        at = language.stop + 1
    options, at = groups.options(at)
    key = groups.braced(at) if match["cited"] else None
    if key is not None:
        at = key.stop + 1
        _, at = groups.options(at)  # the punctuation at its end
    words = groups.braced(at)
    if words is None or (match["cited"] and key is None):
        return None
    written = [groups.text[option] for option in options]
    if key is not None:
        optional = "".join(f"[{option}]" for option in written if option)
        cite = f"\\autocite{optional}{{{groups.text[key]}}}"
    else:
        cite = _unbraced(written[0]) if written and "cite" in written[0] else ""
    if "block" in match["name"]:
        quote = f"\n\n\\begin{{quote}}{groups.text[words]} {cite}\\end{{quote}}\n\n"
    else:
        quote = f"\\enquote{{{groups.text[words]}}} {cite}"
    return quote, words.stop + 1


def _unbraced(option: str) -> str:
    braced = option.startswith("{") and option.endswith("}")
    return option[1:-1] if braced else option


def _with_display(text: str) -> str:
    """`displayquote` and `displaycquote` as block quotations with their citation at the end."""
    groups = Groups(text)
    parts: list[str] = []
    cites: list[str] = []
    at = 0
    for match in _DISPLAY.finditer(text):
        if match.start() < at:
            continue
        parts.append(text[at : match.start()])
        at = match.end()
        if match[1] == "end":
            parts.append(f" {cites.pop() if cites else ''}\\end{{quote}}")
            continue
        options, at = groups.options(at)
        written = [text[option] for option in options]
        key = groups.braced(at) if match[2] else None
        if key is not None:
            at = key.stop + 1
            optional = "".join(f"[{option}]" for option in written)
            cites.append(f"\\autocite{optional}{{{text[key]}}}")
        else:
            cites.append(" ".join(map(_unbraced, written)))
        parts.append("\\begin{quote}")
    return "".join([*parts, text[at:]])
