"""The versions of the packages that may change results."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = (
    "citeloom",
    "docling-parse",
    "docling-slim",
    "fastembed",
    "ir-measures",
    "onnxruntime",
    "pytrec-eval-terrier",
    "qdrant-client",
    "qdrant-edge-py",
    "tokenizers",
)


def installed_versions() -> dict[str, str]:
    """The versions of Python and of each installed package that matters."""
    return {"python": platform.python_version(), **dict(filter(None, map(_version, _PACKAGES)))}


def _version(package: str) -> tuple[str, str] | None:
    try:
        return package, version(package)
    except PackageNotFoundError:
        return None
