"""Commands run where there is no network, with every address they speak to recorded by strace."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

REQUIRED = "CITELOOM_REQUIRE_STRACE"
"""Set in the environment, a test fails where strace is missing or may not trace."""
DNS = 53
_CALLS = "bind,connect,sendto,sendmsg,sendmmsg"
_INTERNET = re.compile(
    r"sa_family=AF_INET6?, sin6?_port=htons\((\d+)\)(?:, sin6_flowinfo=htonl\(\d+\))?, "
    r'(?:sin_addr=inet_addr\("|inet_pton\(AF_INET6, ")([^"]+)'
)
_LOCAL = re.compile(r'sa_family=AF_UNIX, sun_path=(@?)"([^"]+)')
_NAMESPACE = ("unshare", "--map-root-user", "--net")
_PATIENCE = 240
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


def untraceable() -> str | None:
    """Why no command can be traced here, if so."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run(["strace", "true"], capture_output=True, text=True, check=False)
    return f"strace may not trace: {tried.stderr.strip()}" if tried.returncode else None


def traced(
    command: Sequence[str], record: Path, *, env: Mapping[str, str], cwd: Path, stdin: str = ""
) -> str:
    """What a command prints, run without a network where that is allowed; `record` is the trace
    of what it and all its processes do with sockets.
    """
    can = subprocess.run([*_NAMESPACE, "true"], capture_output=True, check=False).returncode == 0
    tracing = ("strace", "-f", "--seccomp-bpf", "-qq", "-e", f"trace={_CALLS}", "-o", str(record))
    with subprocess.Popen(
        [*(_NAMESPACE if can else ()), *tracing, *command],
        cwd=cwd,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(stdin, _PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert process.returncode == 0, err
    return out


UUIDD = Path("/run/uuidd/request")
"""The daemon of this machine that libuuid asks for ids by time, which ONNX names a file by."""


def contacts(record: Path, own: Path) -> Iterator[str]:
    """The calls that reach for anything but loopback or a socket below `own`: another machine, a
    name server wherever it is, or a service of this machine.
    """
    for line in record.read_text(encoding="utf-8", errors="replace").splitlines():
        for port, address in _INTERNET.findall(line):
            if int(port) == DNS or not (address == "::1" or address.startswith("127.")):
                yield line
        for abstract, path in _LOCAL.findall(line):
            if abstract or not (Path(own, path).is_relative_to(own) or Path(path) == UUIDD):
                yield line


# Within the namespace.


def main() -> None:
    """Run the commands that stdin names, then `serve` with a question over HTTP, and print how each
    ended as JSON.
    """
    raise_loopback()
    asked = json.load(sys.stdin)
    outcomes = [_outcome(asked["citeloom"], arguments) for arguments in asked["commands"]]
    outcomes.append(_served(asked["citeloom"], asked["question"]))
    json.dump(outcomes, sys.stdout)


def raise_loopback() -> None:
    """Bring up `lo`, which is down in a new namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", b"lo", 0)
        name, flags = struct.unpack("16sH14x", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))
        if not flags & _IFF_UP:
            fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14x", name, flags | _IFF_UP))


def _outcome(citeloom: Sequence[str], arguments: Sequence[str]) -> dict[str, Any]:
    done = subprocess.run(
        [*citeloom, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    return {"code": done.returncode, "out": done.stdout, "err": done.stderr}


def _served(citeloom: Sequence[str], question: object) -> dict[str, Any]:
    with subprocess.Popen(
        [*citeloom, "serve", "--port", "0"],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr is not None
        said = ""
        while not (found := re.search(r"(http://\S+)/api/docs", said)):
            line = server.stderr.readline()
            assert line, said
            said += line
        try:
            answer = _answer(f"{found[1]}/api/v1/query", question)
        finally:
            server.terminate()
        said += server.stderr.read()
    return {"code": server.returncode, "out": answer, "err": said}


def _answer(url: str, question: object) -> str:
    body = json.dumps(question).encode()
    request = Request(url, body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=_PATIENCE) as reply:
        text: str = reply.read().decode()
        return text


if __name__ == "__main__":
    main()
