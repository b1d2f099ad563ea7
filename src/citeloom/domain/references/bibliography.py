"""The common last step of every references reader: clean citations, a sentence per flaw."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from citeloom.domain.documents.language import language_code
from citeloom.domain.errors import InvalidReferences
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.references.item_types import item_type_of
from citeloom.domain.references.reference_matcher import LibraryEntry
from citeloom.domain.references.titles import normalise_doi

_TAG = re.compile(
    r"</?(?:i|b|u|em|strong|sub|sup|sc|span|inf|p|(?:jats|mml):\w+)(?:\s[^<>]*)?/?>", re.IGNORECASE
)
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\x00-\x08\x0e-\x1f]")
_WHOLE_YEAR = re.compile(r"-?\d+")
_YEAR_IN_TEXT = re.compile(r"(?<!\d)\d{4}(?!\d)")
_RANGE_SIGN = re.compile(r"[-/\u2010-\u2015]|\bto\b")
_LATEST_YEAR = 2199
_DASHES = re.compile("-{2,}")
_OTHERS = re.compile(r"(?:and )?others|et\.? al\.?", re.IGNORECASE)
"""What stands for authors who are not named."""
_EXTRA_LINE = re.compile(r"\s*(?:tex\.)?([A-Za-z][\w -]*?)\s*[:=]\s*(\S.*)")
_ITEM_KEY = re.compile(r"zotero[:.]\S*\bitems/(?:\d+_)?([A-Z0-9]{8})\b")
_BARE_ITEM_KEY = re.compile(r"[A-Z0-9]{8}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RawReference:
    """An entry as read from its file: strings, none of them checked.

    `name` identifies an entry without a citekey: its position, or its key. `year` is that of the
    date where the source has parsed it, and goes before what the date says. `note` may
    hold further fields, one a line (`DOI: …`); `links` may hold a Zotero item key.
    """

    name: str
    citekey: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    date: str = ""
    year: int | None = None
    doi: str = ""
    url: str = ""
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    language: str = ""
    container: str = ""
    pages: str = ""
    item_type: str = ""
    identifiers: Mapping[str, str] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    note: str = ""
    links: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class FieldNames(NamedTuple):
    """The names of a field in each kind of source, with spaces between."""

    csl: str
    bibtex: str
    ris: str
    zotero: str


TEXT_FIELDS: Mapping[str, FieldNames] = {
    "title": FieldNames(
        csl="title title-short",
        bibtex="title",
        ris="TI T1 CT BT",
        zotero="title caseName nameOfAct subject",
    ),
    "date": FieldNames(
        csl="issued",
        bibtex="date year",
        ris="PY Y1 DA",
        zotero="date dateDecided dateEnacted issueDate",
    ),
    "doi": FieldNames(csl="DOI doi", bibtex="doi", ris="DO", zotero="DOI"),
    "url": FieldNames(csl="URL url", bibtex="url", ris="UR", zotero="url"),
    "pages": FieldNames(csl="page pages", bibtex="pages", ris="SP", zotero="pages"),
    "language": FieldNames(
        csl="language", bibtex="langid language hyphenation", ris="LA", zotero="language"
    ),
    "container": FieldNames(
        csl="container-title",
        bibtex="journaltitle journal booktitle maintitle",
        ris="T2 JO JF JA J2 BT",
        zotero="publicationTitle bookTitle proceedingsTitle encyclopediaTitle dictionaryTitle "
        "websiteTitle blogTitle forumTitle seriesTitle",
    ),
}
"""The fields of `RawReference` that are one text in every source, by their names there: the first
one that has a text counts.
"""


_IDENTIFIERS: Mapping[str, tuple[str, re.Pattern[str]]] = {
    "isbn": ("ISBN isbn", re.compile(r"97[89][\d -]{10,14}|\d[\d -]{8,12}[\dXx]")),
    "pmid": ("PMID pmid", re.compile(r"\d{1,9}")),
    "pmcid": ("PMCID pmcid PMC", re.compile(r"(?:PMC)?\d{1,9}", re.IGNORECASE)),
    "arxiv": (
        "arXiv arxiv archiveID eprint number",
        re.compile(r"\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}"),
    ),
}
"""The identifiers of works beside the DOI: their fields in sources, and how they look."""
_IDENTIFIER_FIELDS = [(kind, tuple(names.split())) for kind, (names, _) in _IDENTIFIERS.items()]
_ARCHIVES = ("archivePrefix", "eprinttype", "archiveprefix", "repository", "publisher")
"""The fields that say of which archive a number is."""


def identifiers_of(first: Callable[..., str]) -> dict[str, str]:
    """The identifiers in the fields of an entry; see `texts_of`. A number or preprint id that does
    not name arXiv is none of arXiv.
    """
    texts = {kind: first(*names) for kind, names in _IDENTIFIER_FIELDS}
    of_arxiv = first(*_ARCHIVES)
    if "arxiv" not in f"{of_arxiv} {texts['arxiv']}".casefold():
        del texts["arxiv"]
    return texts


def _identifiers(texts: Mapping[str, str]) -> tuple[str, ...]:
    identifiers = []
    for kind, (_, pattern) in _IDENTIFIERS.items():
        if match := pattern.search(texts.get(kind) or ""):
            value = re.sub(r"[ -]", "", match[0]).upper() if kind == "isbn" else match[0]
            if kind == "pmcid":
                value = f"PMC{value.upper().removeprefix('PMC')}"
            identifiers.append(f"{kind}:{value}")
    return tuple(identifiers)


def zotero_fields() -> frozenset[str]:
    """Zotero's names of all fields that a reference is made of, its note apart."""
    texts = " ".join(names.zotero for names in TEXT_FIELDS.values())
    identifiers = " ".join(names for names, _ in _IDENTIFIERS.values())
    return frozenset({*texts.split(), *identifiers.split(), *_ARCHIVES})


@cache
def names_in(source: str, field: str) -> tuple[str, ...]:
    """What a field of `TEXT_FIELDS` is called in a kind of source."""
    return tuple(getattr(TEXT_FIELDS[field], source).split())


def texts_of(source: str, first: Callable[..., str], **others: str) -> dict[str, Any]:
    """These fields of an entry: `first` gives the first text that has one of the names, `others`
    are those which the source writes in a way of its own.
    """
    fields = _names_by_field(source)
    return {field: first(*names) for field, names in fields if field not in others} | others


@cache
def _names_by_field(source: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((field, names_in(source, field)) for field in TEXT_FIELDS)


@dataclass(frozen=True, slots=True)
class Flaw:
    """A sentence on what is wrong or missing: in the references of these citekeys, or in the file
    as a whole where there are none.
    """

    sentence: str
    citekeys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bibliography:
    """The references of a file in its order, with unique citekeys, and their flaws."""

    entries: tuple[LibraryEntry, ...]
    flaws: tuple[Flaw, ...]

    def diagnostics(self, citekeys: Collection[str] | None = None) -> tuple[str, ...]:
        """The sentences of all flaws, or of those in references of `citekeys` and in the file as a
        whole.
        """
        return tuple(
            flaw.sentence
            for flaw in self.flaws
            if citekeys is None
            or not flaw.citekeys
            or any(key in citekeys for key in flaw.citekeys)
        )


def plain(text: str) -> str:
    """Text without markup, entities, invisible characters or runs of spaces."""
    if text.isprintable() and "<" not in text and "&" not in text:
        return " ".join(text.split())
    return _verbatim(_TAG.sub("", html.unescape(html.unescape(text))))


def _verbatim(text: str) -> str:
    """Text with literal ampersands and angle brackets, as in a URL."""
    valid = _INVISIBLE.sub("", text).encode("utf-8", "replace").decode()
    return " ".join(valid.split())


def split_tags(text: str) -> tuple[str, ...]:
    """The keywords of a list separated by semicolons, or else by commas."""
    return tuple(filter(None, map(plain, text.split(";" if ";" in text else ","))))


MOST_REFERENCES = 100_000
"""What a references file may have: reading more would take minutes."""


def check_number(number: int) -> None:
    """Raises `InvalidReferences` for more references than a file may have."""
    if number > MOST_REFERENCES:
        raise InvalidReferences(
            f"The references file has more than {MOST_REFERENCES:,} references.",
            hint="Export only the works that are in your folders, or divide them among projects.",
        )


def assemble(references: Iterable[RawReference], flaws: Iterable[str] = ()) -> Bibliography:
    """Check and clean the references; of several with the same citekey the first is kept.

    Raises `InvalidReferences` for more than a file may have.
    """
    problems = [Flaw(flaw) for flaw in flaws]
    entries: dict[str, LibraryEntry] = {}
    for number, reference in enumerate(references, start=1):
        check_number(number)
        entry, sentences = clean(reference)
        citekey = entry.citation.citekey
        if citekey in entries:
            sentences.append(
                f"The citekey {citekey!r} is used more than once; only its first reference is kept."
            )
        problems += (Flaw(sentence, (citekey,)) for sentence in sentences)
        entries.setdefault(citekey, entry)
    sharing: dict[str, list[str]] = defaultdict(list)
    for entry in entries.values():
        sharing[entry.citation.doi or ""].append(entry.citation.citekey)
    problems += (
        Flaw(
            f"The DOI {doi} is given for {len(citekeys)} references: {', '.join(citekeys)}.",
            tuple(citekeys),
        )
        for doi, citekeys in sharing.items()
        if doi and len(citekeys) > 1
    )
    return Bibliography(entries=tuple(entries.values()), flaws=tuple(problems))


def year_of(date: str) -> int | None:
    """The year of a date as typed, of a span the first; None where it has none or several."""
    date = date.strip()
    if _WHOLE_YEAR.fullmatch(date) and len(date) <= 5:
        return usable_year(int(date))
    years = [] if date.startswith("-") else [*_YEAR_IN_TEXT.finditer(date)]
    between = (date[first.end() : second.start()] for first, second in pairwise(years))
    agree = len({year[0] for year in years}) == 1
    if not years or not (agree or all(_RANGE_SIGN.search(text) for text in between)):
        return None
    return usable_year(int(years[0][0]))


def usable_year(year: int) -> int | None:
    """The year, if a work can be of it."""
    return year if 0 < year <= _LATEST_YEAR else None


def clean(reference: RawReference) -> tuple[LibraryEntry, list[str]]:
    """The reference as it can be cited, missing fields filled from the lines of its note, and a
    sentence for each flaw.
    """
    extra: dict[str, str] = {}
    for line in reference.note.splitlines():
        if match := _EXTRA_LINE.fullmatch(line):
            extra.setdefault(match[1].lower().replace(" ", "").replace("-", ""), match[2].strip())
    if extra:
        reference = replace(
            reference,
            citekey=reference.citekey or extra.get("citationkey", ""),
            doi=reference.doi or extra.get("doi", ""),
            url=reference.url or extra.get("url", ""),
            date=reference.date or extra.get("issued", ""),
            language=reference.language or extra.get("language", extra.get("langid", "")),
            tags=reference.tags or split_tags(extra.get("keywords", "")),
            identifiers={
                **{kind: extra.get(kind, "") for kind in _IDENTIFIERS},
                **{kind: text for kind, text in reference.identifiers.items() if text},
            },
            aliases=(*reference.aliases, *re.split(r"[,;\s]+", extra.get("ids", ""))),
        )
    citation = _citation(reference)
    entry = LibraryEntry(citation=citation, files=tuple(filter(None, reference.files)))
    return entry, list(_flaws(reference, citation))


def _citation(reference: RawReference) -> CitationMeta:
    named = tuple(filter(None, map(plain, reference.authors)))
    authors = tuple(name for name in named if not _OTHERS.fullmatch(name))
    year = reference.year or year_of(reference.date)
    citekey = _verbatim(reference.citekey)
    family = re.sub(r"\W", "", authors[0].split(",")[0].lower()) if authors else ""
    in_url = reference.url if "doi.org/" in reference.url.lower() else ""
    return CitationMeta(
        citekey=citekey or f"{family or 'entry'}{year or ''}-{reference.name}",
        title=plain(reference.title),
        authors=authors,
        year=year,
        doi=normalise_doi(reference.doi) or normalise_doi(in_url) or None,
        url=_verbatim(reference.url) or None,
        tags=_unique(reference.tags),
        collections=_unique(reference.collections),
        language=language_code(reference.language),
        container=plain(reference.container) or None,
        pages=_DASHES.sub("-", plain(reference.pages)) or None,
        item_key=_item_key(reference.links),
        citekey_generated=not citekey,
        more_authors=bool(authors) and len(authors) < len(named),
        item_type=item_type_of(reference.item_type) or None,
        aliases=tuple(alias for alias in _unique(reference.aliases) if alias != citekey),
        identifiers=_identifiers(reference.identifiers),
    )


def _flaws(reference: RawReference, citation: CitationMeta) -> Iterator[str]:
    name = f"Reference {citation.citekey!r}"
    dated = bool(reference.date.strip())
    if not _verbatim(reference.citekey):
        yield f"Entry {reference.name} has no citekey; it was given {citation.citekey!r}."
    if dated and citation.year is None:
        yield f"{name} has a date without a usable year: {reference.date!r}."
    if reference.language.strip() and citation.language is None:
        yield f"{name} has an unknown language: {reference.language!r}."
    for missing in citation.diagnostics():
        if missing != "no year" or not dated:
            yield f"{name} has {missing}."


def _item_key(links: Iterable[str]) -> str | None:
    for link in links:
        if _BARE_ITEM_KEY.fullmatch(link):
            return link
        if match := _ITEM_KEY.search(link):
            return match[1]
    return None


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(plain, values))))
