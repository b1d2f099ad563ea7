"""The model cache of this machine: folders, builds, loading and fetching."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from citeloom.application.models import ModelKind
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.embedding.fastembed.hub import HubModels, descriptions
from citeloom.infrastructure.embedding.fastembed.minilm import (
    INSTALL_HINT,
    MODEL_ID,
    WEIGHTS_SHA256,
    WeightsLocator,
    build_minilm,
    is_int8,
    is_minilm,
    packaged_weights,
    sha256_of,
)


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


T = TypeVar("T")


class LoadedOnce(Generic[T]):
    """What `load` returns, loaded at its first use, whichever thread that is in."""

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._loaded: T | None = None
        self._lock = Lock()

    @property
    def is_loaded(self) -> bool:
        return self._loaded is not None

    def __call__(
        self, waiting_for: Callable[[Lock], AbstractContextManager[object]] = lambda lock: lock
    ) -> T:
        """The value, whose lock another thread may have while it loads it."""
        with waiting_for(self._lock):
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded


# A stamp file with sizes and checksums, which shows damage to a folder's files.

STAMP_FILE = "stamp.json"


def write_stamp(folder: Path) -> None:
    """Record the current files of the folder."""
    names = sorted(path.name for path in folder.iterdir() if path.name != STAMP_FILE)
    records = [asdict(_record(folder / name, sha256_of(folder / name))) for name in names]
    draft = folder / f"{STAMP_FILE}.new"
    draft.write_text(json.dumps(records, indent=1), encoding="utf-8")
    draft.replace(folder / STAMP_FILE)


def is_untouched(folder: Path) -> bool:
    """Whether every recorded file has its recorded size and modification time. Reads no file."""
    records = _read(folder)
    return bool(records) and all(
        (path := folder / entry.name).is_file() and _record(path, entry.sha256) == entry
        for entry in records
    )


def is_intact(folder: Path) -> bool:
    """Whether every recorded file has the recorded SHA-256. Reads every file."""
    records = _read(folder)
    return bool(records) and all(
        (folder / entry.name).is_file() and sha256_of(folder / entry.name) == entry.sha256
        for entry in records
    )


@dataclass(frozen=True, slots=True)
class _Record:
    name: str
    sha256: str
    size: int
    mtime_ns: int


def _record(path: Path, sha256: str) -> _Record:
    status = path.stat()
    return _Record(path.name, sha256, status.st_size, status.st_mtime_ns)


def _read(folder: Path) -> list[_Record]:
    """The records; none without a readable stamp, so that the files are not trusted."""
    try:
        entries = json.loads((folder / STAMP_FILE).read_text(encoding="utf-8"))
        return [_Record(**entry) for entry in entries]
    except (OSError, ValueError, TypeError):
        return []


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
            if (source := self._locate()) is None:
                return None
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


class ModelCache:
    """The models of this machine.

    They are in `root`, by default the user's cache folder; FastEmbed's downloads are in
    `root/hub`, or in `FASTEMBED_CACHE_PATH`.
    """

    def __init__(self, root: Path | None = None, locate: WeightsLocator = packaged_weights) -> None:
        models = (root or _of_the_user()) / "models"
        self.minilm = BuiltModel(models, locate)
        self.minilm_int8 = BuiltModel(models, locate, int8=True)
        self.hub = HubModels(Path(os.environ.get("FASTEMBED_CACHE_PATH") or models / "hub"))

    def folder(self, model_id: str, kind: ModelKind) -> Path:
        """The folder FastEmbed can load the model from, built or downloaded if missing.

        Raises `ModelUnavailable` without delay if that is impossible.
        """
        if kind is ModelKind.DENSE and is_int8(model_id):
            if folder := self.minilm_int8.folder():
                return folder
            raise ModelUnavailable(
                f"{model_id} is made of weights whose package is not installed",
                f"Install the weights: {INSTALL_HINT}",
            )
        if kind is ModelKind.DENSE and is_minilm(model_id):
            if folder := self.minilm.folder():
                return folder
            try:
                return self.hub.folder(model_id, kind)
            except ModelUnavailable as error:
                raise ModelUnavailable(
                    f"{error.message}; the package with its weights is not installed",
                    f"Install the weights: {INSTALL_HINT}",
                ) from error
        return self.hub.folder(model_id, kind)

    def is_built(self, folder: Path) -> bool:
        """Whether a folder is one of those that are built here, not downloaded."""
        return folder in (self.minilm.path, self.minilm_int8.path)


def _of_the_user() -> Path:
    try:
        return user_cache_path("citeloom")
    except RuntimeError as error:
        raise ModelUnavailable(
            "nothing says where the home folder with the models is",
            "Set HOME, or cache_dir under [models].",
        ) from error


def fetch_model(name: str, *, cache_dir: Path | None = None) -> None:
    """Download one of FastEmbed's models into the cache, unless it is there.

    Raises `ModelUnavailable` for an unknown name, and where it cannot be downloaded.
    """
    for kind in ModelKind:
        if name.lower() in {description.model.lower() for description in descriptions(kind)}:
            ModelCache(cache_dir).folder(name, kind)
            return
    raise ModelUnavailable(
        f"FastEmbed has no model named '{name}'", "citeloom models --all lists them."
    )
