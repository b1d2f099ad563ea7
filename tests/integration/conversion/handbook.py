"""A book as publishers print them: parts, chapters, an appendix, running heads that change."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.integration.conversion.documents import typeset

LEXICON = {
    "en": (
        "sediment moves downstream when shear at the bed exceeds a threshold that depends on size "
        "density and packing field measurements rarely agree with experiments since natural "
        "channels hold mixtures of grains whose history influences transportation considerably"
    ),
    "de": (
        "Geschiebe bewegt sich talwärts sobald die Schubspannung an der Gewässersohle einen "
        "Schwellenwert überschreitet welcher von Korngröße Lagerungsdichte und "
        "Wassertemperatur abhängt Feldmessungen widersprechen häufig Laborversuchen weil "
        "natürliche Flussläufe Korngemische führen deren Vorgeschichte nachwirkt"
    ),
}
NAMES = {
    "en": ("A Handbook of Streams", "Part", "Chapter", "Appendix"),
    "de": ("Handbuch der Fließgewässer", "Teil", "Kapitel", "Anhang"),
}
SUBJECTS = ("Rain", "Springs", "Gravel", "Banks", "Floods", "Weirs", "Deltas", "Ice")
PREAMBLE = r"""
#set document(title: "%(title)s", date: none)
#set text(size: 10pt, font: "Libertinus Serif", lang: "%(language)s", hyphenate: true)
#set par(justify: true, spacing: 1.2em)
#set heading(bookmarked: %(outlined)s)
#set page(paper: "a5", header: context {
  let n = here().page()
  let opened = query(heading).filter(h => h.level < 3 and h.location().page() <= n)
  if opened.len() == 0 or opened.last().location().page() == n { return }
  if calc.even(n) [#n #h(1fr) %(title)s] else [#opened.last().body #h(1fr) #n]
})
#show heading.where(level: 1): set text(20pt)
#show heading.where(level: 2): set text(16pt)
#show heading.where(level: 3): set text(12pt)
#show heading.where(level: 4): set text(10pt, weight: "regular", style: "italic")
"""


@dataclass
class Handbook:
    """What is printed in it, in order: its headings with their levels, its paragraphs, and of
    each the section it is in.
    """

    headings: list[tuple[int, str]] = field(default_factory=list)
    paragraphs: list[str] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)
    source: list[str] = field(default_factory=list)

    def add_heading(self, level: int, title: str, label: str = "") -> None:
        """A heading, on a new page below its label if it has one."""
        if label:
            self.source.append(f"#pagebreak(weak: true)\n#v(2cm)\n#text(14pt)[{label}]\n")
        self.source.append(f"{'=' * level} {title}\n")
        self.headings.append((level, f"{label} {title}".strip()))

    def add_paragraphs(self, count: int, words: list[str], random: Random) -> None:
        """Paragraphs of some hundred words that say which they are."""
        for _ in range(count):
            number = len(self.paragraphs) + 1
            said = " ".join(random.choices(words, k=random.randint(60, 160)))
            self.paragraphs.append(f"Paragraph {number} begins: {said} and so {number} ends.")
            self.sections.append(self.headings[-1][1])
            self.source.append(self.paragraphs[-1] + "\n")


def write_handbook(
    path: Path, *, chapters: int = 4, language: str = "en", outlined: bool = True
) -> Handbook:
    """Two chapters a part and about twelve pages a chapter; with a PDF outline, or without."""
    random, words = Random(chapters), LEXICON[language].split()
    title, part, chapter, appendix = NAMES[language]
    book = Handbook()
    book.source.append(
        PREAMBLE % {"title": title, "language": language, "outlined": str(outlined).lower()}
    )
    for number in range(1, chapters + 1):
        subject = SUBJECTS[number % len(SUBJECTS)]
        if number % 2:
            book.add_heading(1, f"On {subject} and Stone", f"{part} {'I' * (number // 2 + 1)}")
        book.add_heading(2, f"{subject} in {1900 + number}", f"{chapter} {number}")
        book.add_paragraphs(2, words, random)
        for section in (1, 2, 3):
            book.add_heading(3, f"{number}.{section} {subject} at Site {section}")
            book.add_paragraphs(4, words, random)
            book.add_heading(4, f"A note on {subject.lower()}")
            book.add_paragraphs(3, words, random)
    book.add_heading(1, "Tables of Old", f"{appendix} A")
    book.add_paragraphs(4, words, random)
    typeset("\n".join(book.source), path)
    return book
