"""Drafts made of a library's own PDFs, with the verdict that each of their quotations deserves.

The quotations come from the text of the PDF pages as a viewer copies it, not from the index. Half
of the works are to decide rules on, half to report.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from xml.sax.saxutils import escape

import pypdfium2

from citeloom.infrastructure.manuscript.pandoc import pandoc_program

CONTEXTS = ("text", "text", "text", "block", "note", "cell", "caption", "sentence")
_SENTENCE = re.compile(r"(?<=[.!?]\s)[A-Z][^.!?]{60,320}[.!?](?=\s+[A-Z]|\s*$)")
_HYPHEN = re.compile(r"(\w)(?:[-\u00ad]\s*\n\s*|[\ufffe\x02]\s*)(\w)")
_NOTE_IN_WORD = re.compile(r"(?:[a-z]{3}|\b)\d[A-Z][a-z]")
"""A footnote that a viewer copies into the middle of a sentence, its number stuck to a word."""
_PLAIN = re.compile(r"[(“\"]?[A-Za-z][\w\u2019'-]*[,.;:)”\"]*")


@dataclass(frozen=True)
class Made:
    """A quotation of a draft: its kind, what is cited, and the verdict it deserves."""

    kind: str
    text: str
    citekey: str
    page: str
    verdict: str
    remark: str = ""
    half: int = 0
    context: str = "text"


@dataclass(frozen=True)
class Source:
    """A sentence of a PDF, on one page alone."""

    citekey: str
    page: int
    pages: int
    raw: str

    @property
    def text(self) -> str:
        """As a person types it: hyphens at line ends taken out."""
        return " ".join(_HYPHEN.sub(r"\1\2", self.raw).split())

    @property
    def is_hyphenated(self) -> bool:
        return bool(_HYPHEN.search(self.raw))


def half_of(citekey: str) -> int:
    return hashlib.sha256(citekey.encode()).digest()[0] % 2


def sentences_of(pdf: Path, citekey: str) -> Iterator[Source]:
    """The sentences of a file that a person could quote, each on one page alone."""
    document = pypdfium2.PdfDocument(pdf)
    texts = [
        page.get_textpage().get_text_bounded().replace("\r\n", "\n").replace("\r", "\n")
        for page in document
    ]
    flat = [_letters(text) for text in texts]
    for number, text in enumerate(texts, start=1):
        for found in _SENTENCE.finditer(text):
            if _is_prose(found[0]):
                source = Source(citekey, number, len(texts), found[0])
                if sum(_letters(source.text) in one for one in flat) == 1:
                    yield source


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()


def _is_prose(raw: str) -> bool:
    text = _HYPHEN.sub(r"\1\2", raw)
    words = text.split()
    plain = [
        word for word in words if re.fullmatch(r"[(“\"]?[A-Za-z][\w\u2019'-]*[,.;:)”\"]*", word)
    ]
    no_letters = re.search(r"[@|{}\\\[\]<>$#*~^_=]|https?:|\ufffd|doi", text)
    is_glued = _NOTE_IN_WORD.search(text)
    is_long = raw.count("\n") > 6
    few = len(words) < 10 or len(plain) < 0.93 * len(words)
    return not (few or no_letters or is_glued or is_long)


# What is done to true quotations.


def _changed_word(text: str, random: Random, vocabulary: Sequence[str]) -> str | None:
    words = text.split()
    places = [at for at in range(2, len(words) - 2) if re.fullmatch(r"[a-z]{5,}", words[at])]
    if not places:
        return None
    at = random.choice(places)
    words[at] = random.choice([word for word in vocabulary if word != words[at]])
    return " ".join(words)


def _changed_number(text: str, random: Random, _: Sequence[str]) -> str | None:
    places = list(re.finditer(r"(?<![\w.,])\d+(?![\w]|[.,]\d)", text))
    if not places:
        return None
    found = random.choice(places)
    digits = list(found[0])
    at = random.randrange(len(digits))
    digits[at] = str((int(digits[at]) + random.randrange(1, 9)) % 10)
    return text[: found.start()] + "".join(digits) + text[found.end() :]


_VERB = re.compile(r"\b(is|are|was|were|can|could|will|would|should|does|do|did|has|have|may)\b")


def _negated(text: str, random: Random, _: Sequence[str]) -> str | None:
    if " not " in text:
        return text.replace(" not ", " ", 1)
    places = list(_VERB.finditer(text))
    if not places:
        return None
    found = random.choice(places)
    return f"{text[: found.end()]} not{text[found.end() :]}"


def _shortened(text: str, random: Random, _: Sequence[str]) -> str | None:
    words = text.split()
    if len(words) < 14:
        return None
    at = random.randrange(4, len(words) - 7)
    return " ".join([*words[:at], *words[at + random.randrange(1, 4) :]])


def _with_ellipsis(text: str, random: Random, _: Sequence[str]) -> str | None:
    words = text.split()
    if len(words) < 14:
        return None
    at = random.randrange(4, len(words) - 7)
    sign = random.choice(("[...]", "[…]", "...", "…"))
    return " ".join([*words[:at], sign, *words[at + random.randrange(1, 4) :]])


def _bracketed(text: str, random: Random, _: Sequence[str]) -> str | None:
    words = text.split()
    at = random.randrange(3, len(words) - 3)
    start = f"[{words[0][0].lower()}]{words[0][1:]}"
    middle = words[at] + random.choice((" [sic]", " [emphasis added]"))
    return " ".join([start, *words[1:at], middle, *words[at + 1 :]])


def _lower_case(text: str, _: Random, __: Sequence[str]) -> str | None:
    return text[0].lower() + text[1:].rstrip(".")


_CHANGES: tuple[tuple[str, str, str, Callable[..., str | None]], ...] = (
    ("word altered", "near", "", _changed_word),
    ("number altered", "near", "number", _changed_number),
    ("negation altered", "near", "negation", _negated),
    ("words left out", "near", "", _shortened),
    ("marked ellipsis", "exact", "", _with_ellipsis),
    ("bracketed change", "exact", "", _bracketed),
    ("first letter in lower case", "exact", "", _lower_case),
)


def made_quotations(
    library: Path, foreign: Sequence[str], *, each: int = 60, seed: int = 7
) -> list[Made]:
    """Quotations of every kind, up to `each` of a kind; `foreign` are sentences of no work."""
    random = Random(seed)
    files = {
        row["citekey"]: library / row["pdf"]
        for row in map(json.loads, (library / "groundtruth.jsonl").open(encoding="utf-8"))
        if row["pdf"]
    }
    sources = [one for key, pdf in sorted(files.items()) for one in sentences_of(pdf, key)]
    random.shuffle(sources)
    vocabulary = sorted(
        {w for one in sources[:300] for w in re.findall(r"\b[a-z]{5,}\b", one.text)}
    )
    made = [
        *_exact(sources, each),
        *_changed(sources, each, random, vocabulary),
        *_misplaced(sources, each, random),
        *_invented(sources, foreign, each),
    ]
    return [
        replace(one, half=half_of(one.citekey), context=CONTEXTS[at % len(CONTEXTS)])
        for at, one in enumerate(made)
    ]


def _exact(sources: Sequence[Source], each: int) -> Iterator[Made]:
    hyphenated = [one for one in sources if one.is_hyphenated]
    plain = [one for one in sources if not one.is_hyphenated]
    for one in hyphenated[:each]:
        yield Made("hyphenated", one.text, one.citekey, str(one.page), "exact")
    for one in plain[:each]:
        yield Made("true", one.text, one.citekey, str(one.page), "exact")
    marked = [one for one in sources if re.search("[\u201c\u201d\"\u2018\u2019']", one.text)]
    for one in marked[:each]:
        other = re.sub('[\u201c\u201d"\u2019]', "'", one.text)
        yield Made("other quotation marks", other, one.citekey, str(one.page), "exact")


def _changed(
    sources: Sequence[Source], each: int, random: Random, vocabulary: Sequence[str]
) -> Iterator[Made]:
    for number, (kind, verdict, remark, change) in enumerate(_CHANGES):
        count = 0
        for one in sources[number * 97 :]:
            text = change(one.text, random, vocabulary)
            if text is None or text == one.text or count >= each:
                continue
            count += 1
            yield Made(kind, text, one.citekey, str(one.page), verdict, remark)


def _misplaced(sources: Sequence[Source], each: int, random: Random) -> Iterator[Made]:
    many = [one for one in sources[1000:] if one.pages > 2]
    for one in many[: 2 * each]:
        page = random.choice([page for page in range(1, one.pages + 1) if page != one.page])
        yield Made("wrong page", one.text, one.citekey, str(page), "wrong_page")
    keys = sorted({one.citekey for one in sources})
    for one in sources[1500 : 1500 + each]:
        other = random.choice([key for key in keys if key != one.citekey])
        yield Made("wrong work", one.text, other, "1", "other_work")


def _invented(sources: Sequence[Source], foreign: Sequence[str], each: int) -> Iterator[Made]:
    for one, text in zip(sources[700:], foreign[:each]):
        yield Made("invented", text, one.citekey, str(one.page), "absent")
    for one, other in zip(sources[800 : 800 + each], sources[2000:]):
        own, its = one.text.split(), other.text.split()
        text = " ".join(its[at % len(its)] if at % 2 else word for at, word in enumerate(own))
        yield Made("half invented", text, one.citekey, str(one.page), "absent")


# Drafts in every format.


def markdown_of(made: Sequence[Made]) -> str:
    """The quotations as a draft in Markdown, each in its context."""
    return "\n\n".join(_in_markdown(number, one) for number, one in enumerate(made)) + "\n"


def _in_markdown(number: int, one: Made) -> str:
    text = one.text.replace("*", "\\*").replace("_", "\\_").replace("$", "\\$")
    cited = f"[@{one.citekey}, p. {one.page}]"
    match one.context:
        case "block":
            return f"Claim {number} is put so:\n\n> {text}\n> {cited}"
        case "note":
            return (
                f"Claim {number} is known.[^n{number}]\n\n[^n{number}]: It says “{text}” {cited}."
            )
        case "cell":
            cell = text.replace("|", "\\|")
            return f"| no | words |\n|----|-------|\n| {number} | “{cell}” {cited} |"
        case "caption":
            return f"![Figure {number}: “{text}” {cited}](picture.png)"
        case "sentence":
            return f"Claim {number}: as @{one.citekey} [p. {one.page}] has it, “{text}”, and so on."
        case _:
            return f"Claim {number} is that “{text}” {cited}, which is known."


FORMATS = {
    "md": (),
    "natbib.tex": ("-t", "latex", "--natbib"),
    "biblatex.tex": ("-t", "latex", "--biblatex"),
    "typ": ("-t", "typst"),
    "org": ("-t", "org", "--wrap=none"),
    "written.docx": ("-t", "docx"),
    "zotero.docx": ("-t", "docx"),
    "zotero.odt": ("-t", "odt"),
}


def write_drafts(
    folder: Path, made: Sequence[Made], references: Sequence[dict[str, object]]
) -> list[Path]:
    """The same draft in every format; of Word and OpenDocument with live citations of Zotero."""
    folder.mkdir(parents=True, exist_ok=True)
    master = folder / "draft.md"
    master.write_text(markdown_of(made), encoding="utf-8")
    paths = []
    for name, arguments in FORMATS.items():
        path = folder / f"draft.{name}"
        if arguments:
            command = [pandoc_program(), "-f", "markdown", str(master)]
            subprocess.run(
                [*command, *arguments, "--quiet", "-s", "-o", str(path)], check=True, cwd=folder
            )
            if name.startswith("zotero"):
                _cite_with_zotero(path, {str(one["id"]): one for one in references})
        paths.append(path)
    return paths


_WRITTEN = re.compile(r"\[@([\w-]+), p\. (\w+)\]|@([\w-]+) \[p\. (\w+)\]")


def _cite_with_zotero(path: Path, items: dict[str, dict[str, object]]) -> None:
    """Replace written citations by fields as Zotero's plugins write them."""
    is_word = path.suffix == ".docx"
    inner = "word/document.xml" if is_word else "content.xml"
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    names = [inner, "word/footnotes.xml"] if is_word else [inner]
    for name in names:
        text = contents[name].decode()
        text = _joined(text) if is_word else text.replace("<text:s />", " ")
        contents[name] = _WRITTEN.sub(partial(_field, items, is_word), text).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


def _field(items: dict[str, dict[str, object]], is_word: bool, found: re.Match[str]) -> str:
    item, page = items[found[1] or found[3]], found[2] or found[4]
    return _word_field(item, page) if is_word else _text_field(item, page)


def _joined(text: str) -> str:
    """Neighbouring runs of plain text as one."""
    between = r"</w:t></w:r><w:r><w:t xml:space=\"preserve\">"
    return re.sub(between, "", text)


def _code(item: dict[str, object], page: str) -> str:
    data = {key: value for key, value in item.items() if key != "id"}
    number = int(hashlib.sha256(str(item["id"]).encode()).hexdigest()[:6], 16)
    cited = {"id": number, "itemData": data | {"id": number}, "locator": page, "label": "page"}
    return "ZOTERO_ITEM CSL_CITATION " + json.dumps({"citationItems": [cited]})


def _word_field(item: dict[str, object], page: str) -> str:
    def char(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    text = f" ADDIN {escape(_code(item, page))} "
    code = f'<w:r><w:instrText xml:space="preserve">{text}</w:instrText></w:r>'
    shown = '<w:r><w:t xml:space="preserve">(Author, Year)</w:t></w:r>'
    field = char("begin") + code + char("separate") + shown + char("end")
    return f'</w:t></w:r>{field}<w:r><w:t xml:space="preserve">'


def _text_field(item: dict[str, object], page: str) -> str:
    name = escape(_code(item, page) + " RNDabcdefghij", {'"': "&quot;"})
    return (
        f'<text:reference-mark-start text:name="{name}"/>(Author, Year)'
        f'<text:reference-mark-end text:name="{name}"/>'
    )
