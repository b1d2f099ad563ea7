"""Markdown, MDX and plain text, converted with the place of every word in the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from pathlib import Path

import tomli
import yaml

from citeloom.application.ports.conversion import ConverterOptions, FileConverter, SourceFile
from citeloom.application.ports.runtime import EmitEvent
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.domain.errors import CiteloomError, EmptyDocument, InvalidMetadata, UnreadableDocument
from citeloom.infrastructure.conversion.formats.archive import Bounds, Decoded, decode, read_bytes
from citeloom.infrastructure.conversion.formats.markup import Declared, embedded_metadata
from citeloom.infrastructure.conversion.hidden_passages import with_hidden
from citeloom.infrastructure.conversion.markdown.placed_text import (
    DraftBlock,
    FileOffsets,
    PlacedBody,
    PlacedText,
    body_from,
)
from citeloom.infrastructure.conversion.markdown.reader import MarkdownReader
from citeloom.infrastructure.conversion.versions import MARKDOWN_ENGINE

# YAML and TOML front matter of Markdown files.

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?\n)??\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_UNCLOSED = re.compile(
    r"---[ \t]*\n\w[\w-]*:(?!\S)[^\n]*(?:\n(?:\w[\w-]*:(?!\S)|- |[ \t]+\S)[^\n]*)*"
    r"(?:\n[ \t]*(?:[\n#]|\Z)|\Z)"
    r"|\+\+\+[ \t]*\n[\w.-]+[ \t]*=[^\n]*"
)
"""What begins as front matter, whose lines are fields up to a blank line or a heading."""
_UNCLOSED_NOTES = ("front matter: nothing closes it, so that it is read as text",)
_LONGEST = 64 * 1024
_NAMED = 10
_DEEPEST = 100
"""How deep tables of TOML may be nested, which a dotted key does without brackets."""
_TOO_LONG = f"it is longer than {_LONGEST // 1024} KB"
_TOO_DEEP = "it is nested too deeply"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields of front matter, None where there is none, where the body begins, and what is odd
    about it.
    """

    fields: Mapping[str, object] | None
    end: int
    notes: tuple[str, ...] = ()

    @property
    def declared(self) -> Declared:
        """Title, authors and DOI as the fields declare them."""
        named = {key.lower(): value for key, value in (self.fields or {}).items()}
        return Declared(
            title=" ".join(_words(named.get("title"))),
            authors=tuple(_names(named.get("author", named.get("authors")))),
            doi=" ".join(_words(named.get("doi"))),
        )


_NO_FRONT_MATTER = FrontMatter(None, 0)


def front_matter_of(text: str) -> FrontMatter:
    """The front matter of a text: YAML between lines `---`, or TOML between lines `+++`; every
    scalar is text. Raises `InvalidMetadata` if it is invalid, too long or deep, or uses aliases.
    """
    if toml := _TOML.match(text):
        return _toml_front_matter(toml[1] or "", toml.end())
    match = _FRONT_MATTER.match(text)
    if match is None:
        return FrontMatter(None, 0, _UNCLOSED_NOTES if _UNCLOSED.match(text) else ())
    fields, repeated = _loaded(match[1] or "")
    if fields in (None, ""):
        return FrontMatter({}, match.end())
    if not isinstance(fields, dict):
        return FrontMatter(None, 0)
    named = ", ".join(repeated[:_NAMED]) + (" …" if len(repeated) > _NAMED else "")
    notes = (f"front matter: given twice, the last is read: {named}",) if repeated else ()
    return FrontMatter({str(key): value for key, value in fields.items()}, match.end(), notes)


def _toml_front_matter(text: str, end: int) -> FrontMatter:
    if text.strip() and "=" not in text and "[" not in text:  # a text between two lines of signs
        return FrontMatter(None, 0)
    if len(text) > _LONGEST:
        raise _invalid(_TOO_LONG, "TOML")
    try:
        tables = tomli.loads(text, parse_float=str)
        return FrontMatter({key: _as_texts(value) for key, value in tables.items()}, end)
    except tomli.TOMLDecodeError as error:
        line = f"line {error.lineno + 1}: " if error.lineno else ""
        raise _invalid(f"{line}{error.msg}", "TOML") from error
    except (ValueError, RecursionError) as error:
        raise _invalid(str(error) or _TOO_DEEP, "TOML") from error


def _as_texts(value: object, depth: int = 0) -> object:
    """A value of TOML with each scalar as text. Raises `ValueError` if it is nested too deeply."""
    if depth > _DEEPEST:
        raise ValueError(_TOO_DEEP)
    if isinstance(value, dict):
        return {key: _as_texts(member, depth + 1) for key, member in value.items()}
    if isinstance(value, list):
        return [_as_texts(member, depth + 1) for member in value]
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date | datetime | time) else str(value)


def _loaded(text: str) -> tuple[object, list[str]]:
    """A text of YAML as a value, and the keys that stand twice in one mapping."""
    if len(text) > _LONGEST:
        raise _invalid(_TOO_LONG)
    try:
        # The base loader reads each scalar as the text it is, and guesses at no date or `no`.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.BaseLoader)):
            raise _invalid("it has an alias, by which a short text may become a huge value")
        loader = yaml.BaseLoader(text)
        node = loader.get_single_node()
        return loader.construct_document(node) if node else None, _repeated_keys(node)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 2}: " if error.problem_mark else ""
        raise _invalid(f"{line}{error.problem}") from error
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise _invalid(str(error)) from error
    except RecursionError as error:
        raise _invalid(_TOO_DEEP) from error


def _repeated_keys(node: yaml.Node | None) -> list[str]:
    """The keys that stand twice in one mapping, each once."""
    repeated = dict[str, None]()
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, yaml.SequenceNode):
            waiting += inner.value
        elif isinstance(inner, yaml.MappingNode):
            names = [key.value for key, _ in inner.value]
            repeated |= dict.fromkeys(name for name, times in Counter(names).items() if times > 1)
            waiting += [value for _, value in inner.value]
    return list(repeated)


def _invalid(reason: str, language: str = "YAML") -> InvalidMetadata:
    lines = {"YAML": "---", "TOML": "+++"}[language]
    return InvalidMetadata(
        f"invalid frontmatter: {reason}", f"Correct the {language} between the lines {lines}."
    )


def _names(value: object) -> Iterator[str]:
    """Authors as a name, a list of names, or a list of `name`, or of `family` and `given`."""
    for author in value if isinstance(value, list) else [value]:
        if isinstance(author, dict):
            parts = [author.get("given"), author.get("family")]
            yield " ".join(_words(author.get("name"), *parts))
        elif words := _words(author):
            yield " ".join(words)


def _words(*values: object) -> list[str]:
    """The words of all scalar values; lists are left out."""
    return " ".join(value for value in values if isinstance(value, str)).split()


# MDX as Markdown: imports, exports, tags, comments and expressions become white space.

_MODULE = re.compile(
    r"""import\s*["']|import\s[^\n;]*?\sfrom\s*["']|import\s*(?:\w+\s*,\s*)?\{|import\s+\*"""
    r"""|export\s+(?:default|const|let|var|function|class|async)\b|export\s*[{*]"""
)
_MARKERS = r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*"
_FENCE = re.compile(rf"{_MARKERS}(`{{3,}}(?=[^`\n]*$)|~{{3,}})", re.MULTILINE)
_SPECIAL = re.compile(
    rf"^(?=import|export|{_MARKERS}(?:`{{3,}}[^`\n]*$|~{{3,}}))|[\\`<{{]", re.MULTILINE
)
_TICKS = re.compile("`+")
_TAG = re.compile(r"</?(?:[A-Za-z][\w.:-]*(?=[\s/>{])|(?=>))")
_IN_TAG = re.compile(r""""[^"]*"|'[^']*'|[{>]|\n[ \t]*(?=\n)""")
_LINK = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]+:[^\s<>{}]*>")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_IN_CODE = re.compile(
    r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|/\*.*?\*/|//[^\n]*"""
    r"""|[{}()\[\]]|\n[ \t]*(?=\n|\Z)""",
    re.DOTALL,
)
_SAYS_NOTHING = re.compile(r"""\{\s*(?:/\*.*\*/\s*|#[^{}]*|"\s*"|'\s*'|`\s*`)?\s*\}""", re.DOTALL)
_BESIDE = re.compile(r"<[^>]*>?|\{[^}]*\}?")
_SEEN = re.compile(r"[^\n]")
_MOST_UNCLOSED = 100
"""After so many brackets and tags that nothing closes, the rest is no MDX and is left as it is."""


def without_mdx(text: str) -> str:
    """The text as Markdown of the same length; code in fences and backticks is left as it is."""
    return "".join(_Scanner(text).parts())


class _Scanner:
    """Goes through the text once from one special character to the next."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._unclosed = 0

    def parts(self) -> Iterator[str]:
        """The text in parts, those of MDX as white space."""
        text, position = self._text, 0
        while match := _SPECIAL.search(text, position):
            start = match.start()
            yield text[position:start]
            position, is_kept = self._passed(start)
            position = position if position > start else start + 1
            part = text[start:position]
            yield part if is_kept or position == start + 1 else _SEEN.sub(" ", part)
        yield text[position:]

    def _passed(self, start: int) -> tuple[int, bool]:
        """Where what begins at `start` ends, and whether it is kept; `start` if it is nothing."""
        at_line_start = start == 0 or self._text[start - 1] == "\n"
        if at_line_start and (fence := _FENCE.match(self._text, start)):
            return self._end_of_fence(fence), True
        if at_line_start and _MODULE.match(self._text, start):
            return self._end_of_module(start), False
        mark = self._text[start]
        if mark == "`":
            return self._end_of_code(start), True
        if mark in "{<" and self._unclosed < _MOST_UNCLOSED:
            if mark == "<":
                return self._end_of_tag(start)
            end = self._end_of_expression(start)
            return end, self._is_within_a_line(start, end)
        return min(start + 1 + (mark == "\\"), len(self._text)), True

    def _end_of_fence(self, fence: re.Match[str]) -> int:
        mark = fence[1]
        closing = re.compile(rf"^[ \t>]*{mark}{mark[0]}*[ \t]*$", re.MULTILINE)
        closed = closing.search(self._text, fence.end())
        return closed.end() if closed else len(self._text)

    def _end_of_code(self, start: int) -> int:
        """Behind the backticks that close the code, or behind the opening ones if none do."""
        ticks = _TICKS.match(self._text, start)
        if ticks is None:
            return start
        limit = self._text.find("\n\n", ticks.end())
        end = limit if limit >= 0 else len(self._text)
        closings = _TICKS.finditer(self._text, ticks.end(), end)
        return next((closing.end() for closing in closings if closing[0] == ticks[0]), ticks.end())

    def _end_of_module(self, start: int) -> int:
        """At the first blank line that is not within brackets, or else at the end."""
        depth = 0
        for token in _IN_CODE.finditer(self._text, start):
            if token[0].startswith("\n") and depth <= 0:
                return token.start()
            depth += (token[0] in "{([") - (token[0] in "})]")
        return len(self._text)

    def _end_of_expression(self, start: int) -> int:
        """Behind the bracket that closes the one at `start`; `start` if none does."""
        depth = 0
        for token in _IN_CODE.finditer(self._text, start):
            depth += (token[0] == "{") - (token[0] == "}")
            if depth == 0 and token[0] == "}":
                return token.end()
        self._unclosed += 1
        return start

    def _is_within_a_line(self, start: int, end: int) -> bool:
        """Whether an expression has words beside it; comments, anchors and spaces say nothing."""
        if end <= start or _SAYS_NOTHING.fullmatch(self._text, start, end):
            return False
        before = self._text[self._text.rfind("\n", 0, start) + 1 : start]
        behind = self._text[end:].partition("\n")[0]
        return any(map(str.isalnum, _BESIDE.sub("", before + behind)))

    def _end_of_tag(self, start: int) -> tuple[int, bool]:
        """Behind a tag or a comment, which is left out; a link in angle brackets is kept."""
        if link := _LINK.match(self._text, start):
            return link.end(), True
        if comment := _COMMENT.match(self._text, start):
            return comment.end(), False
        tag = _TAG.match(self._text, start)
        position = tag.end() if tag else start
        while tag and (token := _IN_TAG.search(self._text, position)):
            position = token.end()
            if token[0] == ">":
                return position, False
            if token[0].startswith("\n"):
                break
            if token[0] == "{":
                position = max(self._end_of_expression(token.start()), position)
        self._unclosed += tag is not None
        return start, True


_PARAGRAPH = re.compile(r"[^\s](?:(?!\n[ \t]*\n|\f).)*", re.DOTALL)
_MDX = ".mdx"


class MarkdownConverter(FileConverter):
    """Converts Markdown as GitHub reads it, with footnotes, YAML and TOML front matter, and MDX."""

    def convert(self, source: SourceFile, _emit: EmitEvent = lambda _: None, /) -> ConversionResult:
        return self.result_of(source, read_bytes(source.path, Bounds(self._options.limits)))

    def result_of(self, source: SourceFile, content: bytes) -> ConversionResult:
        """The Markdown of a file as a document, whose words are at their places in it."""
        path, bounds = source.path, Bounds(self._options.limits)
        text = decode(path.name, content)
        is_mdx = path.suffix.lower() == _MDX
        front = front_matter_of(text.text)
        head, body_text = text.text[: front.end], text.text[front.end :]
        readable = head + (without_mdx(body_text) if is_mdx else body_text)
        with bounds.refusing(path):
            reader = MarkdownReader(readable, start=front.end, indented_code=not is_mdx)
            bounds.check_cells(reader.cells)
            body = body_from(list(reader.blocks()), FileOffsets(text.original))
        if front.fields is not None and not body.blocks:
            raise InvalidMetadata(
                "no content after frontmatter",
                "Write something below the front matter.",
                fields=front.fields,
            )
        return with_hidden(_result(source, text, body, front), reader.hidden)


class AddedConverter(FileConverter):
    """Converts a file by what another distribution reads of it, as Markdown; the places of words in
    the file are not known.
    """

    def __init__(
        self, read: Callable[[Path], str], options: ConverterOptions, version: str
    ) -> None:
        super().__init__(options)
        self._read, self._version = read, version

    def convert(self, source: SourceFile, _emit: EmitEvent = lambda _: None, /) -> ConversionResult:
        path = source.path
        with suppress(OSError):  # the extension says what is wrong with it
            Bounds(self._options.limits).check_text(path, path.stat().st_size)
        try:
            text = self._read(path)
        except CiteloomError:
            raise
        except Exception as error:
            raise UnreadableDocument(
                f"{path.name} cannot be read: {self._version} failed with "
                f"{type(error).__name__}: {error}",
                "Tell whoever wrote that extension, or remove it.",
            ) from error
        result = MarkdownConverter(self._options).result_of(source, text.encode())
        return replace(result, engine=self._version.split()[0], source_runs=())


class PlainTextConverter(FileConverter):
    """Converts plain text, with paragraphs separated by blank lines."""

    def convert(self, source: SourceFile, _emit: EmitEvent = lambda _: None, /) -> ConversionResult:
        path = source.path
        text = decode(path.name, read_bytes(path, Bounds(self._options.limits)))
        body = body_from(list(_paragraphs(text.text)), FileOffsets(text.original))
        return _result(source, text, body)


def _paragraphs(text: str) -> Iterator[DraftBlock]:
    for match in _PARAGRAPH.finditer(text):
        placed, words = PlacedText(), match[0].rstrip()
        placed.add_words(words, match.start())
        yield DraftBlock(
            kind=BlockKind.PARAGRAPH,
            text=placed,
            start=match.start(),
            end=match.start() + len(words),
        )


def _result(
    source: SourceFile, text: Decoded, body: PlacedBody, front: FrontMatter = _NO_FRONT_MATTER
) -> ConversionResult:
    if not body.blocks:
        raise EmptyDocument(
            f"{source.path.name} has no text", "It may hold images only, and those are not read."
        )
    return ConversionResult(
        doc_id=source.doc_id,
        plain_text=body.plain_text,
        blocks=body.blocks,
        headings=body.headings,
        page_map={},
        page_count=0,
        engine=MARKDOWN_ENGINE,
        embedded=embedded_metadata(front.declared, body.plain_text),
        notes=(*text.notes, *front.notes),
        source_runs=body.runs,
        front_matter=front.fields,
    )
