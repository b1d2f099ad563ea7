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
    "en": "the and of to is in that it for with are this be on as by",
    "de": "der die und das ist nicht ein eine mit den von zu auf für sich werden",
    "fr": "le les et des est une dans pour que qui sur avec pas du ce au",
    "es": "el los las y del una que por con para es como más pero sus al",
    "it": "il gli che di della una per con non sono è nel alla anche come più",
    "pt": "os uma não do da para com em dos das mais por ao são pelo é",
    "nl": "het een van en niet dat voor met zijn op aan ook door bij naar wordt",
}
_BY_WORD = [(word, code) for code, words in _FREQUENT.items() for word in words.split()]


def language_of(text: str) -> str:
    """The code of the language the text is likely in; English where nothing tells."""
    words = Counter(_WORD.findall(text[:_LOOKED_AT].casefold()))
    letters = "".join(words.elements())
    for code, script in _SCRIPTS.items():
        if len(script.findall(letters)) > _SHARE_OF_SCRIPT * len(letters):
            return code
    found: Counter[str] = Counter()
    for word, code in _BY_WORD:
        found[code] += words[word]
    code, times = found.most_common(1)[0]
    return code if times >= _LEAST_WORDS else DEFAULT_LANGUAGE
