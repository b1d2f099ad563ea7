"""What is asked of the made library: commands, requests over HTTP, calls over MCP, Python.

`{chunk}`, `{doc}` and `{session}` stand for the ids of a passage, its document and a conversation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

PAPERS = "made/papers"
COLLAR = "How much longer does a logger last with a copper collar?"
QUEUE = "Which half-life has the queue?"
FOREIGN = "Which soprano sang Tosca in Rome?"
SENTENCE = (
    'It "more than doubled the life of a summer deployment"'
    " [@okaforTurbidityBudgetDrift2021, p. 1123]."
)
_SHORT = {COLLAR: "collar", QUEUE: "queue", FOREIGN: "opera", "/api/v1/": "", PAPERS: ""}


def title_of(*parts: object) -> str:
    """What a case is called: its words, with a short name for each question."""
    title = " ".join(str(part) for part in parts if part)
    for text, name in _SHORT.items():
        title = title.replace(text, name)
    return title


@dataclass(frozen=True)
class Command:
    """A command line without its first word, and the files that it writes and that count, too."""

    line: str
    stdin: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    writes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return title_of(self.line, *self.env.values(), self.stdin[:40])


@dataclass(frozen=True)
class Request:
    """A request over HTTP; its body is sent as it is, or as JSON."""

    method: str
    path: str
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def sent(self) -> bytes | None:
        """The body as it goes over the wire."""
        if self.body is None or isinstance(self.body, bytes):
            return self.body
        return json.dumps(self.body).encode()

    @property
    def title(self) -> str:
        body = self.body.items() if isinstance(self.body, dict) else [self.body]
        return title_of(
            self.method, self.path, *(part for part in body if part), *self.headers.values()
        )


@dataclass(frozen=True)
class Call:
    """A request over MCP: a method and its parameters."""

    method: str
    params: Mapping[str, object] = field(default_factory=dict)

    @property
    def title(self) -> str:
        arguments = self.params.get("arguments", {})
        assert isinstance(arguments, dict)
        words = (self.params.get(key, "") for key in ("name", "uri"))
        return title_of(self.method.replace("tools/call", ""), *words, *arguments.items())


CITE_FORMATS = "html markdown pandoc latex typst bibtex biblatex csl-json ris".split()
QUERY_FORMATS = ["jsonl", *CITE_FORMATS]
NO_PROJECT = {"CITELOOM_PROJECT": ""}
SCOPES = "--author okafor --item-type article --container Journal --language en --added-since 2020"
FILTERS = "--tag turbidity --year 2019.. --section '3 Results'"

FIRST: tuple[Command, ...] = (
    Command("ingest --dry-run"),
    Command("ingest --dry-run --json"),
    Command(f'query "{COLLAR}"'),
    Command("ingest --json"),
    Command("ingest -p made/zotero --zotero --annotations --notes"),
    Command("ingest"),
    Command("ingest --no-calibrate"),
    Command("ingest --as summary"),
    Command("ingest --strict --retry-failed"),
    Command("ingest --ocr-again"),
    Command("ingest --ocr-again --no-ocr"),
    Command("ingest -p made/empty"),
    Command("ingest nowhere/"),
    Command("ingest --references references.bib --dry-run"),
    Command("ingest --limit 0"),
    Command("ingest --collection Shelf"),
    Command("ingest --zotero --collection Nowhere -p made/zotero"),
    Command("ingest --ocr-lang 'no language'"),
    Command("ingest --as nothing"),
    Command("sync -p made/zotero"),
    Command("sync -p made/zotero --dry-run --json"),
    Command("sync"),
)
"""What fills the library."""

COMMANDS: Mapping[str, tuple[Command, ...]] = {
    "program": (
        Command("--version"),
        Command(""),
        Command("nothing"),
        Command("serch"),
        Command("search loggers"),
        Command("--nothing"),
        Command("--config nowhere.toml projects"),
        Command("--config faulty.toml projects"),
        Command("--verbose projects"),
    ),
    "query": (
        Command(f'query "{COLLAR}"'),
        Command(f'query "{COLLAR}" --json'),
        *(Command(f'query "{QUEUE}" -k 2 --format {name}') for name in QUERY_FORMATS),
        Command(f'query "{COLLAR}" --explain --context 1 -k 2'),
        Command(f'query "{COLLAR}" --explain --context 1 -k 2 --json'),
        Command(f'query "{COLLAR}" --full-text --group-by document --json'),
        Command(f'query "{COLLAR}" --mode dense --group-by none -k 3 --json'),
        Command(f'query "{COLLAR}" --mode sparse --min-score 1 -k 3 --json'),
        Command(f'query "{COLLAR}" {FILTERS} --json'),
        Command(f'query "{COLLAR}" --citekey nobody1999'),
        Command(f'query "{COLLAR}" {SCOPES} --json'),
        Command(f'query "{COLLAR}" --item-type thesis'),
        Command(f'query "{COLLAR}" --annotation-color yellow'),
        Command('query "How are tiles dried?" --where "tier>=2" --json -k 1'),
        Command('query "How are tiles dried?" --where "layer=L2"'),
        Command('query "How are tiles dried?" --kind table --kind reference -k 2'),
        Command('query "harbour master" --kind hidden --json'),
        Command('query "How are tiles dried?" --word boards --word roof'),
        Command('query "Wie werden alte Obstsorten geschnitten?" -k 2'),
        Command(f'query "{FOREIGN}"'),
        Command(f'query "{FOREIGN}" --floor'),
        Command(f'query "{FOREIGN}" --json -k 1'),
        Command(f'query "{QUEUE}" --as hit'),
        Command(f'query "{QUEUE}" --style apa -k 1'),
        Command(f'query "{QUEUE}" --style ieee --format html -k 1 --locale de-DE'),
        Command(f'query "{QUEUE}" --doc {{doc}} -k 1'),
        Command("query -", stdin=f"{QUEUE}\n"),
        Command('query "carpet librarian" -p made/zotero -k 2 --json'),
        Command('query "carpet librarian" -p made/zotero --kind note --kind annotation'),
        Command("query"),
        Command('query ""'),
        Command("query x -p made/none"),
        Command("query x -p 'no project'"),
        Command("query x -p made/empty"),
        Command("query x", env=NO_PROJECT),
        Command("query x --nothing"),
        Command("query x -k 0"),
        Command("query x -k many"),
        Command("query x --mode odd"),
        Command("query x --format odd"),
        Command("query x --year odd"),
        Command("query x --year 2023..2019"),
        Command('query x --where "tier"'),
        Command('query x --where "colour=red"'),
        Command('query x --where "tier=many"'),
        Command("query x --as nothing"),
        Command("query x --style nothing"),
        Command("query x --json --format text"),
        Command("query x --doc nothing"),
        Command(f'query "{QUEUE}" -k 1 --json', env={"CITELOOM_RETRIEVAL__RRF_K": "5"}),
        Command(f'query "{QUEUE}" -k 1', env={"CITELOOM_RETRIEVAL__TOP_K": "no"}),
        Command(f'query "{QUEUE}" -k 1', env={"CITELOOM_RERANK__MODEL": "late-interaction"}),
    ),
    "find": (
        Command("find logger"),
        Command("find logger --json"),
        Command("find 'copper collar' --format csv"),
        Command("find loggers --exact -k 2 --year 2021"),
        Command("find zzz"),
        Command("find ''"),
    ),
    "ask": (
        Command(f'ask "{COLLAR}"'),
        Command(f'ask "{COLLAR}" --json'),
        Command(f'ask "{COLLAR}" --format markdown -k 2'),
        Command(f'ask "{COLLAR}" --as reply'),
        Command(f'ask "{COLLAR}" --quote-first'),
        Command(f'ask "{FOREIGN}"'),
        Command(f'ask "{FOREIGN}" --json'),
        Command('ask "What is this library about?"'),
        Command('ask "Wie werden alte Obstsorten geschnitten?" --json'),
        Command("ask ''"),
        Command("ask x -p made/empty"),
        Command(f'ask "{COLLAR}"', env={"CITELOOM_ANSWERS__LANGUAGE": "de"}),
        Command(f'ask "{FOREIGN}"', env={"CITELOOM_ANSWERS__LANGUAGE": "pt"}),
    ),
    "ask-model": (
        Command(f'--config served.toml ask "{COLLAR}"'),
        Command(f'--config served.toml ask "{COLLAR}" --json'),
        Command(f'--config served.toml ask "{COLLAR}" --quote-first --json'),
        Command(f'--config served.toml ask "{QUEUE}" --format markdown'),
        Command(f'--config served.toml ask "{FOREIGN}" --json'),
        Command(
            "--config served.toml chat --json", stdin=f"{COLLAR}\nAnd in winter, how long was it?\n"
        ),
        Command(
            f'--config served.toml ask "{COLLAR}" --json',
            env={"CITELOOM_ENTAILMENT__MODEL": "answers"},
        ),
        Command("--config served.toml eval answers -q questions.jsonl --json"),
        Command(f'--config refused.toml ask "{COLLAR}"'),
    ),
    "chat": (
        Command("chat --json", stdin=f"{COLLAR}\n\nAnd in winter?\n"),
        Command("chat", stdin=f"{QUEUE}\n"),
        Command("chat -k 1 --resume {session}", stdin="And at night?\n"),
        Command("chat --resume nowhere", stdin="Why?\n"),
        Command("chat", stdin="x" * 2001),
        Command("chat --as nothing", stdin="Why?\n"),
        Command("chat list"),
        Command("chat list --json"),
        Command("chat export {session}"),
        Command("chat export {session} --json"),
        Command("chat export nowhere"),
        Command("chat delete {session}"),
        Command("chat delete {session}  "),
    ),
    "show": (
        Command("show {chunk}"),
        Command("show {chunk} --context 0 --json"),
        Command("show okaforTurbidityBudgetDrift2021 --format markdown"),
        Command("show {doc} --format jsonl"),
        Command("show library/drying.md"),
        Command("show library/drying.md --format latex"),
        Command("show {chunk} --format bibtex"),
        Command("show {chunk} --style apa --format html"),
        Command("show nothing"),
        Command("show {chunk} --context -1"),
    ),
    "open": (
        Command("open {chunk} --print"),
        Command("open marchettiFairQueuesShared2022 --print"),
        Command("open lindqvist2019rooms --print -p made/zotero"),
        Command("open nothing --print"),
        Command("open --web --print"),
        Command("open --print"),
    ),
    "cite": (
        Command("cite okaforTurbidityBudgetDrift2021 {chunk}"),
        *(
            Command(f"cite '[@okaforTurbidityBudgetDrift2021, p. 1124]' --format {name}")
            for name in CITE_FORMATS
        ),
        Command("cite marchettiFairQueuesShared2022 --style chicago-notes --locale de-DE"),
        Command("cite nobody1999"),
        Command("cite okaforTurbidityBudgetDrift2021 --style nothing"),
        Command("cite"),
    ),
    "drafts": (
        *(
            Command(f"check drafts/thesis.{suffix} --all --json")
            for suffix in ("md", "tex", "typ", "org")
        ),
        Command("check drafts/thesis.md"),
        Command("check drafts/thesis.md drafts/thesis.tex --all"),
        Command("check drafts/right.md"),
        Command("check drafts/thesis.md --min-coverage 0.5"),
        Command("check drafts/thesis.md --format junit"),
        Command("check drafts/thesis.md --format sarif"),
        Command("check drafts/thesis.md --fix"),
        Command("check drafts/thesis.md --write"),
        Command("check drafts/nowhere.md"),
        Command("check library/unknown.xyz"),
        Command("check library/broken.docx"),
        Command("check drafts/right.md -p made/empty"),
        Command("check"),
        Command("bib drafts/right.md"),
        *(
            Command(f"bib drafts/right.md --format {name}")
            for name in ("biblatex", "csl-json", "ris")
        ),
        Command("bib drafts/thesis.md"),
        Command("links drafts/right.md"),
        Command("support drafts/thesis.md"),
        Command("support drafts/thesis.md --json --all -k 1"),
        Command("support drafts/thesis.md --line 16-18"),
        Command("support drafts/thesis.md --line odd"),
        Command("matrix matrix.txt"),
        *(
            Command(f'matrix "{COLLAR}" "{QUEUE}" --strict --format {name}')
            for name in ("json", "markdown", "html", "csv")
        ),
        Command("matrix matrix.txt --works marchettiFairQueuesShared2022 --year 2020.."),
        Command("matrix matrix.txt --format xlsx"),
        Command("matrix matrix.txt --works nobody1999"),
    ),
    "bundle": (
        Command("bundle drafts/thesis.md --out thesis.zip", writes=("thesis.zip",)),
        Command(
            "bundle make drafts/right.md --out bare.zip --no-pictures --date 86400",
            writes=("bare.zip",),
        ),
        Command("bundle verify thesis.zip"),
        Command("bundle verify thesis.zip --all"),
        Command("bundle verify thesis.zip --json"),
        Command("bundle verify drafts/thesis.md"),
        Command("bundle drafts/right.md --out thesis.tar"),
    ),
    "library": (
        Command("list"),
        Command("list --json"),
        Command("list --manifest"),
        Command("list --manifest --json"),
        Command("list --status failed --json"),
        Command("list turbidity --year 2021"),
        Command("list --missing-reference"),
        Command("list --where tier=2 --json"),
        Command("list --as nothing"),
        Command("list -p made/zotero --json"),
        Command("inspect"),
        Command("inspect --sample 2 --json"),
        Command("inspect -p made/empty"),
        Command("projects"),
        Command("projects --json"),
        Command("validate"),
        Command("validate --json"),
        Command("validate --format junit --strict --require-citekey"),
        Command("validate --check nothing"),
        Command("validate -p made/empty"),
        Command("models"),
        Command("models --all --json"),
        Command("models --fetch nothing"),
        Command("store check"),
        Command("store check --json"),
        Command("match"),
        Command("match --json"),
        Command("match library/nowhere.md nobody1999"),
        Command("mcp config --client claude"),
        Command("mcp config --client codex --read-only --tool query"),
        Command("mcp config --client vscode"),
        Command("mcp --tool nothing"),
        Command("mcp --http"),
        Command("serve --host 0.0.0.0"),
        Command("calibrate -p made/zotero"),
        Command("calibrate --json"),
    ),
    "zotero": (
        Command("zotero collections"),
        Command("zotero collections --json"),
        Command("zotero items"),
        Command("zotero items --json"),
        Command("zotero items --collection Shelf --subcollections --tag rooms --search quiet"),
        Command("zotero items --collection Nowhere"),
        Command("zotero items --library Nobody"),
        Command('zotero items --saved-search "rooms since 2018"'),
        Command('zotero items --saved-search "Words of files"'),
        Command("zotero items --saved-search Nothing"),
        Command("zotero export --format csl-json"),
        Command("zotero export --format ris --citekey lindqvist2019rooms"),
        Command("zotero export --citekey nobody1999"),
        Command("zotero annotations"),
        Command("zotero annotations --format json --color yellow"),
        Command("zotero citekeys l"),
        Command("zotero tags"),
        Command("zotero tags --json"),
        Command("zotero recent --by modified --limit 2"),
        Command("zotero recent --json"),
        Command("zotero doctor"),
        Command("zotero doctor --json"),
        Command("zotero doctor -p made/zotero --strict"),
        Command("zotero download -p made/zotero"),
        Command("zotero items", env={"CITELOOM_ZOTERO__DATA_DIR": "nowhere"}),
    ),
    "eval": (
        Command("eval run -q questions.jsonl -k 3 -o before.json"),
        Command("eval run -q questions.jsonl -k 3 --json --mode hybrid"),
        Command(
            "eval run -q questions.jsonl -k 3 -o after.json", env={"CITELOOM_RETRIEVAL__RRF_K": "5"}
        ),
        Command("eval compare before.json after.json"),
        Command("eval compare before.json after.json --json"),
        Command("eval compare before.json after.json --measure luck"),
        Command("eval sweep -q questions.jsonl --fusion-only -p made/zotero"),
        Command("eval sweep -q questions.jsonl --fusion-only --json"),
        Command("eval answers -q questions.jsonl"),
        Command("eval answers -q questions.jsonl --json"),
        Command("eval claims claims.jsonl"),
        Command("eval claims claims.jsonl --json"),
        Command("eval pages"),
        Command("eval pages --json"),
        Command("eval pages --format junit"),
        Command("eval highlights -p made/zotero"),
        Command("eval highlights -p made/zotero --json --mode dense -k 3"),
        Command("eval highlights"),
        Command("eval ir collection"),
        Command("eval ir collection --json --mode dense"),
        Command("eval ir library"),
        Command("eval run -q no-questions.jsonl"),
        Command("eval run -q nowhere.jsonl"),
    ),
}
"""What only reads, or keeps conversations; each family in its own folder."""

LAST: tuple[Command, ...] = (
    Command("collect {chunk} --chapter '2 Methods' -m 'Their best case' --tag copper"),
    Command("collect {chunk} --chapter '2 Methods' --json"),
    Command("collect --chapter '2 Methods'"),
    Command("collect --chapter '2 Methods' --json"),
    Command("collect"),
    Command("collect --json"),
    Command("collect nothing --chapter x"),
    Command("collect {chunk}"),
    Command("check drafts/thesis.md --fix --write", writes=("drafts/thesis.corrected.md",)),
    Command("check drafts/thesis.md --fix --write "),
    Command("support drafts/thesis.md --write", writes=("drafts/thesis.support.md",)),
    Command("match drying.md marchettiFairQueuesShared2022", writes=("citeloom.toml",)),
    Command("match drying.md nobody1999"),
    Command("ingest --json --limit 20"),
    Command("delete --citekey KeepingVaccinesCold2018"),
    Command("delete --citekey KeepingVaccinesCold2018 --yes"),
    Command("delete --citekey nobody1999 --yes"),
    Command("delete --doc {doc} --yes --json"),
    Command("delete"),
    Command("list --status deleted"),
    Command("ingest"),
    Command("ingest --restore --json"),
    Command("ingest --force library/ferries.md"),
    Command("ingest --prune --yes"),
    Command("repair --dry-run"),
    Command("repair --json"),
    Command("validate "),
    Command("bundle verify thesis.zip --json --all"),
    Command("delete -p made/zotero --all --yes"),
    Command("inspect -p made/zotero"),
    Command("init"),
    Command("--config new/citeloom.toml init"),
)
"""What changes the library, in this order."""

_ASKED: Mapping[str, object] = {"project": PAPERS, "text": COLLAR}
_ODD = {"project": PAPERS, "text": COLLAR}
HTTP: tuple[Request, ...] = (
    Request("GET", "/api/openapi.json"),
    Request("GET", "/api/docs"),
    Request("GET", "/api/v1/health"),
    Request("GET", "/api/v1/ready"),
    Request("GET", "/api/v1/metrics"),
    Request("GET", "/api/v1/projects"),
    Request("HEAD", "/api/v1/projects"),
    Request("GET", "/"),
    Request("GET", "/api/v1/nothing"),
    Request("PUT", "/api/v1/query", {}),
    Request("POST", "/api/v1/query", _ASKED),
    Request("POST", "/api/v1/query", {**_ASKED, "explain": True, "context": 1, "top_k": 2}),
    Request("POST", "/api/v1/query", {**_ASKED, "top_k": 2, "mode": "dense", "full_text": True}),
    Request(
        "POST",
        "/api/v1/query",
        {**_ASKED, "tags": ["turbidity"], "year_from": 2019, "where": ["tier<=2"]},
    ),
    Request(
        "POST", "/api/v1/query", {**_ASKED, "words": ["copper"], "section": "3 Results", "top_k": 1}
    ),
    Request("POST", "/api/v1/query", {**_ASKED, "text": FOREIGN, "floor": True}),
    Request("GET", f"/api/v1/query?project={PAPERS}&text=half-life+queue&top_k=1"),
    Request("GET", f"/api/v1/query?project={PAPERS}&text=half-life&top_k=0"),
    Request("GET", f"/api/v1/query?project={PAPERS}&text=half-life&nothing=1"),
    Request("GET", "/api/v1/query?text=half-life"),
    Request("POST", "/api/v1/query", b"{no json"),
    Request("POST", "/api/v1/query", b"[]"),
    Request("POST", "/api/v1/query", b""),
    Request("POST", "/api/v1/query", {"project": PAPERS}),
    Request("POST", "/api/v1/query", {"project": PAPERS, "text": ""}),
    Request("POST", "/api/v1/query", {"project": PAPERS, "text": "x" * 4001}),
    Request("POST", "/api/v1/query", {"project": PAPERS, "text": 5, "top_k": "many"}),
    Request("POST", "/api/v1/query", {**_ODD, "top_k": 21}),
    Request("POST", "/api/v1/query", {**_ODD, "mode": "odd"}),
    Request("POST", "/api/v1/query", {**_ODD, "nothing": 1}),
    Request("POST", "/api/v1/query", {**_ODD, "where": ["colour=red"]}),
    Request("POST", "/api/v1/query", {**_ODD, "project": "made/none"}),
    Request("POST", "/api/v1/query", {**_ODD, "project": "made/empty"}),
    Request("POST", "/api/v1/query", b"x" * 70_000),
    Request("POST", "/api/v1/query", _ASKED, {"Content-Type": "text/plain"}),
    Request("GET", "/api/v1/projects", headers={"Host": "evil.example"}),
    Request("GET", "/api/v1/projects", headers={"Origin": "https://evil.example"}),
    Request("POST", "/api/v1/find", {"project": PAPERS, "words": ["logger"], "top_k": 3}),
    Request(
        "POST", "/api/v1/find", {"project": PAPERS, "words": ["loggers"], "exact": True, "top_k": 1}
    ),
    Request("POST", "/api/v1/find", {"project": PAPERS, "words": []}),
    Request("POST", "/api/v1/ask", _ASKED),
    Request("POST", "/api/v1/ask", {**_ASKED, "stream": True}),
    Request("POST", "/api/v1/ask", {**_ASKED, "as": "reply"}),
    Request("POST", "/api/v1/ask", {**_ASKED, "as": "nothing"}),
    Request("POST", "/api/v1/ask", {**_ASKED, "text": FOREIGN}),
    Request("POST", "/api/v1/ask", {**_ASKED, "text": "x" * 2001}),
    Request("POST", "/api/v1/ask", {**_ODD, "project": "made/none", "stream": True}),
    Request("GET", f"/api/v1/passages/{{chunk}}?project={PAPERS}"),
    Request("GET", f"/api/v1/passages/{{chunk}}?project={PAPERS}&context=0"),
    Request("GET", f"/api/v1/passages/nothing?project={PAPERS}"),
    Request("GET", f"/api/v1/passages/{{chunk}}/page.png?project={PAPERS}"),
    Request("GET", f"/api/v1/passages/{{chunk}}/page.png?project={PAPERS}&page=99"),
    Request("GET", f"/api/v1/passages/{{chunk}}/page.png?project={PAPERS}&scale=99"),
    Request(
        "POST",
        "/api/v1/collect",
        {"project": PAPERS, "chunk_id": "{chunk}", "chapter": "1 Loggers", "tags": ["a"]},
    ),
    Request(
        "POST",
        "/api/v1/collect",
        {"project": PAPERS, "chunk_id": "nothing", "chapter": "1 Loggers"},
    ),
    Request("GET", f"/api/v1/collect?project={PAPERS}"),
    *(
        Request("POST", "/api/v1/cite", {"project": PAPERS, "names": ["{chunk}"], "format": name})
        for name in ("text", "html", "latex", "csl-json")
    ),
    Request("POST", "/api/v1/cite", {"project": PAPERS, "names": ["nobody1999"]}),
    Request(
        "POST", "/api/v1/cite", {"project": PAPERS, "names": ["{chunk}"], "style": "../apa.csl"}
    ),
    Request("POST", "/api/v1/check", {"project": PAPERS, "text": SENTENCE}),
    Request("POST", "/api/v1/check", {"project": PAPERS, "text": "x", "format": "odd"}),
    Request(
        "POST",
        "/api/v1/support",
        {"project": PAPERS, "text": "Loggers last longer with copper.", "every": True, "top_k": 1},
    ),
    Request("POST", "/api/v1/support", {"project": PAPERS, "text": "Loggers.", "lines": "odd"}),
    Request("POST", "/api/v1/matrix", {"project": PAPERS, "questions": [COLLAR], "strict": True}),
    Request("POST", "/api/v1/matrix", {"project": PAPERS, "questions": []}),
    Request("GET", f"/api/v1/documents?project={PAPERS}"),
    Request("GET", f"/api/v1/documents?project={PAPERS}&limit=1&offset=2&state=indexed"),
    Request("GET", f"/api/v1/documents?project={PAPERS}&state=odd"),
    Request("GET", f"/api/v1/documents?project={PAPERS}&missing_reference=true"),
    Request("GET", f"/api/v1/documents/{{doc}}?project={PAPERS}&limit=2"),
    Request("GET", f"/api/v1/documents/nothing?project={PAPERS}"),
    Request("GET", f"/api/v1/validation?project={PAPERS}"),
    Request("GET", f"/api/v1/validation?project={PAPERS}&check=nothing"),
    Request("POST", "/api/v1/jobs", {"project": PAPERS, "sources": ["../private"]}),
    Request("POST", "/api/v1/jobs", {"project": PAPERS, "limit": 0}),
    Request("GET", f"/api/v1/jobs?project={PAPERS}"),
    Request("GET", "/api/v1/jobs/nothing"),
    Request("POST", "/api/v1/jobs/nothing/cancel"),
    Request("GET", "/api/v1/jobs/nothing/events"),
    Request("GET", "/api/v1/zotero/collections"),
    Request("GET", "/api/v1/zotero/items?limit=2"),
    Request("GET", "/api/v1/zotero/items?collection=Nowhere"),
    Request("GET", "/api/v1/zotero/tags"),
    Request("GET", "/api/v1/zotero/annotations?color=yellow"),
    Request("GET", "/api/v1/zotero/citekeys?search=l"),
    Request("GET", "/api/v1/zotero/export?format=csl-json"),
    Request("POST", "/api/v1/chat", _ASKED),
    Request("POST", "/api/v1/chat", {**_ASKED, "session_id": "nowhere"}),
    Request("POST", "/api/v1/chat", {**_ASKED, "stream": True}),
    Request("GET", f"/api/v1/chat/sessions?project={PAPERS}"),
    Request("GET", f"/api/v1/chat/sessions/{{session}}?project={PAPERS}"),
    Request("GET", f"/api/v1/chat/sessions/{{session}}/export?project={PAPERS}"),
    Request("DELETE", f"/api/v1/chat/sessions/{{session}}?project={PAPERS}"),
    Request("DELETE", f"/api/v1/chat/sessions/nowhere?project={PAPERS}"),
)


def tool(name: str, **arguments: object) -> Call:
    """A call of a tool in the project of the papers, unless another is named."""
    return Call("tools/call", {"name": name, "arguments": {"project": PAPERS, **arguments}})


MCP: tuple[Call, ...] = (
    Call("tools/list"),
    Call("resources/list"),
    Call("resources/templates/list"),
    Call("prompts/list"),
    Call("prompts/get", {"name": "cite_sources", "arguments": {"project": PAPERS, "text": COLLAR}}),
    Call("prompts/get", {"name": "cite_sources", "arguments": {}}),
    Call("prompts/get", {"name": "nothing"}),
    Call("resources/read", {"uri": "citeloom://passages/made%2Fpapers/{chunk}"}),
    Call(
        "resources/read",
        {"uri": "citeloom://documents/made%2Fpapers/marchettiFairQueuesShared2022?offset=3"},
    ),
    Call("resources/read", {"uri": "citeloom://passages/made%2Fpapers/nothing"}),
    Call("nothing/here"),
    Call("tools/call", {"name": "list_projects", "arguments": {}}),
    Call("tools/call", {"name": "nothing", "arguments": {}}),
    Call("tools/call", {"name": "query", "arguments": {"text": COLLAR}}),
    tool("query", text=COLLAR),
    tool("query", text=COLLAR, top_k=50),
    tool("query", text=""),
    tool("query", text=COLLAR, nothing=1),
    tool("query", query=QUEUE, top_k=1),
    tool("query", text=COLLAR, project="made/none"),
    tool("query_hybrid", text=COLLAR, top_k=2),
    tool(
        "query_hybrid",
        text=COLLAR,
        tags=["turbidity"],
        year_from=2019,
        section=["3 Results"],
        where=["tier<=2"],
    ),
    tool(
        "query_hybrid", text=COLLAR, scope={"authors": "Okafor", "item_types": ["article-journal"]}
    ),
    tool("query_hybrid", text=COLLAR, scope={"authors": ["Okafro"]}),
    tool("query_hybrid", text=COLLAR, scope={"author": ["Okafor"]}),
    tool("query_hybrid", text=FOREIGN),
    tool("query_hybrid", text="How are tiles dried?", where=["colour=red"]),
    tool("find", words=["logger"], limit=3),
    tool("find", words=["loggers"], exact=True, offset=3, limit=1),
    tool("find", words=[]),
    tool("ask", text=COLLAR),
    tool("ask", text=FOREIGN),
    tool("ask", text="x" * 2001),
    tool("get_passage", chunk_id="{chunk}", context=1, cite=True),
    tool("get_passage", chunk_id="{chunk}", offset=40),
    tool("get_passage", chunk_id="nothing"),
    tool("list_documents"),
    tool("list_documents", text="turbidity", limit=1),
    tool("list_documents", state="failed"),
    tool("list_documents", state="odd"),
    tool("inspect_collection"),
    tool("inspect_collection", project="made/empty"),
    tool("ingest_from_source", source="../private"),
    tool("ingest_status", job_id="nothing"),
    tool("list_jobs"),
    tool("cancel_ingest", job_id="nothing"),
    tool("validate"),
    tool("validate", check=["nothing"]),
    tool("cite", names=["{chunk}", "marchettiFairQueuesShared2022"]),
    tool("cite", names=["{chunk}"], format="latex"),
    tool("cite", names=["nobody1999"]),
    tool("check_quotes", text=SENTENCE),
    tool("check_quotes", text="", format="markdown"),
    tool("find_support", text="Loggers last longer with copper.", every=True, top_k=1),
    tool("zotero_search", project="made/zotero"),
    *(
        tool("zotero_search", project="made/zotero", what=what)
        for what in ("collections", "tags", "annotations")
    ),
    tool("zotero_search", project="made/zotero", item="ARTRM222"),
    tool("zotero_search"),
)

PYTHON: tuple[str, ...] = (
    f'project.query("{COLLAR}", top_k=1, context=1)',
    f'project.query("{COLLAR}", top_k=1, tags=("turbidity",), year="2019..", explain=True)',
    'project.query("x", top_k=0)',
    'project.query("x", nothing=1)',
    'project.query("")',
    f'project.ask("{COLLAR}", top_k=2)',
    f'project.ask("{FOREIGN}")',
    'project.show("{chunk}", context=0)',
    'project.show("nothing")',
    'project.find("copper collar")',
    "project.inspect(sample=1)",
    "project.documents(citekey='marchettiFairQueuesShared2022')",
    "project.document('{doc}')",
    "project.validate()",
    "project.cite('{chunk}', style='apa')",
    "project.check_drafts('drafts/thesis.tex')",
    "project.support_drafts('drafts/right.md')",
    "project.draft_bibliography('drafts/right.md')",
    "library.projects()",
    "library.project_ids()",
    "library.citekeys('made/papers')",
    "library.project('made/none')",
    "library.health()",
    "library.info",
)
"""Expressions about an open `library` and its `project`."""
