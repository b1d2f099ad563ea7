"""Language names and codes as found in libraries, converted to BCP 47 language tags."""

from __future__ import annotations

import re

from citeloom.domain.citation import is_language_code

_BY_CODE = {
    "en": "eng english anglais englisch ingles inglese",
    "en-US": "usenglish american americanenglish",
    "en-GB": "ukenglish british britishenglish",
    "de": "deu ger german deutsch ngerman allemand aleman tedesco",
    "de-AT": "austrian naustrian",
    "de-CH": "nswissgerman swissgerman",
    "fr": "fra fre french francais franzosisch frances francese",
    "es": "spa spanish espanol castellano espagnol spanisch",
    "it": "ita italian italiano italien italienisch",
    "pt": "por portuguese portugues portugais portugiesisch",
    "pt-BR": "brazilian brazil brazilianportuguese",
    "nl": "nld dut dutch nederlands niederlandisch",
    "da": "dan danish dansk",
    "sv": "swe swedish svenska",
    "no": "nor norwegian norsk",
    "fi": "fin finnish suomi",
    "is": "isl ice icelandic",
    "pl": "pol polish polski",
    "cs": "ces cze czech cestina",
    "sk": "slk slo slovak",
    "hu": "hun hungarian magyar",
    "ro": "ron rum romanian",
    "hr": "hrv croatian",
    "sr": "srp serbian",
    "sl": "slv slovene slovenian",
    "bg": "bul bulgarian",
    "uk": "ukr ukrainian",
    "ru": "rus russian",
    "el": "ell gre greek",
    "la": "lat latin latein",
    "tr": "tur turkish turkce",
    "ar": "ara arabic",
    "he": "heb hebrew",
    "fa": "fas per persian farsi",
    "hi": "hin hindi",
    "zh": "zho chi chinese",
    "ja": "jpn japanese",
    "ko": "kor korean",
    "vi": "vie vietnamese",
    "id": "ind indonesian",
    "ca": "cat catalan",
}
KNOWN_LANGUAGES = tuple(code for code in _BY_CODE if "-" not in code)
_CODES = {name: code for code, names in _BY_CODE.items() for name in names.split()}
_ACCENTS = str.maketrans("áäãçéêëíïñóöôúüİ", "aaaceeeiinooouui")
_LOCALE_ENCODING = re.compile(r"[.@].*")


def language_code(text: str) -> str | None:
    """The BCP 47 tag of the first language that `text` names, None if it is unknown."""
    first = re.split(r"[;,/(|]| and ", text.strip(), maxsplit=1)[0].strip()
    name = re.sub(r"[\s-]", "", first.lower().translate(_ACCENTS))
    if name in _CODES:
        return _CODES[name]
    tag = _LOCALE_ENCODING.sub("", first).replace("_", "-")
    if not is_language_code(tag):
        return None
    language, *subtags = tag.split("-")
    known = _CODES.get(language.lower(), language.lower())
    return "-".join((known, *map(_subtag, subtags)))


def _subtag(subtag: str) -> str:
    """The subtag in its canonical case: region upper, script title, others lower."""
    if len(subtag) == 2:
        return subtag.upper()
    return subtag.capitalize() if len(subtag) == 4 and subtag.isalpha() else subtag.lower()
