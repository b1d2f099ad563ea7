"""BibTeX and BibLaTeX, parsed with pybtex entry by entry."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pybtex.database import Person
from pybtex.database.input.bibtex import LowLevelParser, month_names, split_name_list
from pybtex.errors import capture
from pybtex.exceptions import PybtexError
from pybtex.richtext import Text
from pybtex.utils import CaseInsensitiveDict

from citeloom.domain.errors import InvalidReferences
from citeloom.domain.references.bibliography import (
    Bibliography,
    RawReference,
    assemble,
    check_number,
    identifiers_of,
    split_tags,
    texts_of,
)
from citeloom.domain.text.greek import GREEK
from citeloom.infrastructure.references.csl_json import attached_files

_ENTRY_START = re.compile(r"^[ \t]*@[ \t]*\w+[ \t]*[{(]", re.MULTILINE)
_NO_CITEKEY = re.compile(r"\A(\s*@\s*\w+\s*[{(])\s*(?=,)")
_PLACEHOLDER = "citeloom-no-citekey"
_DOTLESS = re.compile(r"(\\['`^\"~=.])\s*(?:\{\s*\\([ij])\s*\}|\\([ij])(?![A-Za-z])\s*)")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?\s*")
_WRITTEN_DASH = re.compile(
    r"(?:\\[,;:! ]|~|\s)*(?:\\text(?:en|em)dash(?:\{\})?|\$?-+\$?)(?:\\[,;:! ]|~|\s)*"
)
_MATH = re.compile(r"(?<!\\)\$([^$]*?)(?<!\\)\$|\\\((.*?)\\\)|\\\[(.*?)\\\]", re.DOTALL)
_TYPESETTING = (
    (re.compile(r"\\href\s*\{[^{}]*\}"), ""),
    (re.compile(r"\s*\\[a-z]*cite[a-z]*\*?(?:\[[^\]]*\])*\{[^{}]*\}"), ""),
    (re.compile(r"\\((?:La|Bib|Xe|Lua)?TeX)(?![A-Za-z])"), r"\1"),
    (re.compile(r"(?<!\\)\\[,;:>]"), " "),
    (re.compile(r"(?<!\\)\\[!/-]"), ""),
)
"""Link targets, citations, names of programs and spaces, and what stands for them in plain text."""
_GREEK_NAME = re.compile(rf"\\(?:var)?({'|'.join(GREEK)})(?![A-Za-z])")
_DOLLAR = "\ue000"
_ADDRESS = re.compile(r"https?://[^\s{}]+")
_NOT_REFERENCES = {"string", "preamble", "comment"}
_EXTENDED_NAME = re.compile(r"(?:^|,)\s*(family|given|prefix|suffix)\s*=\s*", re.IGNORECASE)
_NOT_INHERITED = {"title", "author", "file", "doi", "url", "pages", "crossref", "keywords"}


def read(text: str, name: str) -> Bibliography:
    """The references in `text`; an entry that cannot be read is reported, the others are kept.

    Raises `InvalidReferences` for a non-empty text without any entry.
    """
    if text.strip() and not _ENTRY_START.search(text):
        raise InvalidReferences(
            f"{name} has no BibTeX entry: none of its lines begins with `@type{{`.",
            hint="Export the library again as Better BibLaTeX, or correct the file's suffix.",
        )
    entries: list[tuple[str, dict[str, str]]] = []
    data: dict[str, dict[str, str]] = {}
    flaws: list[str] = []
    macros = CaseInsensitiveDict(month_names)
    # one by one, so that a missing brace cannot affect the next ones
    starts = [match.start() for match in _ENTRY_START.finditer(text)]
    check_number(len(starts))
    room, line, counted = _Room(len(text)), 1, 0
    for start, end in zip(starts, [*starts[1:], len(text)]):
        errors: list[PybtexError] = []
        source = _NO_CITEKEY.sub(rf"\g<1>{_PLACEHOLDER}", text[start:end])
        parser = _Parser(source, macros=macros, handle_error=errors.append)
        parser.room = room
        line, counted = line + text.count("\n", counted, start), start
        parser.lineno = line
        for command, content in ((entry[0].lower(), entry[1]) for entry in parser):
            if command in _NOT_REFERENCES:
                continue
            citekey = "" if content[0] in (None, _PLACEHOLDER) else content[0]
            fields = {"entrytype": command}
            for key, parts in content[1]:
                fields.setdefault(key.lower(), "".join(parts))
            if command == "xdata":
                data.setdefault(citekey.lower(), fields)
            else:
                entries.append((citekey, fields))
        flaws += (f"The entry in line {line} is damaged: {error}." for error in errors)
    parents: dict[str, Mapping[str, str]] = {}
    for citekey, fields in entries:
        if citekey:
            parents.setdefault(citekey.lower(), _with_data(fields, data))
    with capture() as name_errors:
        references = [
            _reference(position, citekey, _with_inherited(_with_data(fields, data), parents))
            for position, (citekey, fields) in enumerate(entries, start=1)
        ]
    return assemble(
        references, [*flaws, *(f"A name is malformed: {error}." for error in name_errors)]
    )


class _Room:
    """How many characters `@string`s may still stand for: each may hold others, and grow so."""

    def __init__(self, length: int) -> None:
        self.left = 100_000 + 4 * length


class _Parser(LowLevelParser):  # type: ignore[misc]
    room: _Room

    def substitute_macro(self, name: str) -> str:
        value = str(super().substitute_macro(name))
        if len(value) > self.room.left:
            self.handle_error(PybtexError(f"the @string {name!r} stands for too much text"))
            return ""
        self.room.left -= len(value)
        return value


def _with_data(
    fields: Mapping[str, str], data: Mapping[str, Mapping[str, str]]
) -> Mapping[str, str]:
    """The fields, with missing ones of the `@xdata` that it names."""
    names = fields.get("xdata", "").lower().split(",")
    for name in map(str.strip, names):
        fields = {**data.get(name, {}), **fields}
    return fields


def _with_inherited(
    fields: Mapping[str, str], parents: Mapping[str, Mapping[str, str]]
) -> Mapping[str, str]:
    """The fields, with missing ones inherited from the `crossref` entry."""
    parent = parents.get(fields.get("crossref", "").strip().lower())
    if parent is None:
        return fields
    inherited = {key: value for key, value in parent.items() if key not in _NOT_INHERITED}
    if "title" in parent:
        inherited.setdefault("booktitle", parent["title"])
    return {**inherited, **fields}


def _reference(position: int, citekey: str, fields: Mapping[str, str]) -> RawReference:
    def decoded(*names: str) -> str:
        return decode_latex(next((fields[name] for name in names if fields.get(name)), ""))

    subtitle, address = decoded("subtitle"), _ADDRESS.search(fields.get("howpublished", ""))
    texts = texts_of(
        "bibtex",
        decoded,
        title=decoded("title") + (f": {subtitle}" if subtitle else ""),
        doi=_verbatim(fields.get("doi", "")),
        url=_verbatim(fields.get("url") or (address[0] if address else "")),
        pages=decode_latex(_WRITTEN_DASH.sub("-", fields.get("pages", ""))),
    )
    return RawReference(
        name=str(position),
        citekey=citekey,
        authors=tuple(_names(fields.get("author") or fields.get("editor", ""))),
        tags=split_tags(decoded("keywords", "keyword")),
        collections=split_tags(decoded("groups")),
        note=decoded("note"),
        links=(fields.get("uri", ""), fields.get("select", ""), fields.get("url", "")),
        files=attached_files(fields.get("file", "")),
        item_type=fields.get("entrytype", ""),
        identifiers=identifiers_of(decoded),
        aliases=tuple(fields.get("ids", "").replace(",", " ").split()),
        **texts,
    )


def _names(field_value: str) -> Iterator[str]:
    """`Family, Given`, particles before the family name, `Jr.` at the end."""
    for name in split_name_list(" ".join(field_value.split())):
        if parts := list(_EXTENDED_NAME.finditer(name)):  # biblatex: `family=Müller, given=Hans`
            ends = [*(match.start() for match in parts[1:]), len(name)]
            texts = {
                match[1].lower(): decode_latex(name[match.end() : end].strip(" ,"))
                for match, end in zip(parts, ends)
            }
            family = " ".join(filter(None, (texts.get("prefix"), texts.get("family"))))
            yield ", ".join(filter(None, (family, texts.get("given"), texts.get("suffix"))))
            continue
        person = Person(name)
        family = " ".join((*person.prelast_names, *person.last_names))
        given = " ".join((*person.first_names, *person.middle_names))
        lineage = " ".join(person.lineage_names)
        yield ", ".join(filter(None, map(decode_latex, (family, given, lineage))))


def _verbatim(address: str) -> str:
    """A URL, in which LaTeX characters such as a tilde are literal."""
    bare = re.sub(r"\\url\s*\{(.*)\}", r"\1", address)
    return re.sub(r"\\([_%&#~$])", r"\1", bare)


def decode_latex(text: str) -> str:
    """Text without LaTeX: accented letters composed, commands and braces removed."""
    prepared = text.replace("\\$", _DOLLAR)
    for pattern, replacement in _TYPESETTING:
        prepared = pattern.sub(replacement, prepared)
    prepared = _GREEK_NAME.sub(lambda match: GREEK[match[1]], prepared)
    prepared = _MATH.sub(_without_indices, prepared)
    accented = _DOTLESS.sub(lambda match: f"{match[1]}{{{match[2] or match[3]}}}", prepared)
    try:
        decoded = _COMMAND.sub("", str(Text.from_latex(accented)))
    except (PybtexError, UnicodeError):
        # text that is not LaTeX, such as a path with backslashes, is kept as written
        decoded = re.sub(r"[{}]", "", text)
    return decoded.replace("$", "").replace(_DOLLAR, "$").replace("\u00a0", " ").strip()


def _without_indices(match: re.Match[str]) -> str:
    """Mathematics with its indices in the line, still marked as such."""
    inner = next(filter(None, match.groups()), "")
    return f"${re.sub('[_^]', '', inner)}$"
