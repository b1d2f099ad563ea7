"""`citeloom` and `python -m citeloom` are the command line."""

from __future__ import annotations

import gc
import os
import signal
from types import FrameType


def main() -> None:
    """Run the command line; Ctrl-C ends it with exit code 130, also while it is being loaded."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    # a library has a hundred thousand values, none of them garbage: with Python's own thresholds,
    # a sixth of an unchanged sync would go into looking for some
    gc.set_threshold(50_000, 20, 50)
    # No plugin of pydantic is looked for among all that is installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from citeloom.infrastructure.interfaces.cli.app import main as run  # noqa: PLC0415 - loads while Ctrl-C is handled

    signal.signal(signal.SIGINT, before)
    run()


def _end(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
