"""Descriptors 0 and 1, reserved for the protocol."""

from __future__ import annotations

import os

_STDIN, _STDOUT, _STDERR = 0, 1, 2


class StandardStreams:
    """The descriptors `input` and `output` that the protocol is read from and written to.

    From its creation on, descriptor 0 of this process and its children leads nowhere, and what they
    print on descriptor 1 goes to stderr.
    """

    def __init__(self) -> None:
        self.input, self.output = os.dup(_STDIN), os.dup(_STDOUT)
        os.dup2(_STDERR, _STDOUT)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, _STDIN)
        os.close(nowhere)
