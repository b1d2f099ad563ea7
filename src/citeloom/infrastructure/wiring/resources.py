"""Resources built at first use and closed in reverse order."""

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
    """Builds each resource once, by name, and thread-safely."""

    def __init__(self) -> None:
        self._built: dict[str, object] = {}
        self._stack = ExitStack()
        self._lock = RLock()

    def get(self, name: str, build: Callable[[], T]) -> T:
        """The resource of that name, built at first use."""
        with self._lock:
            if name not in self._built:
                self._built[name] = build()
            return cast("T", self._built[name])

    def opened(self, name: str, build: Callable[[], C]) -> C:
        """As `get`, for a resource that `close` closes."""

        def build_and_keep() -> C:
            part = build()
            self._stack.callback(part.close)
            return part

        return self.get(name, build_and_keep)

    def __iter__(self) -> Iterator[str]:
        """The names of the resources built so far."""
        return iter(tuple(self._built))

    def close(self) -> None:
        """Close all resources, the last one first; a later `get` builds them again.

        A resource may wait for a thread that gets another one meanwhile.
        """
        with self._lock:
            self._built.clear()
            opened, self._stack = self._stack, ExitStack()
        opened.close()
