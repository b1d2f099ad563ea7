"""FastEmbed's other models by name: from the cache, or from the hub if it can be reached."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.models import ModelKind
from citeloom.domain.errors import ModelUnavailable

if TYPE_CHECKING:
    from fastembed.common.model_description import BaseModelDescription

PROBE_SECONDS = 3.0

_NAMES_SUGGESTED = 3


class HubModels:
    """Folders of the models FastEmbed lists.

    A cached model is used without network access. A hub that does not answer within
    `PROBE_SECONDS` counts as unreachable; with `HF_HUB_OFFLINE=1` it is never asked.
    """

    def __init__(self, cache: Path, answers: Callable[[], bool] | None = None) -> None:
        self.cache = cache
        self._answers = answers or hub_answers

    def folder(self, model_id: str, kind: ModelKind) -> Path:
        """The model's folder, downloaded if missing. Raises `ModelUnavailable`."""
        description = describe(model_id, kind)
        cached = self.cached(description)
        if cached is not None:
            return cached
        if is_offline():
            raise ModelUnavailable(
                f"{model_id} is not in {self.cache}, and HF_HUB_OFFLINE forbids a download",
                "Unset HF_HUB_OFFLINE and run once with network; later runs need none.",
            )
        if not self._answers():
            raise ModelUnavailable(
                f"{model_id} is not in {self.cache}, and the model hub cannot be reached",
                "Run once with network; later runs need none.",
            )
        try:
            return _fetch(description, self.cache, local_files_only=False)
        except (OSError, ValueError) as error:
            raise ModelUnavailable(
                f"{description.model} could not be downloaded: {error}",
                "Try again later, or choose another model: citeloom models lists them.",
            ) from error

    def cached(self, description: BaseModelDescription) -> Path | None:
        """The model's folder if it is on this machine already."""
        if not self.cache.is_dir():
            return None
        try:
            return _fetch(description, self.cache, local_files_only=True)
        except ValueError:
            return None


def is_offline() -> bool:
    """Whether the environment forbids requests to the hub, read as FastEmbed reads it."""
    return os.environ.get("HF_HUB_OFFLINE", "").strip().upper() in {"1", "TRUE", "YES", "ON"}


def hub_answers() -> bool:
    """Whether the hub answers within `PROBE_SECONDS`, name resolution included."""
    from huggingface_hub.constants import ENDPOINT  # noqa: PLC0415 - FastEmbed loads it anyway

    outcome: queue.Queue[bool] = queue.Queue()
    threading.Thread(target=lambda: outcome.put(_answers(ENDPOINT)), daemon=True).start()
    try:
        return outcome.get(timeout=PROBE_SECONDS)
    except queue.Empty:
        return False


def describe(model_id: str, kind: ModelKind) -> BaseModelDescription:
    """FastEmbed's description of a model. Raises `ModelUnavailable` with the nearest names."""
    known = {description.model.lower(): description for description in descriptions(kind)}
    if model_id.lower() in known:
        return known[model_id.lower()]
    near = get_close_matches(model_id.lower(), known, n=_NAMES_SUGGESTED, cutoff=0.0)
    raise ModelUnavailable(
        f"FastEmbed has no {kind.value} model named '{model_id}'",
        f"Nearest names: {', '.join(known[name].model for name in near)}.",
    )


def descriptions(kind: ModelKind) -> list[BaseModelDescription]:
    """FastEmbed's descriptions of all models of a kind."""
    from fastembed import SparseTextEmbedding, TextEmbedding  # noqa: PLC0415 - half a second
    from fastembed.rerank.cross_encoder import TextCrossEncoder  # noqa: PLC0415 - as above

    if kind is ModelKind.DENSE:
        return [*TextEmbedding._list_supported_models()]
    if kind is ModelKind.SPARSE:
        return [*SparseTextEmbedding._list_supported_models()]
    return [*TextCrossEncoder._list_supported_models()]


def _answers(url: str) -> bool:
    import urllib.error  # noqa: PLC0415 - a question of a model that is here asks nobody
    import urllib.request  # noqa: PLC0415 - as above

    request = urllib.request.Request(url, method="HEAD")  # noqa: S310 - the hub's own address
    try:
        with urllib.request.urlopen(request, timeout=PROBE_SECONDS):  # noqa: S310 - as above
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def _fetch(description: BaseModelDescription, cache: Path, *, local_files_only: bool) -> Path:
    from fastembed.common.model_management import ModelManagement  # noqa: PLC0415 - as above
    from loguru import logger  # noqa: PLC0415 - as above

    logger.disable("fastembed")  # it logs to stderr the errors it also raises
    return ModelManagement.download_model(
        description, str(cache), retries=1, local_files_only=local_files_only
    )
