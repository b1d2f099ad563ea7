"""The default model, built once into the user's cache."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from filelock import FileLock, Timeout

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.embedding.fastembed.minilm import (
    MODEL_ID,
    WEIGHTS_SHA256,
    WeightsLocator,
    build_minilm,
)
from citeloom.infrastructure.embedding.fastembed.stamp import is_intact, is_untouched, write_stamp

# Incremented whenever the files built from the same weights change.
_BUILD = 1
_INT8_BUILD = 2
_LOCK_SECONDS = 120.0


class BuiltModel:
    """The folder FastEmbed loads the default model from.

    `folder` builds it from the packaged weights if it is missing or damaged. The folder appears
    complete or not at all: two processes never build at once, and a killed build leaves nothing
    that is used. The quantised form, `int8`, is made of the same weights and has a folder of its
    own.
    """

    def __init__(self, root: Path, locate: WeightsLocator, *, int8: bool = False) -> None:
        form, build = ("-int8", _INT8_BUILD) if int8 else ("", _BUILD)
        self._int8 = int8
        self._name = f"all-MiniLM-L6-v2{form}-{WEIGHTS_SHA256[:8]}-{build}"
        self._root = root
        self._locate = locate

    @property
    def path(self) -> Path:
        """Where the folder is, or will be."""
        return self._root / self._name

    def folder(self) -> Path | None:
        """The folder, built if missing; None if it cannot be built since the packaged weights are
        not installed. Raises `ModelUnavailable` when building fails.
        """
        if is_untouched(self.path):
            return self.path
        try:
            return self._build_alone()
        except Timeout as error:
            raise ModelUnavailable(
                f"another process has been building {MODEL_ID} for over {_LOCK_SECONDS:.0f} s",
                f"Wait for it, or stop it; its lock is {self._lock_path}.",
            ) from error
        except OSError as error:
            raise ModelUnavailable(
                f"{MODEL_ID} cannot be kept in {self._root}: {error}",
                "Free 90 MB of space, or set cache_dir in [models] to a writable folder.",
            ) from error

    def is_usable(self) -> bool:
        """Whether `folder` would return a folder, judged without building."""
        return is_untouched(self.path) or is_intact(self.path) or self._locate() is not None

    @property
    def _lock_path(self) -> Path:
        return self._root / f"{self._name}.lock"

    def _build_alone(self) -> Path | None:
        self._root.mkdir(parents=True, exist_ok=True)
        with FileLock(self._lock_path, timeout=_LOCK_SECONDS):
            if is_untouched(self.path):
                return self.path
            if is_intact(self.path):
                write_stamp(self.path)
                return self.path
            source = self._locate()
            return None if source is None else self._build(source)

    def _build(self, source: Path) -> Path:
        prefix = f"{self._name}.building-"
        for leftover in self._root.glob(f"{prefix}*"):
            shutil.rmtree(leftover)
        with tempfile.TemporaryDirectory(prefix=prefix, dir=self._root) as scratch:
            fresh = Path(scratch, "fresh")
            fresh.mkdir()
            build_minilm(source, fresh, int8=self._int8)
            write_stamp(fresh)
            if self.path.exists():
                self.path.replace(Path(scratch, "damaged"))
            fresh.replace(self.path)
        return self.path
