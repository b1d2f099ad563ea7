"""What the views share: words for every verdict and doubt, and a style sheet that is soon there."""

from __future__ import annotations

import asyncio
import gzip

import pytest

from citeloom.domain.answers.answer import Agreement
from citeloom.domain.answers.relevance import Verdict
from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.manuscript.verdicts import CitationVerdict
from citeloom.infrastructure.interfaces.web.views import FOLDER, LANGUAGES, environment_of


def shown(call: str, language: str, **values: object) -> str:
    """What a macro makes of a value."""
    template = f'{{% from "parts.html" import verdict, doubts, copy %}}{{{{ {call} }}}}'
    made = environment_of(language).from_string(template)
    return asyncio.run(made.render_async(**values))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [*CitationVerdict, *Verdict, *Agreement])
def test_a_verdict_is_a_sign_and_a_word(name: str, language: str) -> None:
    badge = shown("verdict(name)", language, name=name)
    assert any(f"verdict {tone}" in badge for tone in ("ok", "compare", "wrong", "unknown"))
    assert badge.partition("</span>")[2].removesuffix("</span>\n").strip()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", Doubt)
def test_a_doubt_is_a_sentence(name: str, language: str) -> None:
    passage = {"doubts": [name], "doubtful_words": ()}
    assert shown("doubts(passage)", language, passage=passage).count(".</li>") == 1


def test_a_doubt_names_the_words_that_it_is_about() -> None:
    passage = {"doubts": [Doubt.SCAN], "doubtful_words": ("tbe", "<i>")}
    named = shown("doubts(passage)", "en", passage=passage)
    assert '<q dir="auto">tbe</q>, <q dir="auto">&lt;i&gt;</q></li>' in named


def test_what_is_copied_is_never_markup() -> None:
    button = shown("copy(text)", "en", text='"><script>alert(1)</script>')
    assert "<script>" not in button


@pytest.mark.parametrize(("name", "most"), [("room.css", 15_000), ("room.js", 5_000)])
def test_the_look_is_small(name: str, most: int) -> None:
    assert len(gzip.compress((FOLDER / "static" / name).read_bytes())) < most
