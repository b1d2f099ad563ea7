"""Calls by chance: right, wrong, hostile; and what may never come back from one."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from citeloom.infrastructure.interfaces.mcp.tool_answers import estimated_tokens

ODD = (
    "",
    " ",
    "\0",
    "a" * 5000,
    "../../etc/passwd",
    "'; DROP TABLE documents; --",
    "{{7*7}}",
    "\u202e\u2066rtl",
    "潮汐と土壌",
    "\U0001f331" * 50,
    "lab/left\0lab/right",
    "LAB/LEFT",
    "lab/left ",
    "%6cab/left",
    "*",
    "null",
    "-1",
)
ANY: tuple[object, ...] = (None, True, 0, -1, 1e308, 2**70, [], ["x"], {}, {"a": 1}, [[["deep"]]])
CODES = frozenset(
    "INVALID_FILTER INVALID_PROJECT NOT_FOUND PATH_NOT_ALLOWED METADATA_MISSING BUSY "
    "SOURCE_UNAVAILABLE CONFIG_ERROR INDEX_LOCKED".split()
)
"""What a call may fail with; a fault or a time-out is not among them."""


@dataclass
class Fuzz:
    """Calls about some projects, by a generator with a seed; `marks` are words only one has."""

    random: Random
    marks: dict[str, tuple[str, ...]]
    sources: tuple[str, ...]
    outcomes: Counter[str] = field(default_factory=Counter)
    seen: list[str] = field(default_factory=lambda: ["none"])
    jobs: list[str] = field(default_factory=lambda: ["none"])
    _asked: str = ""

    async def call(self, client: Client) -> None:
        """Make a call, and check what comes back."""
        tool, arguments = self._made()
        try:
            result = await client.call_tool(tool, arguments)
        except MCPError:
            if tool != "no_such_tool":
                raise
            self.outcomes["unknown tool"] += 1
            return
        text = result.content[0].text  # type: ignore[union-attr]
        answer = result.structured_content
        self._check(arguments.get("project"), tool, text + json.dumps(answer, ensure_ascii=False))
        if result.is_error:
            assert answer["code"] in CODES, (tool, arguments, answer)
            self.outcomes[answer["code"]] += 1
            return
        assert estimated_tokens(text) <= 10_000
        assert estimated_tokens(json.dumps(answer, ensure_ascii=False)) <= 10_000
        self.outcomes[tool] += 1
        self._remember(answer)

    def _check(self, project: object, tool: str, text: str) -> None:
        """No word of a project but the one that was asked."""
        for other, marks in self.marks.items():
            if other != project:
                leaked = [mark for mark in marks if mark in text and not self._was_asked(mark)]
                assert not leaked, (tool, project, leaked, text[:2000])

    def _was_asked(self, mark: str) -> bool:
        return mark in self._asked

    def _remember(self, answer: dict[str, Any]) -> None:
        self.seen += [item["chunk_id"] for item in answer.get("items", []) if "chunk_id" in item][
            -3:
        ]
        self.jobs += [answer["job_id"]] if "job_id" in answer else []
        del self.seen[:-20], self.jobs[:-20]

    def _made(self) -> tuple[str, dict[str, Any]]:
        random = self.random
        project = random.choice([*self.marks] if random.random() < 0.9 else ODD)
        arguments: dict[str, Any] = {"project": project}
        tool = random.choice((*_WEIGHED, "no_such_tool"))
        arguments |= getattr(self, f"_{tool}", dict)()
        if random.random() < 0.2:
            arguments[random.choice([*arguments, "extra"])] = random.choice([*ANY, *ODD])
        self._asked = json.dumps(arguments, ensure_ascii=False)
        return tool, arguments

    def _query(self) -> dict[str, Any]:
        random = self.random
        every = [mark for marks in self.marks.values() for mark in marks]
        words = ["wheat", "rye", "sowing", "nitrogen", "rainfall", *every]
        words += ODD if random.random() < 0.2 else []
        filters = {
            "top_k": random.randint(-1, 25),
            "citekey": random.choice([*every, "x"]),
            "tags": [random.choice(words)],
            "year_from": random.randint(-5, 3000),
            "year_to": random.randint(-5, 3000),
            "section": random.choice(["Rainfall", ">", "A > B", ""]),
            "where": [random.choice(["word_count>1", "title=x", "none=1", "?", ""])],
        }
        chosen = random.sample(sorted(filters), random.choice((0, 0, 0, 1, 2, len(filters))))
        text = " ".join(random.choices(words, k=random.randint(1, 6)))
        return {"text": text} | {name: filters[name] for name in chosen}

    _query_hybrid = _ask = _query

    def _find(self) -> dict[str, Any]:
        random = self.random
        every = [mark for marks in self.marks.values() for mark in marks]
        return {
            "words": random.choices(
                ["wheat", "sowing dates", *every, *ODD], k=random.choice((1, 2))
            ),
            "exact": random.random() < 0.3,
            "offset": random.choice((0, 0, 3, -1)),
            "limit": random.choice((1, 20, 101)),
        }

    def _get_passage(self) -> dict[str, Any]:
        random = self.random
        every = [mark for marks in self.marks.values() for mark in marks]
        return {
            "chunk_id": random.choice([random.choice(self.seen)] * 20 + [*every, *ODD]),
            "context": random.choice((-1, 0, 1, 2, 5, 6)),
            "cite": random.random() < 0.1,
            "offset": random.choice((0, 0, 7, 10**9)),
        }

    def _ingest_from_source(self) -> dict[str, Any]:
        return {"source": self.random.choice([*self.sources, *ODD, "/dev/zero", "~", "file:///"])}

    def _ingest_status(self) -> dict[str, Any]:
        return {
            "job_id": self.random.choice([*self.jobs, *ODD]),
            "after": self.random.randint(0, 9),
        }

    def _cancel_ingest(self) -> dict[str, Any]:
        return {"job_id": self.random.choice([*self.jobs, *ODD])}

    def _list_documents(self) -> dict[str, Any]:
        random = self.random
        every = [mark for marks in self.marks.values() for mark in marks]
        return {
            "text": random.choice([*every, "md", "a", *ODD]),
            "offset": random.choice((0, 1, 9, -1)),
            "limit": random.choice((1, 50, 101)),
            "year_from": random.choice((0, 2001, 10_000)),
        }

    def _validate(self) -> dict[str, Any]:
        return {"skip": [self.random.choice(("order", "pages", "none"))]}

    def _zotero_search(self) -> dict[str, Any]:
        return {
            "what": self.random.choice(["items", "tags", "annotations", "x"]),
            "text": "a",
            "limit": 3,
        }


_WEIGHED = (
    *["query"] * 7,
    *["query_hybrid"] * 6,
    *["find"] * 3,
    *["get_passage"] * 6,
    *["ask"] * 2,
    *["ingest_status"] * 2,
    "ingest_from_source",
    "cancel_ingest",
    "inspect_collection",
    *["list_documents"] * 3,
    "list_jobs",
    "validate",
    "zotero_search",
)
