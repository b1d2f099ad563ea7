"""Decoders of typed values, made by one thread at a time."""

from __future__ import annotations

from threading import Lock
from typing import Any

import msgspec

_making = Lock()
_made: dict[Any, msgspec.msgpack.Decoder[Any]] = {}


def decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    """The decoder of a type, the same every time.

    msgspec remembers a class before it has gone through its fields, and another thread that meets
    the class then crashes the process. So every class that threads share is first seen here.
    """
    with _making:
        if kind not in _made:
            _made[kind] = msgspec.msgpack.Decoder(kind)
        return _made[kind]
