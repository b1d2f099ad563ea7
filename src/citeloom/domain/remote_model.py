"""An embedding model that a service runs."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteModel:
    """A model whose texts are sent to `endpoint`.

    `inputs` says by which family of services and how passages and questions are told apart; vectors
    made with other inputs are not comparable. `dimension` is None where it is not configured.
    """

    endpoint: str
    inputs: str
    dimension: int | None = None

    @property
    def host(self) -> str:
        """The host of the service, with its port where the address names one."""
        return urlsplit(self.endpoint).netloc
