"""BibTeX and BibLaTeX, parsed with pybtex entry by entry."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

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
    split_tags,
    texts_of,
)
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
_LINK_TARGET = re.compile(r"\\href\s*\{[^{}]*\}")
_CITED = re.compile(r"\s*\\[a-z]*cite[a-z]*\*?(?:\[[^\]]*\])*\{[^{}]*\}")
_TEX = re.compile(r"\\((?:La|Bib|Xe|Lua)?TeX)(?![A-Za-z])")
_SPACE = re.compile(r"(?<!\\)\\[,;:>]")
_NO_SPACE = re.compile(r"(?<!\\)\\[!/-]")
_GREEK = {
    name: unicodedata.lookup(f"GREEK SMALL LETTER {'LAMDA' if name == 'lambda' else name}")
    for name in (
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
        "upsilon phi chi psi omega"
    ).split()
}
_GREEK |= {name.capitalize(): letter.upper() for name, letter in _GREEK.items()}
_GREEK_NAME = re.compile(rf"\\(?:var)?({'|'.join(_GREEK)})(?![A-Za-z])")
_DOLLAR = "\ue000"
_ADDRESS = re.compile(r"https?://[^\s{}]+")
_NOT_REFERENCES = {"string", "preamble", "comment"}
_EXTENDED_NAME = re.compile(r"(?:^|,)\s*(family|given|prefix|suffix)\s*=\s*", re.IGNORECASE)
_NOT_INHERITED = {"title", "author", "file", "doi", "url", "pages", "crossref", "keywords"}


@dataclass
class _Parsed:
    """Entries by citekey with their raw fields, `@xdata` of biblatex by name, and the flaws."""

    entries: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    data: dict[str, dict[str, str]] = field(default_factory=dict)
    flaws: list[str] = field(default_factory=list)


def read(text: str, name: str) -> Bibliography:
    """The references in `text`; an entry that cannot be read is reported, the others are kept.

    Raises `InvalidReferences` for a non-empty text without any entry.
    """
    if text.strip() and not _ENTRY_START.search(text):
        raise InvalidReferences(
            f"{name} has no BibTeX entry: none of its lines begins with `@type{{`.",
            hint="Export the library again as Better BibLaTeX, or correct the file's suffix.",
        )
    parsed = _parse(text)
    parents: dict[str, Mapping[str, str]] = {}
    for citekey, fields in parsed.entries:
        if citekey:
            parents.setdefault(citekey.lower(), _with_data(fields, parsed.data))
    with capture() as name_errors:
        references = [
            _reference(position, citekey, _with_inherited(_with_data(fields, parsed.data), parents))
            for position, (citekey, fields) in enumerate(parsed.entries, start=1)
        ]
    return assemble(
        references, [*parsed.flaws, *(f"A name is malformed: {error}." for error in name_errors)]
    )


def _parse(text: str) -> _Parsed:
    """The entries, parsed one by one so that a missing brace cannot affect the next ones."""
    parsed = _Parsed()
    macros = CaseInsensitiveDict(month_names)
    starts = [match.start() for match in _ENTRY_START.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)]):
        errors: list[PybtexError] = []
        source = _NO_CITEKEY.sub(rf"\g<1>{_PLACEHOLDER}", text[start:end])
        parser = LowLevelParser(source, macros=macros, handle_error=errors.append)
        parser.lineno = line = text.count("\n", 0, start) + 1
        for command, content in ((entry[0].lower(), entry[1]) for entry in parser):
            if command in _NOT_REFERENCES:
                continue
            citekey = "" if content[0] in (None, _PLACEHOLDER) else content[0]
            fields: dict[str, str] = {}
            for name, parts in content[1]:
                fields.setdefault(name.lower(), "".join(parts))
            if command == "xdata":
                parsed.data.setdefault(citekey.lower(), fields)
            else:
                parsed.entries.append((citekey, fields))
        parsed.flaws += (f"The entry in line {line} is damaged: {error}." for error in errors)
    return parsed


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
    return RawReference(
        name=str(position),
        citekey=citekey,
        title=decoded("title") + (f": {subtitle}" if subtitle else ""),
        authors=tuple(_names(fields.get("author") or fields.get("editor", ""))),
        date=decoded("date", "year"),
        doi=_verbatim(fields.get("doi", "")),
        url=_verbatim(fields.get("url") or (address[0] if address else "")),
        tags=split_tags(decoded("keywords", "keyword")),
        collections=split_tags(decoded("groups")),
        pages=decode_latex(_WRITTEN_DASH.sub("-", fields.get("pages", ""))),
        note=decoded("note"),
        links=(fields.get("uri", ""), fields.get("select", ""), fields.get("url", "")),
        files=attached_files(fields.get("file", "")),
        **texts_of("bibtex", decoded),
    )


def _names(field_value: str) -> Iterator[str]:
    """`Family, Given`, particles before the family name, `Jr.` at the end."""
    for name in split_name_list(" ".join(field_value.split())):
        if _EXTENDED_NAME.search(name):
            yield _extended_name(name)
            continue
        person = Person(name)
        family = " ".join((*person.prelast_names, *person.last_names))
        given = " ".join((*person.first_names, *person.middle_names))
        lineage = " ".join(person.lineage_names)
        yield ", ".join(filter(None, map(decode_latex, (family, given, lineage))))


def _extended_name(name: str) -> str:
    """A name by its parts, as biblatex has it: `family=Müller, given=Hans`."""
    name_parts = list(_EXTENDED_NAME.finditer(name))
    ends = [*(match.start() for match in name_parts[1:]), len(name)]
    parts = {
        match[1].lower(): decode_latex(name[match.end() : end].strip(" ,"))
        for match, end in zip(name_parts, ends)
    }
    family = " ".join(filter(None, (parts.get("prefix"), parts.get("family"))))
    return ", ".join(filter(None, (family, parts.get("given"), parts.get("suffix"))))


def _verbatim(address: str) -> str:
    """A URL, in which LaTeX characters such as a tilde are literal."""
    bare = re.sub(r"\\url\s*\{(.*)\}", r"\1", address)
    return re.sub(r"\\([_%&#~$])", r"\1", bare)


def decode_latex(text: str) -> str:
    """Text without LaTeX: accented letters composed, commands and braces removed."""
    prepared = _without_commands(text.replace("\\$", _DOLLAR))
    accented = _DOTLESS.sub(lambda match: f"{match[1]}{{{match[2] or match[3]}}}", prepared)
    try:
        decoded = _COMMAND.sub("", str(Text.from_latex(accented)))
    except (PybtexError, UnicodeError):
        # text that is not LaTeX, such as a path with backslashes, is kept as written
        decoded = re.sub(r"[{}]", "", text)
    return decoded.replace("$", "").replace(_DOLLAR, "$").replace("\u00a0", " ").strip()


def _without_commands(text: str) -> str:
    """The text without typesetting commands: spaces, indices, link targets, citations and
    mathematics.
    """
    for pattern, replacement in (
        (_LINK_TARGET, ""),
        (_CITED, ""),
        (_TEX, r"\1"),
        (_SPACE, " "),
        (_NO_SPACE, ""),
    ):
        text = pattern.sub(replacement, text)
    text = _GREEK_NAME.sub(lambda match: _GREEK[match[1]], text)
    return _MATH.sub(_without_indices, text)


def _without_indices(match: re.Match[str]) -> str:
    """Mathematics with its indices in the line, still marked as such."""
    inner = next(filter(None, match.groups()), "")
    return f"${re.sub('[_^]', '', inner)}$"
