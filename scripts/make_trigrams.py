"""Writes which three letters words of a language have, from the word lists of Tesseract's models.

    python scripts/make_trigrams.py /usr/share/tesseract-ocr/5/tessdata

The models and their lists are under the Apache License 2.0. `combine_tessdata` and `dawg2wordlist`,
which take the lists out of them, come with Tesseract. A file a language: each line has two letters
and all that may follow them; a space is a word's edge. Of a long list two words must have the
three, since its rarest words are names and errors.
"""

from __future__ import annotations

import argparse
import subprocess
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from citeloom.domain.text.trigrams import TRIGRAMS, trigrams_of

_LANGUAGES = {
    "de": "deu",
    "en": "eng",
    "es": "spa",
    "fr": "fra",
    "it": "ita",
    "nl": "nld",
    "pl": "pol",
    "pt": "por",
    "ru": "rus",
}
_SHORTEST = 3  # letters of a word that is counted
_LONG_LIST = 100_000  # words


def listed(model: Path) -> list[str]:
    """The words in a model of Tesseract."""
    with TemporaryDirectory() as folder:
        parts = f"{folder}/model."
        subprocess.run(["combine_tessdata", "-u", str(model), parts], check=True)
        files = [f"{parts}{name}" for name in ("lstm-unicharset", "lstm-word-dawg", "words")]
        subprocess.run(["dawg2wordlist", *files], check=True)
        return Path(files[-1]).read_text(encoding="utf-8").split()


def trigrams(words: list[str], cyrillic: bool) -> list[str]:
    """The three letters that words have, those in capitals left out."""
    used = {
        word.casefold()
        for word in words
        if word.isalpha()
        and len(word) >= _SHORTEST
        and word[1:].islower()
        and (not cyrillic or not word.isascii())
    }
    counts = Counter(three for word in used for three in trigrams_of(word))
    least = 2 if len(used) > _LONG_LIST and not cyrillic else 1
    return sorted(three for three, count in counts.items() if count >= least)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path)
    models = parser.parse_args().models
    for code, name in _LANGUAGES.items():
        following: dict[str, str] = defaultdict(str)
        words = listed(models / f"{name}.traineddata")
        for three in trigrams(words, cyrillic=code == "ru"):
            following[three[:2]] += three[2]
        lines = "".join(f"{two}{letters}\n" for two, letters in following.items())
        (TRIGRAMS / f"{code}.txt").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    main()
