"""Paths from other programs: held within the roots, whatever they are written like."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.errors import NotFound, PathNotAllowed
from citeloom.infrastructure.filesystem.source_files import allowed_path


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "library" / "deep").mkdir(parents=True)
    (tmp_path / "library" / "deep" / "a.pdf").write_bytes(b"%PDF")
    (tmp_path / "library" / "b.pdf").write_bytes(b"%PDF")
    (tmp_path / "secret.pdf").write_bytes(b"%PDF")
    (tmp_path / "library-of-others").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    "path", ["library", "library/", "./library/b.pdf", "library/deep", "library//deep/a.pdf"]
)
def test_what_lies_below_a_root_is_allowed(base: Path, path: str) -> None:
    wanted = base / path
    assert allowed_path(path, [base / "library"], base) == wanted
    assert allowed_path(str(wanted), [base / "other", base / "library"], base) == wanted


@pytest.mark.parametrize(
    "path",
    [
        "",
        " ",
        ".",
        "..",
        "secret.pdf",
        "library/../secret.pdf",
        "library/deep/../b.pdf",
        "library-of-others",
        "/etc/passwd",
        "/",
        "~/b.pdf",
        "library/b.pdf\0.pdf",
        "file:///etc/passwd",
        "/dev/zero",
        "/proc/self/environ",
    ],
)
def test_what_does_not_is_refused(base: Path, path: str) -> None:
    with pytest.raises(PathNotAllowed):
        allowed_path(path, [base / "library"], base)


def test_without_roots_nothing_is_allowed(base: Path) -> None:
    with pytest.raises(PathNotAllowed):
        allowed_path("library/b.pdf", [], base)


def test_links_are_refused_wherever_they_stand_and_lead(base: Path) -> None:
    library = base / "library"
    (library / "out.pdf").symlink_to(base / "secret.pdf")
    (library / "within.pdf").symlink_to(library / "b.pdf")
    (library / "up").symlink_to(base)
    for path in ("out.pdf", "within.pdf", "up", "up/secret.pdf", "up/library/b.pdf"):
        with pytest.raises(PathNotAllowed):
            allowed_path(f"library/{path}", [library], base)


def test_a_root_may_be_a_link_and_be_named_either_way(base: Path) -> None:
    (base / "papers").symlink_to(base / "library")
    for path in ("papers/b.pdf", "library/b.pdf"):
        assert allowed_path(path, [base / "papers"], base) == base / path


@pytest.mark.skipif(os.name != "posix", reason="named pipes are files on POSIX only")
def test_pipes_are_refused_without_being_opened(base: Path) -> None:
    os.mkfifo(base / "library" / "pipe.pdf")
    with pytest.raises(PathNotAllowed):
        allowed_path("library/pipe.pdf", [base / "library"], base)


@pytest.mark.parametrize("path", ["library/none.pdf", "library/b.pdf/more", "library/" + "n" * 200])
def test_nothing_at_an_allowed_place_is_not_found(base: Path, path: str) -> None:
    with pytest.raises(NotFound):
        allowed_path(path, [base / "library"], base)


def test_a_name_no_system_takes_is_refused(base: Path) -> None:
    with pytest.raises(PathNotAllowed):
        allowed_path("library/" + "n" * 300, [base / "library"], base)


PARTS = st.sampled_from(["library", "deep", "a.pdf", "..", ".", "", "/", "~", "up", "\\", "etc"])


@given(st.lists(PARTS, max_size=8), st.booleans())
def test_no_path_leads_out(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str], slash: bool
) -> None:
    base = tmp_path_factory.getbasetemp() / "fuzzed"
    library = base / "library"
    (library / "deep").mkdir(parents=True, exist_ok=True)
    (library / "deep" / "a.pdf").write_bytes(b"")
    if not (library / "up").is_symlink():
        (library / "up").symlink_to(base)
    try:
        found = allowed_path(("/" if slash else "") + "/".join(parts), [library], base)
    except (PathNotAllowed, NotFound):
        return
    assert found.resolve().is_relative_to(library.resolve())
