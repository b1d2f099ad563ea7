"""Parts built when they are first asked for, and closed in reverse order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import RLock
from typing import Protocol, TypeVar, cast

T = TypeVar("T")


class Closable(Protocol):
    """Something that holds a file, a lock or a connection until it is closed."""

    def close(self) -> None:
        """Close it. May be called twice."""
        ...


C = TypeVar("C", bound=Closable)


class Resources:
    """Each part once, by name, whichever thread asks first."""

    def __init__(self) -> None:
        self._built: dict[str, object] = {}
        self._stack = ExitStack()
        self._lock = RLock()

    def get(self, name: str, build: Callable[[], T]) -> T:
        """The part of that name, built now if nobody has asked for it before."""
        with self._lock:
            if name not in self._built:
                self._built[name] = build()
            return cast("T", self._built[name])

    def opened(self, name: str, build: Callable[[], C]) -> C:
        """As `get`, for a part that `close` closes."""

        def build_and_keep() -> C:
            part = build()
            self._stack.callback(part.close)
            return part

        return self.get(name, build_and_keep)

    def __iter__(self) -> Iterator[str]:
        """The names of what was built."""
        return iter(tuple(self._built))

    def close(self) -> None:
        """Close what was opened, the last one first; what is asked for afterwards is built anew."""
        with self._lock:
            self._built.clear()
            self._stack.close()
