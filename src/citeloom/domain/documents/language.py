"""Languages by code, and the language of a text, guessed from script and frequent words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from citeloom.domain.text.word_lists import word_list

# Language names and codes as found in libraries, converted to BCP 47 language tags.

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
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_OF_TWO_LETTERS = frozenset(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da
    de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz
    ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln
    lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi
    pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti
    tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """.split()
)
"""ISO 639-1."""
_OF_THREE_LETTERS = frozenset(
    """
    afr amh ara asm aze bel ben bod bos bre bul cat ceb ces chr cos cym dan deu div dzo ell eng enm
    epo est eus fao fas fil fin fra frk frm fry gla gle glg got grc gsw guj hat heb hin hrv hsb dsb
    hun hye iku ind isl ita jav jpn kan kat kaz khm kir kmr kor lao lat lav lit ltz mal mar mkd mlt
    mon mri msa mya nds nep nld nno nob non nor oci ori osd pan pol por pro pus que roh ron rus san
    sin slk slv snd spa sqi srp sun swa swe syr tam tat tel tgk tha tir ton tur uig ukr urd uzb vie
    yid yor zho alb arm baq bur chi cze dut fre geo ger gre ice mac may per rum slo tib wel
    """.split()
)
"""Those of ISO 639-2 and 639-3 that an engine of OCR has data for, or that a reference names."""
KNOWN_LANGUAGES = tuple(code for code in _BY_CODE if "-" not in code)
_CODES = {name: code for code, names in _BY_CODE.items() for name in names.split()}
_ACCENTS = str.maketrans("áäãçéêëíïñóöôúüİ", "aaaceeeiinooouui")
_LOCALE_ENCODING = re.compile(r"[.@].*")


def is_language_code(code: str) -> bool:
    """Whether `code` has the form of a BCP 47 tag such as `en`, `de` or `en-US`."""
    return _TAG.fullmatch(code) is not None


def is_known_language(tag: str) -> bool:
    """Whether `tag` is a BCP 47 tag of a language that has a code: `en-GB`, not `zz-GB`."""
    primary = tag.split("-", maxsplit=1)[0].lower()
    return is_language_code(tag) and primary in _OF_TWO_LETTERS | _OF_THREE_LETTERS


@lru_cache(1024)
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


LANGUAGE_NAMES: Mapping[str, str] = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "pt": "Portuguese",
    "it": "Italian",
    "nl": "Dutch",
    "da": "Danish",
    "sv": "Swedish",
    "no": "Norwegian",
    "fi": "Finnish",
    "hu": "Hungarian",
    "ro": "Romanian",
    "ru": "Russian",
    "el": "Greek",
    "tr": "Turkish",
    "ar": "Arabic",
    "ta": "Tamil",
}
"""Every language whose words are made into terms: each has its `question` words, which ask or join,
with articles, pronouns, prepositions, conjunctions and auxiliary verbs.
"""
TERM_LANGUAGES = frozenset(LANGUAGE_NAMES.keys() - {"en"})
"""The languages whose words may be made into terms in their own way."""

# The language of a text, guessed from its script and its most frequent words.

DEFAULT_LANGUAGE = "en"
_LOOKED_AT = 20_000
_LEAST_WORDS = 3
_SCRIPTS = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "ru": re.compile("[\u0400-\u04ff]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
    "hi": re.compile("[\u0900-\u097f]"),
}
UNDETERMINED = "und"
"""The language of a text in a script that none of these is written in."""
_NAMES_BY_SCRIPT = {
    "ja": "Japanese",
    "ko": "Korean",
    "zh": "Chinese",
    "ru": "Cyrillic script",
    "he": "Hebrew",
    "ar": "Arabic script",
    "hi": "Devanagari",
    UNDETERMINED: "another script",
}
_SHARE_OF_SCRIPT = 0.3
_WORD = re.compile(r"[^\W\d_]+")
_FREQUENT_IN = ("en", "de", "fr", "es", "it", "pt", "nl")
"""The languages of which the package lists the most frequent words."""
_LEAST_SHARE = 0.15
_LEAST_DIFFERENT = 3
_MARGIN = 1.25


def language_of(text: str) -> str:
    """The code of the language the text is likely in; English where nothing tells."""
    words = _words(text)
    script = _script(words)
    if script is not None:
        return script
    code, times = _by_frequent_words(words).most_common(1)[0]
    return code if times >= _LEAST_WORDS else DEFAULT_LANGUAGE


def name_of_guessed(code: str) -> str:
    """What is known of a text whose language was guessed: its script, where others share that."""
    return _NAMES_BY_SCRIPT.get(code) or LANGUAGE_NAMES[code]


def clear_language(text: str, *, least: int = _LEAST_DIFFERENT) -> str | None:
    """The code of the language the text is clearly in, with at least so many different words of its
    most frequent ones; None for a short or mixed text, or one of names and numbers.
    """
    words = _words(text)
    script = _script(words)
    if script is not None:
        return script
    (code, times), (_, next_times) = _by_frequent_words(words).most_common(2)
    different = len(word_list("frequent", code) & words.keys())
    often = different >= least and times >= _LEAST_SHARE * words.total()
    return code if often and times >= _MARGIN * next_times else None


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text[:_LOOKED_AT].casefold()))


def _script(words: Counter[str]) -> str | None:
    letters = "".join(words.elements())
    if letters.isascii():
        return None
    for code, script in _SCRIPTS.items():
        if len(script.findall(letters)) > _SHARE_OF_SCRIPT * len(letters):
            return code
    return None


def _by_frequent_words(words: Counter[str]) -> Counter[str]:
    return Counter(
        {code: sum(words[word] for word in word_list("frequent", code)) for code in _FREQUENT_IN}
    )
