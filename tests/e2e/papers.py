"""Small papers as PDF: two sections of two paragraphs each, and the references they have."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from reportlab.lib.pagesizes import A5
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

_TITLE = ParagraphStyle("title", fontName="Times-Bold", fontSize=18, leading=22, spaceAfter=8)
_HEADING = ParagraphStyle(
    "heading", fontName="Times-Bold", fontSize=13, leading=17, spaceBefore=12, spaceAfter=6
)
_BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=10, leading=13, spaceAfter=6)


@dataclass(frozen=True)
class Paper:
    """A paper, its bibliographic record and what its sections say."""

    citekey: str
    title: str
    year: int
    tags: tuple[str, ...]
    sections: tuple[tuple[str, str], ...]

    @property
    def file_name(self) -> str:
        return f"{self.citekey}.pdf"

    def reference(self) -> dict[str, object]:
        """The record in CSL-JSON."""
        return {
            "id": self.citekey,
            "citation-key": self.citekey,
            "type": "article-journal",
            "title": self.title,
            "author": [{"family": self.citekey.rstrip("0123456789").title(), "given": "Ada"}],
            "issued": {"date-parts": [[self.year]]},
            "DOI": f"10.5555/{self.citekey}",
            "keyword": ",".join(self.tags),
        }

    def write(self, folder: Path, *, note: str = "") -> Path:
        """The paper as a PDF of a page a section; the same bytes for the same `note`."""
        target = folder / self.file_name
        folder.mkdir(parents=True, exist_ok=True)
        story: list[object] = [
            Paragraph(escape(self.title), _TITLE),
            Paragraph(f"doi:10.5555/{self.citekey}", _BODY),
        ]
        for number, (heading, text) in enumerate(self.sections):
            if number:
                story.append(PageBreak())
            story.append(Paragraph(escape(heading), _HEADING))
            story += [Paragraph(escape(part), _BODY) for part in text.split("\n")]
        if note:
            story.append(Paragraph(escape(note), _BODY))
        SimpleDocTemplate(
            str(target), pagesize=A5, title=self.title, author="Ada", invariant=1
        ).build(story)
        return target


BRIDGES = Paper(
    citekey="moreau2015",
    title="Swallows Under Road Bridges of the Lower Valley",
    year=2015,
    tags=("birds", "infrastructure"),
    sections=(
        (
            "Where nests were found",
            "We counted nests of barn swallows under forty two road bridges in three summers. "
            "Concrete beams with a rough face carried four nests on average, while smooth steel "
            "girders carried none. Bridges over water were preferred to bridges over rails.\n"
            "The birds returned to the same beam in nine years out of ten, and a nest that had "
            "been washed away was rebuilt within a week when mud could be found nearby.",
        ),
        (
            "What painters can do",
            "Repainting in June destroys most broods of a year. Where the painters agreed to wait "
            "until September, the number of fledglings doubled in the following season without "
            "any further expense for the road authority.\n"
            "Small wooden ledges fixed beneath smooth girders were accepted within two springs, "
            "and they cost less than one hour of work with the lifting platform.",
        ),
    ),
)
CLAY = Paper(
    citekey="tanaka2017",
    title="Slow Drying of Clay Tiles in Humid Workshops",
    year=2017,
    tags=("ceramics",),
    sections=(
        (
            "How tiles were dried",
            "Tiles of river clay were left on slatted shelves for twelve days at a relative "
            "humidity of eighty per cent. Each tile was weighed every morning on a kitchen scale "
            "and turned by hand, so that both faces lost their water at the same pace.\n"
            "A second batch was dried beside the kiln within two days, as most workshops do when "
            "an order has to leave before the end of the week.",
        ),
        (
            "Cracks and their causes",
            "Of the slowly dried tiles only two in a hundred cracked in the kiln, of the hastily "
            "dried ones nineteen. The cracks began at the corners, where the clay had shrunk "
            "first, and ran towards the middle along the marks of the wire.\n"
            "Rounded corners halved the loss in both batches, which a simple wooden mould can do "
            "at no cost to the potter.",
        ),
    ),
)
FERRIES = Paper(
    citekey="okoro2019",
    title="Timetables of Small Ferries and the Price of Waiting",
    year=2019,
    tags=("transport", "infrastructure"),
    sections=(
        (
            "A ferry that nobody waits for",
            "Passengers of the island ferry were asked how long they had waited and what they had "
            "given up to be on the quay in time. The median wait was thirty one minutes, although "
            "the ferry left on the minute on every day of the survey.\n"
            "They came early because a missed boat costs three hours. The fear of missing it was "
            "more expensive to the islanders than the fares of the whole winter.",
        ),
        (
            "Two boats instead of one",
            "When a second and smaller boat sailed between the departures of the first, waiting "
            "fell to eleven minutes. Fuel rose by a quarter, but the shops on the quay reported "
            "twice as many customers in the hours before noon.\n"
            "A timetable is therefore more than a list of departures: it is a promise, and what "
            "it is worth depends on how dearly one pays when it is broken.",
        ),
    ),
)
LICHENS = Paper(
    citekey="ruiz2021",
    title="Lichens on Gravestones as a Calendar",
    year=2021,
    tags=("botany", "chronology"),
    sections=(
        (
            "Stones with a date",
            "A gravestone carries the year in which it was set, and so tells how long a lichen "
            "has had to grow on it. We measured the largest thallus of the yellow map lichen on "
            "six hundred slate stones in eleven churchyards near the coast.\n"
            "After a first slow decade the diameter increased by four tenths of a millimetre each "
            "year, with less variation between churchyards than we had expected.",
        ),
        (
            "Walls without one",
            "The growth curve was then applied to field walls of which no record exists. Most of "
            "them proved to be younger than local tradition says: they were built in the years "
            "after the enclosure, and not by the monks.\n"
            "Shade, cleaning and the smoke of coal fires slow the growth, therefore an age found "
            "in this way is a lower bound and not a birthday.",
        ),
    ),
)
OVENS = Paper(
    citekey="haddad2022",
    title="Heat Loss of Village Bread Ovens Measured With Cheap Sensors",
    year=2022,
    tags=("energy", "ceramics"),
    sections=(
        (
            "Sensors in the wall",
            "Thermocouples were set into the clay walls of seven communal ovens at three depths. "
            "A recorder of the size of a matchbox kept their readings for a whole month of baking "
            "days, from the first fire at four in the morning until the embers were raked out.\n"
            "Half of the heat of a firing was still in the wall at noon, when the last loaves had "
            "long been sold.",
        ),
        (
            "Baking in the afternoon",
            "Two villages moved their second baking from the next morning to the same afternoon. "
            "They burned forty per cent less wood for the same number of loaves, and the bakers "
            "slept longer, which they named as the greater gain.\n"
            "A lid of sheet iron on the flue saved another tenth and paid for itself within five "
            "weeks of ordinary use.",
        ),
    ),
)
CLOCKS = Paper(
    citekey="lindgren2023",
    title="Why Station Clocks Stop Before the Full Minute",
    year=2023,
    tags=("transport", "chronology"),
    sections=(
        (
            "A hand that rests",
            "The second hand of many station clocks runs round in fifty eight seconds and then "
            "rests until a pulse from the master clock releases it. The pause hides the small "
            "errors of each motor, so that all the clocks of a station begin every minute "
            "together.\n"
            "Travellers asked about the pause had rarely noticed it, but most of them trusted the "
            "station clock more than their own telephone.",
        ),
        (
            "When the pulse fails",
            "During a failure of the line in January the clocks of nine stations stood still at "
            "the full minute for half an hour. Trains ran on time, yet complaints about delays "
            "were three times as frequent as on an ordinary day.\n"
            "The look of time had stopped, and with it the patience of those who were waiting "
            "for it to move.",
        ),
    ),
)
PAPERS = (BRIDGES, CLAY, FERRIES, LICHENS, OVENS, CLOCKS)


def write_papers(folder: Path, *papers: Paper) -> list[Path]:
    """The papers as PDFs in a folder."""
    return [paper.write(folder) for paper in papers]


def write_references(path: Path, *papers: Paper) -> Path:
    """The papers' records in one CSL-JSON file."""
    path.write_text(json.dumps([paper.reference() for paper in papers]), encoding="utf-8")
    return path


def write_encrypted(path: Path) -> Path:
    """A PDF that opens with a password only."""
    canvas = Canvas(
        str(path), encrypt=StandardEncryption("secret", ownerPassword="owner"), invariant=1
    )
    canvas.drawString(72, 700, "Nobody reads this without the password.")
    canvas.save()
    return path


def write_drawing(path: Path) -> Path:
    """A PDF that has a picture and no text at all."""
    canvas = Canvas(str(path), invariant=1)
    for step in range(40):
        canvas.rect(72 + 8 * step, 300 + 5 * step, 90, 60, fill=step % 2)
    canvas.save()
    return path


def write_truncated(path: Path, paper: Paper) -> Path:
    """The first third of a PDF, as a broken download leaves it."""
    whole = paper.write(path.parent / "whole").read_bytes()
    path.write_bytes(whole[: len(whole) // 3])
    return path
