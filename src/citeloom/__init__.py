"""A research library that answers with passages you can cite to the page.

    import citeloom

    with citeloom.open_library("thesis/") as library:
        for passage in library.project("me/thesis").query("How do graders agree?").passages:
            print(passage.citation, passage.text)

Each public name stands in `__init__.pyi`, and loads what it needs when it is first used.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

os.environ.update(
    {
        "ORT_DISABLE_TELEMETRY": "1",  # read when ONNX Runtime is imported
        "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface_hub, and hf_xet with it
    }
)
"""Nothing leaves the machine, in this process and those it starts, whatever the variables were."""


@cache
def _modules() -> dict[str, str]:
    """The public names, each with the module that its line of the stub imports it from."""
    from pathlib import Path

    lines = Path(__file__).with_suffix(".pyi").read_text("utf-8").splitlines()
    imports = (line.split() for line in lines if line.startswith("from "))
    return {name: module for _, module, _, name, *_ in imports}


def __getattr__(name: str) -> object:
    if name.startswith("__") or name not in _modules():
        raise AttributeError(f"module 'citeloom' has no attribute '{name}'")
    value: object = getattr(import_module(_modules()[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_modules()})
