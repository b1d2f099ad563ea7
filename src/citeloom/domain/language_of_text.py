"""The language of a text, guessed from its script and its most frequent words."""

from __future__ import annotations

import re
from collections import Counter

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
_SHARE_OF_SCRIPT = 0.3
_WORD = re.compile(r"[^\W\d_]+")
_FREQUENT = {
    "en": "the and of to is in that it for with are this be on as by an was were which from at "
    "or have has not can these than their but been its more into when if",
    "de": "der die und das ist nicht ein eine mit den von zu auf für sich werden im in dem des "
    "es an als auch aus bei nach wird war wenn nur so einem einer einen zum zur sind oder "
    "durch um dass",
    "fr": "le les et des est une dans pour que qui sur avec pas du ce au la de un en il elle "
    "par plus ne se sont ou aux cette mais on leur ont été qu à son ses",
    "es": "el los las del una que por con para es como más pero sus al la de en un se no lo su "
    "sin entre hasta si tras muy donde cuando fue eran ni",
    "it": "il gli che di della una per con non sono è nel alla anche come più la le un in del "
    "dei si da al ma dalla nella delle",
    "pt": "os uma não do da para com em dos das mais por ao são pelo é de que um no na se as à "
    "nos nas mas foi sem ou aos como quando pelos",
    "nl": "het een van en niet dat voor met zijn op aan ook door bij naar wordt de in is te die "
    "er om als maar uit dan of",
}
_LEAST_SHARE = 0.15
_LEAST_DIFFERENT = 3
_MARGIN = 1.25
_BY_WORD = [(word, code) for code, words in _FREQUENT.items() for word in words.split()]


def language_of(text: str) -> str:
    """The code of the language the text is likely in; English where nothing tells."""
    words = _words(text)
    script = _script(words)
    if script is not None:
        return script
    code, times = _by_frequent_words(words).most_common(1)[0]
    return code if times >= _LEAST_WORDS else DEFAULT_LANGUAGE


def clear_language(text: str, *, least: int = _LEAST_DIFFERENT) -> str | None:
    """The code of the language the text is clearly in, with at least so many different words of its
    most frequent ones; None for a short or mixed text, or one of names and numbers.
    """
    words = _words(text)
    script = _script(words)
    if script is not None:
        return script
    (code, times), (_, next_times) = _by_frequent_words(words).most_common(2)
    different = sum(one == code and word in words for word, one in _BY_WORD)
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
    found: Counter[str] = Counter()
    for word, code in _BY_WORD:
        found[code] += words[word]
    return found
