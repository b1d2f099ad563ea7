"""An embedding model that a service runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteModel:
    """A model whose texts are sent to `endpoint`.

    `inputs` says by which family of services and how passages and questions are told apart; vectors
    made with other inputs are not comparable. `dimension` is None where it is not configured.
    """

    endpoint: str
    inputs: str
    dimension: int | None = None
