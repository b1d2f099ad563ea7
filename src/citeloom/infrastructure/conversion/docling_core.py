"""docling_core without pandas, which it needs only to give a table as a data frame."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _DataFrame:
    """The class that docling_core names in annotations; called, it makes a frame of pandas."""

    def __new__(cls, *args: Any, **options: Any) -> Any:
        return import_module("pandas").DataFrame(*args, **options)


class _Pandas(ModuleType):
    DataFrame = _DataFrame

    def __getattr__(self, name: str) -> Any:
        _remove(self)
        return getattr(import_module("pandas"), name)


def _remove(module: ModuleType) -> None:
    if sys.modules.get("pandas") is module:
        del sys.modules["pandas"]


def load_docling_core() -> None:
    """Load it so that pandas is not, which would take a third of a second and 100 MB in each
    process that converts.
    """
    pandas = _Pandas("pandas")
    sys.modules.setdefault("pandas", pandas)
    try:
        import_module("docling_core.types.doc")
    finally:
        _remove(pandas)
