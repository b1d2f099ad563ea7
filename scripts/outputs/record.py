"""Write down what the citeloom on the module path says to every case, a file each.

It is run by `compare_outputs.py` as a process whose module path has the tree that is recorded. It
knows that tree by its doors only: the command line, HTTP, MCP and the language server as programs
reach them, and the public names of `import citeloom`.

usage: python -m scripts.outputs.record TREE OUTPUTS
"""

from __future__ import annotations

import hashlib
import http.client
import inspect
import io
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from threading import Timer
from types import MappingProxyType, ModuleType
from typing import Any
from unittest.mock import patch
from zipfile import ZipFile, is_zipfile

from scripts.outputs import cases
from scripts.outputs.chat_service import ChatService, serving
from scripts.outputs.library import make_compared_library
from scripts.outputs.volatile import Cleaner

COMMAND = (sys.executable, "-P", "-m", "citeloom")
PATIENCE = 120.0
LONGEST_SESSION = 600.0
"""Seconds after which a server counts as hanging; far above what any takes."""
_SERVED = """
[answers]
model = "openai/served"
base_url = "http://127.0.0.1:{port}/v1"
"""
_DEEPEST = 4
_LONGEST_NAME = 90
_LONGEST_LINE = 100


class Recording:
    """A folder of outputs; ids that cases refer to are known once the library is ingested."""

    def __init__(self, folder: Path, outputs: Path, cleaner: Cleaner, chat: ChatService) -> None:
        self.folder = folder
        self.chat = chat
        self.ids: dict[str, str] = {}
        self._outputs = outputs
        self._clean = cleaner
        self._names: dict[str, int] = {}

    def fill(self, text: str) -> str:
        """The text with the ids that it names."""
        for name, value in self.ids.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def set_session(self, session: str) -> None:
        """Refer to this conversation, whose id is drawn, from now on."""
        self.ids["session"] = session
        self._clean.hide(session, "<session>")

    def write(self, family: str, title: str, text: str) -> None:
        """Write the output of a case, whose file is named after its title."""
        words = "-".join(re.findall(r"[a-z0-9]+", title.lower()))[:_LONGEST_NAME].strip("-")
        name = f"{family}/{words or 'nothing'}"
        self._names[name] = number = self._names.get(name, 0) + 1
        path = self._outputs / (f"{name}.txt" if number == 1 else f"{name}-{number}.txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._clean(text).rstrip() + "\n", encoding="utf-8")


# The command line.


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: object
    out: str
    err: str


def run(line: str, *, stdin: str = "", env: Mapping[str, str] | None = None) -> Ended:
    """Run a command within this process."""
    from citeloom.__main__ import main  # noqa: PLC0415 - of the tree that is recorded

    out, err = _stream(), _stream()
    code: object = None
    with (
        patch.dict(os.environ, env or {}),
        patch.multiple(
            sys,
            argv=["citeloom", *shlex.split(line)],
            stdin=_stream(stdin),
            stdout=out,
            stderr=err,
        ),
    ):
        try:
            main()
        except SystemExit as ending:
            code = ending.code
        except BaseException:  # noqa: BLE001 - whatever it is, it is what a user would see
            traceback.print_exc(file=err)
    return Ended(code, _text(out), _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _stream(content: str = "") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content.encode()), encoding="utf-8", write_through=True)


def record_command(recording: Recording, family: str, command: cases.Command) -> None:
    """Write what a command prints and writes, and what it sends to a model."""
    line = recording.fill(command.line)
    ended = run(line, stdin=command.stdin, env=command.env)
    given = " ".join(f"{name}={value!r}" for name, value in command.env.items())
    parts = [f"$ {given} citeloom {command.line}".replace("  ", " "), f"exit code {ended.code}"]
    parts += ["", "--- stdout", readable(ended.out), "--- stderr", ended.err]
    for name in command.writes:
        parts += [f"--- {name}", written(recording.folder / name)]
    for request in recording.chat.take():
        parts += ["--- sent to the model", json.dumps(request, ensure_ascii=False, indent=1)]
    recording.write(f"commands/{family}", command.title, "\n".join(parts))


def readable(text: str) -> str:
    """The text, with a line for each value of JSON that is written in one long line."""
    return "\n".join(_indented_line(line) for line in text.splitlines())


def _indented_line(line: str) -> str:
    if len(line) <= _LONGEST_LINE:
        return line
    try:
        value = json.loads(line.removesuffix(","))
    except ValueError:
        return line
    return f"(one line) {json.dumps(value, ensure_ascii=False, indent=1)}"


def written(path: Path) -> str:
    """A file's content; of an archive its members, of a picture its hash."""
    if not path.exists():
        return "(not written)"
    if not is_zipfile(path):
        return described(path.read_bytes())
    with ZipFile(path) as archive:
        members = [(name, described(archive.read(name))) for name in archive.namelist()]
    return "\n".join(f"*** {name}\n{content}" for name, content in members)


def described(content: bytes) -> str:
    """Text as it is, anything else by its hash."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return f"({len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()})"


def record_help(recording: Recording) -> None:
    """Write the help of each command, found in the help of the group above it."""
    waiting = [""]
    while waiting:
        command = waiting.pop()
        ended = run(f"{command} --help")
        recording.write(
            "help", command or "citeloom", f"exit code {ended.code}\n{ended.out}{ended.err}"
        )
        listing = re.split(r"(?m)^(?:Commands|Get started|Other commands):\n", ended.out)[1:]
        names = [name for part in listing for name in re.findall(r"(?m)^  ([a-z]+)  ", part)]
        waiting += [f"{command} {name}".strip() for name in names]


# Servers.


@contextmanager
def started(*arguments: str, stderr: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server with its pipes, ended in the end."""
    with stderr.open("wb") as file:
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            env={**os.environ, **cases.NO_PROJECT},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=file,
        )
    killer = Timer(LONGEST_SESSION, process.kill)
    killer.start()
    try:
        yield process
    finally:
        killer.cancel()
        process.terminate()
        try:
            process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()


def until(finished: Callable[[], Any]) -> Any:
    """What is there once it is there."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if value := finished():
            return value
        time.sleep(0.05)
    raise TimeoutError("a server did not come so far in time")


@dataclass(frozen=True)
class Answer:
    """An answer over HTTP."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """What of it is compared."""
        shown = [f"{name}: {value}" for name, value in sorted(self.headers.items())]
        return "\n".join([f"{self.status}", *shown, "", readable(described(self.body))])


def ask_http(port: int, request: cases.Request, fill: Callable[[str], str]) -> Answer:
    """Send a request and read the whole answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    sent = request.sent
    headers = {"Content-Type": "application/json"} if sent is not None else {}
    body = fill(sent.decode()).encode() if sent is not None else None
    connection.request(request.method, fill(request.path), body, {**headers, **request.headers})
    answer = connection.getresponse()
    shown = {
        n.lower(): v for n, v in answer.getheaders() if n.lower() not in {"date", "content-length"}
    }
    content = answer.read()
    connection.close()
    return Answer(answer.status, shown, content)


def record_http(recording: Recording) -> None:
    """Write the answers of `citeloom serve`, and an ingest as a job."""
    port = free_port()
    log = recording.folder / "serve.log"
    with started("serve", "--port", str(port), stderr=log):
        until(lambda: _is_ready(port))
        for request in cases.HTTP:
            answer = ask_http(port, request, recording.fill)
            body = (request.sent or b"").decode()
            text = answer.text
            if request.path.endswith("/metrics"):
                text = re.sub(r"(?m)^(\w+(?:\{.*\})?) \S+$", r"\1 <n>", text)
                text = re.sub(r"(?m)^.*/ready.*\n", "", text)  # asked until the models are loaded
            head = f"{request.method} {request.path} {dict(request.headers) or ''}\n{body[:300]}\n"
            recording.write("http", request.title, f"{head}\n{text}")
            if "/chat" in request.path and (
                found := re.search(rb'"session_id": ?"([^"]+)"', answer.body)
            ):
                recording.set_session(found[1].decode())
        job = {"project": cases.PAPERS, "force": True, "sources": ["library/drying.md"]}
        begun = ask_http(port, cases.Request("POST", "/api/v1/jobs", job), str)
        address = begun.headers.get("location", "/api/v1/jobs/nothing")
        recording.write("http", "job begun", str(begun.status))

        def ended() -> Answer | None:
            answer = ask_http(port, cases.Request("GET", address), str)
            return None if re.search(rb'"state": ?"(?:queued|running)"', answer.body) else answer

        recording.write("http", "job ended", until(ended).text)
        events = ask_http(port, cases.Request("GET", f"{address}/events"), str)
        recording.write("http", "job events", events.text)
    recording.write("http", "log of the server", log.read_text(encoding="utf-8"))


def _is_ready(port: int) -> bool:
    try:
        return ask_http(port, cases.Request("GET", "/api/v1/ready"), str).status == http.client.OK
    except OSError:
        return False


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class JsonRpc:
    """A client of JSON-RPC over the pipes of a server; framed by lines, or by headers."""

    def __init__(self, server: subprocess.Popen[bytes], *, headed: bool) -> None:
        assert server.stdin is not None
        assert server.stdout is not None
        self._in, self._out = server.stdin, server.stdout
        self._headed = headed
        self._number = 0
        self.notices: list[dict[str, Any]] = []

    def send(self, method: str, params: Mapping[str, object] | None = None, **more: object) -> None:
        """Send a message."""
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}, **more}
        body = json.dumps(message).encode()
        head = f"Content-Length: {len(body)}\r\n\r\n".encode() if self._headed else b""
        self._in.write(head + body + (b"" if self._headed else b"\n"))
        self._in.flush()

    def ask(self, method: str, params: Mapping[str, object] | None = None) -> dict[str, Any]:
        """The answer to a request; what comes before is kept as notices."""
        self._number += 1
        self.send(method, params, id=self._number)
        while (message := self.receive()).get("id") != self._number or "method" in message:
            self.notices.append(message)
        return message

    def receive(self) -> dict[str, Any]:
        """The next message."""
        line = self._out.readline()
        if line and self._headed:
            length = int(line.partition(b":")[2])
            while self._out.readline().strip():
                pass
            line = self._out.read(length)
        if not line:
            raise ConnectionError("the server has ended")
        message: dict[str, Any] = json.loads(line)
        return message


def record_mcp(recording: Recording) -> None:
    """Write the answers of `citeloom mcp` over stdio, and an ingest as a job."""
    log = recording.folder / "mcp.log"
    with started("mcp", stderr=log) as server:
        client = JsonRpc(server, headed=False)
        begin = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "compare", "version": "1"},
        }
        recording.write("mcp", "initialize", indented(client.ask("initialize", begin)))
        client.send("notifications/initialized")
        for call in cases.MCP:
            asked = recording.fill(json.dumps(call.params))
            answer = client.ask(call.method, json.loads(asked))
            recording.write("mcp", call.title, f"{call.method} {asked[:300]}\n{indented(answer)}")
        call = cases.tool("ingest_from_source", source="library/drying.md", force=True)
        begun = client.ask(call.method, call.params)
        job = begun.get("result", {}).get("structuredContent", {}).get("job_id", "")
        call = cases.tool("ingest_status", job_id=job)

        def ended() -> dict[str, Any] | None:
            answer = client.ask(call.method, call.params)
            running = re.search(r'"state": ?"(?:queued|running)"', json.dumps(answer))
            return None if running else answer

        recording.write("mcp", "job ended", indented(until(ended)["result"]))
    recording.write("mcp", "log of the server", log.read_text(encoding="utf-8"))


def indented(value: object) -> str:
    """JSON with a line each value; JSON within it, too."""
    return json.dumps(value, ensure_ascii=False, indent=1).replace("\\n", "\n  ")


def record_lsp(recording: Recording) -> None:
    """Write what `citeloom lsp` says of a draft."""
    draft = recording.folder / "drafts" / "thesis.md"
    lines = draft.read_text(encoding="utf-8").splitlines()
    document = {"uri": draft.as_uri()}
    opened = {**document, "languageId": "markdown", "version": 1, "text": "\n".join(lines)}
    with started("lsp", "-p", cases.PAPERS, stderr=recording.folder / "lsp.log") as server:
        client = JsonRpc(server, headed=True)
        begun = client.ask("initialize", {"capabilities": {}, "processId": None, "rootUri": None})
        recording.write("lsp", "initialize", indented(begun))
        client.send("initialized")
        client.send("textDocument/didOpen", {"textDocument": opened})
        while (message := client.receive()).get("method") != "textDocument/publishDiagnostics":
            pass
        recording.write("lsp", "diagnostics", indented(message))
        for number, line in enumerate(lines):
            at = {"line": number, "character": len(line) // 2}
            for method in ("hover", "definition", "completion", "codeAction"):
                params: dict[str, object] = {"textDocument": document, "position": at}
                if method == "codeAction":
                    params = {
                        "textDocument": document,
                        "range": {"start": at, "end": at},
                        "context": {"diagnostics": []},
                    }
                answer = client.ask(f"textDocument/{method}", params)
                if answer.get("result") or "error" in answer:
                    recording.write("lsp", f"{method} line {number + 1}", indented(answer))
        client.ask("shutdown")
        client.send("exit")


# Python.


def record_python(recording: Recording) -> None:
    """Write the public names with their signatures, and what an open library returns."""
    import citeloom  # noqa: PLC0415 - of the tree that is recorded

    for name in dir(citeloom):
        value = getattr(citeloom, name)
        public = getattr(value, "__module__", "").startswith("citeloom")
        if public and not name.startswith("_") and not isinstance(value, ModuleType):
            recording.write("python/names", name, signatures(name, value))
    with citeloom.open_library(recording.folder) as library:
        names = {"library": library, "project": library.project(cases.PAPERS)}
        for expression in cases.PYTHON:
            try:
                value = plain(eval(recording.fill(expression), dict(names)))
            except Exception as error:  # noqa: BLE001 - an error is an answer, too
                value = {
                    "raised": type(error).__name__,
                    "message": str(error),
                    **plain_fields(error),
                }
            text = f"{expression}\n\n{json.dumps(value, ensure_ascii=False, indent=1)}"
            recording.write("python/calls", expression, text)


def signatures(name: str, value: Any) -> str:
    """A public name with its signature; of a class its bases, and its members with theirs."""
    if not isinstance(value, type):
        return f"{name}{signature(value)}\n{inspect.getdoc(value) or ''}"
    bases = ", ".join(base.__name__ for base in value.__mro__[1:] if base is not object)
    lines = [f"class {name}({bases}){signature(value)}", inspect.getdoc(value) or ""]
    if issubclass(value, Enum):
        lines += [f"{member.name} = {member.value!r}" for member in value]
    for member in dir(value):
        if member.startswith("_") or (issubclass(value, Enum) and member in dir(str)):
            continue
        found = inspect.getattr_static(value, member)
        actual = getattr(value, member)
        if isinstance(found, property):
            lines.append(f".{member} -> {returned(found)}")
        elif callable(actual):
            lines.append(f".{member}{signature(actual)}")
        elif isinstance(actual, str | int | float | bool | tuple | None):
            lines.append(f".{member} = {actual!r}")
        else:
            lines.append(f".{member}")
    lines += [f"{field}: {kind}" for field, kind in inspect.get_annotations(value).items()]
    return "\n".join(lines)


def returned(member: property) -> object:
    """The type of a property, as it is written."""
    return inspect.signature(member.fget).return_annotation if member.fget else "(?)"


def signature(value: Any) -> str:
    try:
        return re.sub(r" at 0x[0-9a-f]+", "", str(inspect.signature(value)))
    except (TypeError, ValueError):
        return "(?)"


def plain(value: object, depth: int = 0) -> Any:
    """A value as JSON: of an object everything that a program may read of it."""
    shown: Any
    match value:
        case Enum():
            shown = f"{type(value).__name__}.{value.name}"
        case None | bool() | int() | float() | str():
            shown = value
        case Path() | bytes():
            shown = str(value)
        case _ if depth > _DEEPEST:
            shown = type(value).__name__
        case dict() | MappingProxyType():
            shown = {str(key): plain(item, depth + 1) for key, item in value.items()}
        case set() | frozenset():
            shown = sorted((plain(item, depth + 1) for item in value), key=str)
        case list() | tuple() | Iterator():
            shown = [plain(item, depth + 1) for item in value]
        case _:
            shown = {"(type)": type(value).__name__, **plain_fields(value, depth + 1)}
    return shown


def plain_fields(value: object, depth: int = 0) -> dict[str, Any]:
    """The public attributes of an object that are no methods."""
    if not type(value).__module__.startswith("citeloom"):
        return {"(text)": str(value)}
    fields = {}
    for name in dir(value):
        if name.startswith("_"):
            continue
        try:
            field = getattr(value, name)
        except Exception as error:  # noqa: BLE001 - an attribute that raises is part of the answer
            field = f"raises {type(error).__name__}"
        if not callable(field):
            fields[name] = plain(field, depth)
    return fields


# All of it.


def record_reference(recording: Recording, tree: Path) -> None:
    """Write the pages of the reference as the tree's own script generates them."""
    made = subprocess.run(
        [sys.executable, tree / "scripts" / "make_reference.py"],
        cwd=tree,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if made.returncode:
        recording.write("reference", "failed", made.stderr)
    for page in sorted((tree / "docs" / "reference").glob("*.md")):
        recording.write("reference", page.stem, page.read_text(encoding="utf-8"))


def find_ids(recording: Recording) -> None:
    """Look up the passage and the document that cases refer to, whatever their keys are called."""
    passages = run(f'query "{cases.COLLAR}" -k 1 --json').out
    recording.ids["chunk"] = re.findall(r"\b[0-9a-f]{16}\b", passages)[0]
    documents = run("list --citekey marchettiFairQueuesShared2022 --json").out
    recording.ids["doc"] = re.findall(r"\b[0-9a-f]{32}\b", documents)[0]


def record_commands(recording: Recording, family: str, commands: tuple[cases.Command, ...]) -> None:
    """Write the outputs of some commands, in their order."""
    for command in commands:
        record_command(recording, family, command)
        if family == "chat" and "session" not in recording.ids:
            recording.set_session(re.findall(r"\b[0-9a-f]{12}\b", run("chat list").out)[0])


def record(recording: Recording, tree: Path) -> None:
    """Write everything; a part that breaks is written down as broken, and the next one follows."""
    steps: dict[str, Callable[[], None]] = {
        "help": partial(record_help, recording),
        "reference": partial(record_reference, recording, tree),
        "first": partial(record_commands, recording, "first", cases.FIRST),
        "ids": partial(find_ids, recording),
        **{
            family: partial(record_commands, recording, family, commands)
            for family, commands in cases.COMMANDS.items()
        },
        "python": partial(record_python, recording),
        "lsp": partial(record_lsp, recording),
        "mcp": partial(record_mcp, recording),
        "http": partial(record_http, recording),
        "last": partial(record_commands, recording, "last", cases.LAST),
    }
    for name, step in steps.items():
        began = time.monotonic()
        try:
            step()
        except Exception:  # noqa: BLE001 - the other parts are to be compared all the same
            recording.write("broken", name, traceback.format_exc())
        print(f"  {name}: {time.monotonic() - began:.1f} s", file=sys.stderr)


def main(arguments: list[str]) -> None:
    tree, outputs = map(Path, arguments)
    folder = Path(tempfile.mkdtemp(prefix="library-")).resolve()
    try:
        make_compared_library(folder)
        with serving() as chat:
            served = (folder / "citeloom.toml").read_text(encoding="utf-8")
            for name, port in (("served", chat.port), ("refused", free_port())):
                text = served + _SERVED.format(port=port)
                (folder / f"{name}.toml").write_text(text, encoding="utf-8")
            os.chdir(folder)
            os.environ.update(
                CITELOOM_MODELS__CACHE_DIR=str(folder / "models"), HOME=str(folder / "home")
            )
            places = {str(folder): "<library>", str(tree): "<tree>", sys.prefix: "<environment>"}
            record(Recording(folder, outputs, Cleaner(places), chat), tree)
    finally:
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
