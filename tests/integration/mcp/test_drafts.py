"""The tools for drafts: citations, quotations checked, support."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from mcp.client.client import Client

from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.errors import DeadlineExceeded
from citeloom.domain.manuscript.verdicts import CitationVerdict, Reason
from citeloom.infrastructure.interfaces.calls import LibraryService
from citeloom.infrastructure.interfaces.mcp.call_progress import SentenceProgress
from citeloom.infrastructure.interfaces.mcp.mcp_server import Offer
from tests.fakes.two_projects import LEFT, RIGHT, two_projects
from tests.integration.mcp.sessions import answer, error, talk, text_of
from tests.integration.mcp.test_tools import limited

CLAIM = "Plot 2 of wheat leftonly was measured for rainfall."
DRAFT = f"""Of this "{CLAIM}" [@left2001, p. 1] is known.

But "Plot 2 of wheat leftonly was never measured for rainfall." [@left2001, p. 1] is not.

See [@left2010].
"""


def test_works_and_passages_are_cited(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        cited = await answer(client, "cite", project=LEFT, names=["left2001"])
        assert cited["text"].startswith("(Ry, 2001)")
        assert "Soils leftonly" in cited["text"]
        found = await answer(client, "query", project=LEFT, text=CLAIM, citekey="left2001", top_k=1)
        names = [found["items"][0]["chunk_id"], "[@left2001, p. 2]"]
        latex = await answer(client, "cite", project=LEFT, names=names, format="latex")
        assert latex["text"].splitlines() == [
            r"\autocite[1]{left2001}",
            r"\autocite[2]{left2001}",
        ]

    talk(state, session)


def test_a_misquotation_comes_first(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        checked = await answer(client, "check_quotes", project=LEFT, text=DRAFT)
        assert checked["passed"] is False
        assert [(one["line"], one["verdict"]) for one in checked["checks"]] == [
            (3, "near"),
            (5, "unverifiable"),
            (1, "exact"),
        ]
        assert checked["checks"][1]["near_citekeys"] == ["left2001"]
        text = await text_of(client, "check_quotes", project=LEFT, text=DRAFT)
        assert "a negation" in text
        assert 'the work, p. 1: "Plot 2 of wheat leftonly was measured for rainfall' in text

    talk(state, session)


@pytest.mark.parametrize(
    ("markup", "citation"),
    [
        ("markdown", "[@left2001, p. 9]"),
        ("latex", r"\autocite[9]{left2001}"),
        ("typst", "#cite(<left2001>, supplement: [p. 9])"),
        ("org", "[cite:@left2001 p. 9]"),
    ],
)
def test_drafts_are_read_in_each_markup(state: LibraryService, markup: str, citation: str) -> None:
    quotation = f"``{CLAIM}''" if markup == "latex" else f'"{CLAIM}"'
    text = f"It says {quotation} {citation}."

    async def session(client: Client) -> None:
        checked = await answer(client, "check_quotes", project=LEFT, text=text, format=markup)
        [check] = checked["checks"]
        assert (check["verdict"], check["page"]) == ("wrong_page", "9")
        assert check["found"]["page_span"] == [1, 1]

    talk(state, session)


def test_support_comes_ready_to_paste(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        arguments = {"project": LEFT, "text": f"{CLAIM} Ducks fly.", "every": True, "top_k": 1}
        found = await answer(client, "find_support", **arguments)
        sentences = {one["text"]: one for one in found["sentences"]}
        [passage] = sentences[CLAIM]["passages"]
        assert passage["citation"] == "[@left2001, p. 1]"
        assert sentences["Ducks fly."]["support"] == "nothing"
        assert found["counts"]["supported"] == 1
        assert "[@left2001, p. 1] says:" in await text_of(client, "find_support", **arguments)

    talk(state, session)


def test_one_project_does_not_cite_another(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        checked = await answer(client, "check_quotes", project=RIGHT, text=DRAFT)
        assert {one["verdict"] for one in checked["checks"]} == {"unverifiable"}
        assert (await error(client, "cite", project=RIGHT, names=["left2001"]))["code"] == (
            "NOT_FOUND"
        )

    talk(state, session)


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("cite", {"names": []}, "INVALID_FILTER"),
        ("cite", {"names": ["left2001"], "style": "../apa"}, "INVALID_FILTER"),
        ("cite", {"names": ["left2001"], "style": "/etc/own.csl"}, "INVALID_FILTER"),
        ("cite", {"names": ["left2001"], "style": "appa"}, "NOT_FOUND"),
        ("cite", {"names": ["nobody1900"]}, "NOT_FOUND"),
        ("check_quotes", {"text": "x" * 50_001}, "INVALID_FILTER"),
        ("check_quotes", {"text": "a\0b"}, "UNREADABLE_DOCUMENT"),
        ("check_quotes", {"text": "a", "format": "docx"}, "INVALID_FILTER"),
        ("find_support", {"text": "x" * 20_001}, "INVALID_FILTER"),
    ],
)
def test_what_cannot_be_done_is_an_error(
    state: LibraryService, tool: str, arguments: dict[str, object], code: str
) -> None:
    async def session(client: Client) -> None:
        found = await error(client, tool, project=LEFT, **arguments)
        assert found["code"] == code

    talk(state, session)


def test_a_draft_reads_no_file_of_the_server(state: LibraryService, tmp_path: Path) -> None:
    secret = tmp_path / "secret.tex"
    secret.write_text(f"``{CLAIM}'' \\autocite[9]{{left2001}}", encoding="utf-8")

    async def session(client: Client) -> None:
        text = f"\\input{{{secret}}} As \\autocite[1]{{left2001}} says."
        checked = await answer(client, "check_quotes", project=LEFT, text=text, format="latex")
        assert (checked["citations"], checked["checks"]) == (1, [])

    talk(state, session)


def test_a_long_answer_is_cut(state: LibraryService) -> None:
    tight = replace(state.library.limits, answer_tokens=900)

    async def session(client: Client) -> None:
        checked = await answer(client, "check_quotes", project=LEFT, text=DRAFT * 5)
        assert 0 < len(checked["checks"]) < 15
        assert "checks: cut" in checked["notes"][0]

    talk(limited(state, tight), session)


def test_tools_can_be_left_out(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["query", "check_quotes"]

    talk(state, session, offer=Offer.of(names=("check_quotes", "query")))


def test_a_deleted_work_is_not_checked_against(
    module_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server runs on while its library changes."""
    folder = module_folder / "changing"
    folder.mkdir()
    library = two_projects(folder, monkeypatch)
    project = library.project(LEFT)
    draft = project.read_text(f'Of this "{CLAIM}" [@left2001, p. 1].')
    [before] = project.check_drafts(draft)
    project.delete(citekey="left2001")
    [after] = project.check_drafts(draft)
    library.close()
    assert before.checks[0].verdict is CitationVerdict.EXACT
    assert after.checks[0].reason is Reason.UNKNOWN_CITEKEY


def test_a_cancelled_search_for_support_ends(state: LibraryService) -> None:
    project = state.library.project(LEFT)
    cancellation = Cancellation()
    searched: list[str] = []

    def say(message: str) -> None:
        searched.append(message)
        cancellation.request()

    draft = project.read_text(f"{CLAIM} " * 3)
    with pytest.raises(DeadlineExceeded):
        project.support_drafts(
            draft, every=True, progress=SentenceProgress(say), cancellation=cancellation
        )
    assert searched == ["1 of 3 sentences searched"]


def test_what_starts_pandoc_has_two_lanes(state: LibraryService) -> None:
    tools = Offer().tools
    assert {name for name, tool in tools.items() if tool.drafts} == {
        "cite",
        "check_quotes",
        "find_support",
    }
    assert state.drafts._slots._value == 2
