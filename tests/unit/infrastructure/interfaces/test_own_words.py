"""What a check says, in the language of who reads it."""

from __future__ import annotations

import pytest

from citeloom.infrastructure.interfaces.web.views import in_own_words

GERMAN = {
    "no page is cited": "keine Seite ist angegeben",
    "it is on {place}": "es steht auf {place}",
    "{words} ({place}, which is not the cited page)": "{words} ({place}, eine andere Seite)",
    "{words} ({place})": "{words} ({place})",
    "{words}, a number": "{words}, eine Zahl",
    "“{quote}” where the work has “{work}”": "„{quote}“, wo das Werk „{work}“ hat",
    "“{quote}” is not in the work": "„{quote}“ steht nicht im Werk",
}


@pytest.mark.parametrize(
    ("message", "own"),
    [
        ("no page is cited", "keine Seite ist angegeben"),
        ("it is on p. 1124 (PDF page 2)", "es steht auf p. 1124 (PDF page 2)"),
        (
            "“{a}” is not in the work; no page is cited",
            "„{a}“ steht nicht im Werk; keine Seite ist angegeben",
        ),
        (
            "“twelve” where the work has “eleven”, a number (p. 2)",
            "„twelve“, wo das Werk „eleven“ hat, eine Zahl (p. 2)",
        ),
        (
            "“no page is cited” is not in the work (p. 2, which is not the cited page)",
            "„no page is cited“ steht nicht im Werk (p. 2, eine andere Seite)",
        ),
        ("what nobody has translated (p. 2)", "what nobody has translated (p. 2)"),
    ],
)
def test_sentences_with_what_varies_are_in_the_readers_language(message: str, own: str) -> None:
    assert in_own_words(message, GERMAN) == own
