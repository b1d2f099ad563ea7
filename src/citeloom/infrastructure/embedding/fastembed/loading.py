"""Errors of loading a model's files as `ModelUnavailable`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from citeloom.domain.errors import ModelUnavailable


@contextmanager
def loading(model_id: str, folder: Path) -> Iterator[None]:
    """Raise `ModelUnavailable` where the files in `folder` cannot be loaded."""
    from onnxruntime.capi import (  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy
        onnxruntime_pybind11_state as runtime,
    )

    try:
        yield
    except (
        OSError,
        ValueError,
        runtime.Fail,
        runtime.InvalidGraph,
        runtime.InvalidProtobuf,
        runtime.NoSuchFile,
        runtime.RuntimeException,
    ) as error:
        raise ModelUnavailable(
            f"{model_id} cannot be loaded: {error}", f"Delete {folder} and run again."
        ) from error
