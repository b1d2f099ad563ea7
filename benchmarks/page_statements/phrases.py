"""Sentences of many languages, each of which is said once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

_PHRASES = Path(__file__).parents[1] / "data" / "phrases.json"
LANGUAGES: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(
    _PHRASES.read_text(encoding="utf-8")
)


@dataclass(slots=True)
class Writer:
    """Writes sentences, titles and names, none of them twice."""

    random: Random
    language: str = "en"
    said: set[str] = field(default_factory=set)

    def sentence(self) -> str:
        """A new sentence of the language."""
        return self._new(self._sentence)

    def sentences(self, count: int) -> list[str]:
        """New sentences."""
        return [self.sentence() for _ in range(count)]

    def title(self) -> str:
        """A new title, in English."""
        return self._new(lambda: f"{self._name('titles')} {self._name('of')}")

    def word(self) -> str:
        """A new name of a place."""
        return self._new(lambda: self._name("first") + self._name("last"))

    def _sentence(self) -> str:
        phrases = LANGUAGES[self.language]
        parts = {name: self.random.choice(phrases[name]) for name in ("who", "does", "where")}
        when = self.random.choice(phrases["when"]).format(self.random.randint(1801, 1998))
        text = str(phrases["form"]).format(when=when, **parts)
        return text[0].upper() + text[1:]

    def _name(self, part: str) -> str:
        return self.random.choice(LANGUAGES["names"][part])

    def _new(self, draw: Callable[[], str]) -> str:
        while (text := draw()) in self.said:
            pass
        self.said.add(text)
        return text
