"""Paths that come from another program, held within the folders it may name."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from citeloom.domain.errors import NotFound, PathNotAllowed

_HINT = (
    "Name a file or folder below the sources of the project in citeloom.toml, "
    "or below [server] roots."
)


def allowed_path(path: str, roots: Sequence[Path], base: Path) -> Path:
    """The absolute path of a regular file or a folder at or below one of `roots`.

    Relative paths start at `base`. Nothing but a root may be a symbolic link, and `..` is no way
    out. Raises `PathNotAllowed`, and `NotFound` for nothing at a place that is allowed.
    """
    if "\0" in path or not path.strip() or ".." in Path(path).parts:
        raise _refused(path)
    named = Path(os.path.normpath(base / path))
    for root in roots:
        if named.is_relative_to(root):
            return _checked(path, root, named)
        if named.is_relative_to(root.resolve()):
            return _checked(path, root.resolve(), named)
    raise _refused(path)


def _checked(path: str, root: Path, named: Path) -> Path:
    """The path, each step of which was looked at."""
    mode = 0
    for step in _steps(root, named):
        try:
            mode = (step.stat() if step == root else step.lstat()).st_mode
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound(f"there is no '{path}'", _HINT) from None
        except OSError as error:
            raise _refused(path) from error
        if stat.S_ISLNK(mode):
            raise _refused(path)
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise _refused(path)
    return named


def _steps(root: Path, named: Path) -> Iterator[Path]:
    """The root and everything on the way down from it."""
    step = root
    yield step
    for part in named.relative_to(root).parts:
        step /= part
        yield step


def _refused(path: str) -> PathNotAllowed:
    return PathNotAllowed(f"the path {path!a} may not be read from here", _HINT)
