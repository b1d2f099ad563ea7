"""The image, the compose file and the unit keep what they promise."""

from __future__ import annotations

import plistlib
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.architecture.repository import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
UNIT, SYNC_UNIT = (
    (ROOT / "deploy" / name).read_text(encoding="utf-8")
    for name in ("citeloom.service", "citeloom-sync.service")
)
AGENT: dict[str, Any] = plistlib.loads((ROOT / "deploy" / "org.citeloom.sync.plist").read_bytes())


def instructions() -> list[tuple[str, str]]:
    """Each instruction of the image with what follows it, comments and line ends left out."""
    lines = [line for line in DOCKERFILE.splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in joined.splitlines() if line.strip()]  # type: ignore[misc]


def of(name: str) -> list[str]:
    return [text for instruction, text in instructions() if instruction == name]


def test_the_base_image_can_be_named_by_its_digest() -> None:
    assert [text.split()[0] for text in of("FROM")] == ["${PYTHON_IMAGE}"] * 2
    assert of("ARG")[0] == "PYTHON_IMAGE=python:3.12-slim"
    for service in COMPOSE["services"].values():
        named = service.get("image") or service["build"]["args"]["PYTHON_IMAGE"]
        assert re.fullmatch(r"\$\{CITELOOM_\w+_IMAGE:-[\w/.-]+:[\w.-]+\}", named)
        assert "latest" not in named


def test_the_image_runs_as_a_user_of_its_own_and_asks_whether_it_is_ready() -> None:
    last = [name for name, _ in instructions()]
    assert of("USER") == ["10001:10001"]
    assert last.index("USER") > last.index("RUN", last.index("FROM", last.index("FROM") + 1))
    (check,) = of("HEALTHCHECK")
    assert "/api/v1/ready" in check
    assert of("ENTRYPOINT") == ['["citeloom"]']


def test_packages_leave_no_lists_behind_and_bring_no_others() -> None:
    (installing,) = (text for text in of("RUN") if "apt-get install" in text)
    assert "--no-install-recommends" in installing
    assert "rm -rf /var/lib/apt/lists/*" in installing
    assert "tesseract-ocr" in shlex.split(installing.replace("$(", "").replace(")", ""))


def test_every_library_is_installed_by_its_hash() -> None:
    installs = [part for text in of("RUN") for part in text.split("&&") if "pip install" in part]
    assert installs
    for command in installs:
        assert "--require-hashes" in command or "/wheels/" in command
    for file in re.findall(r"-r (\S+\.txt)", " ".join(of("RUN"))):
        assert (ROOT / file).is_file()


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_a_container_may_do_only_what_it_needs(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["pids_limit"] > 0
    assert service["mem_limit"]
    assert service["tmpfs"]


def test_what_the_compose_file_names_is_declared() -> None:
    for service in COMPOSE["services"].values():
        named = {one["source"] for one in service["volumes"] if one["type"] == "volume"}
        assert named <= COMPOSE["volumes"].keys()
        assert {*service["networks"]} <= COMPOSE["networks"].keys()
        assert {*service.get("depends_on", ())} <= COMPOSE["services"].keys()
    assert COMPOSE["networks"]["inside"]["internal"] is True
    assert COMPOSE["services"]["citeloom"]["ports"] == ["127.0.0.1:8484:8484"]
    assert "ports" not in COMPOSE["services"]["qdrant"]


@pytest.mark.parametrize("unit", [UNIT, SYNC_UNIT], ids=["serve", "sync"])
def test_the_unit_protects_the_system_and_can_write_its_library(unit: str) -> None:
    settings = dict(
        line.split("=", 1) for line in unit.splitlines() if "=" in line and line[0] != "#"
    )
    assert settings["ProtectSystem"] == "strict"
    assert settings["PrivateTmp"] == "yes"
    assert settings["NoNewPrivileges"] == "yes"
    assert f"Environment=TMPDIR=%t/{settings['RuntimeDirectory']}\n" in unit
    assert settings["WorkingDirectory"] in settings["ReadWritePaths"].split()
    assert {"MemoryMax", "TasksMax"} <= settings.keys()


@pytest.mark.parametrize("name", ["HF_HUB_DISABLE_TELEMETRY", "ORT_DISABLE_TELEMETRY"])
def test_no_library_reports_to_its_maker(name: str) -> None:
    assert f"{name}=1" in " ".join(of("ENV")).split()
    assert COMPOSE["services"]["citeloom"]["environment"][name] == "1"
    for unit in (UNIT, SYNC_UNIT):
        assert f"{name}=1" in unit.replace("Environment=", "").split()


def test_the_unit_and_the_agent_follow_zotero_and_start_again_where_that_fails() -> None:
    assert "ExecStart=%h/.local/bin/citeloom sync --watch\nRestart=on-failure\n" in SYNC_UNIT
    assert [Path(AGENT["ProgramArguments"][0]).name, *AGENT["ProgramArguments"][1:]] == [
        "citeloom",
        "sync",
        "--watch",
    ]
    assert AGENT["KeepAlive"] == {"SuccessfulExit": False}
