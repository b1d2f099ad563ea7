"""Bring the words of the reading room's pages into its translations, and compile these.

    python scripts/make_translations.py            # words of templates and Python into locale/*/
    python scripts/make_translations.py --check    # says what is not translated, and writes nothing

A new word comes with an empty translation: write it into `citeloom.po`, and run the script again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "src/citeloom/infrastructure/interfaces/web"
LANGUAGES = ("de", "pt")
_METHODS = [("**.py", "python"), ("templates/**.html", "jinja2")]
_OPTIONS = {
    "templates/**.html": {"extensions": "jinja2.ext.do", "trimmed": "true", "silent": "false"}
}
_HEADER = """\
# The words of citeloom's reading room; scripts/make_translations.py brings new ones.
msgid ""
msgstr ""
"Language: {language}\\n"
"Plural-Forms: {forms}\\n"
"Content-Type: text/plain; charset=utf-8\\n"

"""
_SINCE = datetime(2026, 11, 24, tzinfo=UTC)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    is_check = parser.parse_args().check
    words = extracted(WEB)
    faults: list[str] = []
    for language in LANGUAGES:
        if not is_check:
            write(language, words)
        faults += findings(language, words)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def extracted(folder: Path) -> Catalog:
    """Every word of the pages, with the files that it stands in."""
    words = Catalog()
    found = extract_from_dir(folder, _METHODS, _OPTIONS, comment_tags=("Translators:",))
    for file, _, message, comments, context in found:
        words.add(message, locations=[(file, 0)], auto_comments=comments, context=context)
    return words


def file_of(language: str) -> Path:
    return WEB / "locale" / language / "LC_MESSAGES" / "citeloom.po"


def translated(language: str) -> Catalog:
    """The translations of a language as they stand, without those nobody needs any more."""
    path = file_of(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        catalog = read_po(file, locale=language, ignore_obsolete=True)
    catalog.creation_date = catalog.revision_date = _SINCE  # or `.mo` had the time of today
    return catalog


def write(language: str, words: Catalog) -> None:
    """Bring new words into a language, drop old ones, and compile it."""
    catalog = translated(language)
    catalog.update(words, no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    path = file_of(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(_HEADER.format(language=language, forms=catalog.plural_forms).encode())
        write_po(file, catalog, width=100, sort_output=True, include_lineno=False, omit_header=True)
    path.with_suffix(".mo").write_bytes(compiled(translated(language)))


def compiled(catalog: Catalog) -> bytes:
    """A language as `gettext` reads it."""
    target = BytesIO()
    write_mo(target, catalog)
    return target.getvalue()


def findings(language: str, words: Catalog) -> Iterator[str]:
    """A sentence for each word without a translation, or with one that is not as it should be."""
    catalog = translated(language)
    for word in words:
        if word.id and not is_translated(catalog.get(word.id, word.context)):
            yield f"{language}: no translation of {word.id!r} ({word.locations[0][0]})"
    for translation in catalog:
        if translation.id and translation.id not in words:
            yield f"{language}: no page has {translation.id!r}"
        for error in translation.check(catalog):
            yield f"{language}: {translation.id!r}: {error}"
    path = file_of(language).with_suffix(".mo")
    if not path.exists() or path.read_bytes() != compiled(catalog):
        yield f"{language}: {path.name} is older than citeloom.po"


def is_translated(translation: Message | None) -> bool:
    """Whether it has a word, or one for each number."""
    if translation is None or translation.fuzzy:
        return False
    strings = translation.string
    return all(strings) if isinstance(strings, (tuple, list)) else bool(strings)


if __name__ == "__main__":
    sys.exit(main())
