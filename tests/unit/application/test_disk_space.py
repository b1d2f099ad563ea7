"""Errors that say that the disk is full, however deep they lie."""

from __future__ import annotations

import errno

from citeloom.application.disk_space import is_out_of_room, no_room_for


def caused_by(error: BaseException) -> BaseException:
    """An error that another one led to."""
    outer = ValueError("a writer failed")
    outer.__cause__ = error
    return outer


def test_a_full_disk_is_seen_through_other_errors() -> None:
    full = OSError(errno.ENOSPC, "no space left")
    assert is_out_of_room(full)
    assert is_out_of_room(caused_by(full))
    assert not is_out_of_room(caused_by(OSError(errno.EACCES, "not allowed")))
    assert not is_out_of_room(None)


def test_the_error_says_how_much_room_to_make() -> None:
    assert "the disk has no room for chunks" in no_room_for("chunks").message
