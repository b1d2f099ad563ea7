"""What a start of the command line may not load, since it would be waited for."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "docling",
    "docling_core",
    "docling_parse",
    "fastembed",
    "numpy",
    "onnx",
    "onnxruntime",
    "pandas",
    "pydantic",
    "qdrant_client",
    "qdrant_edge",
    "scipy",
    "structlog",
    "tokenizers",
}
START = """
import json, sys
from citeloom.infrastructure.interfaces.cli.app import main
sys.argv = ["citeloom", *sys.argv[1:]]
try:
    main()
except SystemExit as ended:
    code = ended.code or 0
else:
    code = 0
json.dump({"code": code, "modules": sorted(sys.modules)}, sys.stderr)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["query", "--help"], ["ingest", "--help"]])
def test_help_loads_no_heavy_library(arguments: list[str]) -> None:
    result = subprocess.run(
        [sys.executable, "-c", START, *arguments],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    started = json.loads(result.stderr.splitlines()[-1])
    assert "Usage" in result.stdout
    assert started["code"] == 0
    assert HEAVY & set(started["modules"]) == set()
