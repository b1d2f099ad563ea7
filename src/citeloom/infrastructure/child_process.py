"""What a process does first that must not outlive the one that started it.

Run as a program, by `python -I -S` so that it begins at once, this file is the launcher of a
program: `child_process.py LIFELINE PARENT SECONDS BYTES PROGRAM ARGUMENT…`.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys
import threading
from contextlib import suppress

if sys.platform != "win32":
    import resource

_NICENESS = 10
_IS_LINUX = sys.platform == "linux"
_PR_SET_PDEATHSIG = 1


def end_with_parent(lifeline: int) -> None:
    """End this process when its parent ends, and with it the other end of the pipe `lifeline`.

    The kernel's signal ends even a call that never returns to Python; the thread is for systems
    without it. On Linux the parent is the thread that started this process.
    """
    _end_by_signal()

    def exit_after() -> None:
        os.read(lifeline, 1)
        os._exit(1)

    threading.Thread(target=exit_after, daemon=True).start()


def lower_priority() -> None:
    """Leave the processors to questions that are asked meanwhile, on systems that can."""
    if sys.platform != "win32":
        os.nice(_NICENESS)


def _end_by_signal() -> None:
    if _IS_LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def main(lifeline: int, parent: int, seconds: int, memory: int, *program: str) -> None:
    """Run a program that ends with its parent, has so many seconds of processor time and bytes of
    memory, and on Linux no network.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    if _IS_LINUX:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        _end_by_signal()
        if os.getppid() != parent:  # it ended before the signal was asked for
            return
        _refuse_sockets()
        os.execv(program[0], program)  # noqa: S606 - what the parent has named
    _run_beside(lifeline, program)


def _run_beside(lifeline: int, program: tuple[str, ...]) -> None:
    """Run the program while the pipe is open, and end as it ends: for systems on which the kernel
    ends no process with its parent.
    """
    process = os.posix_spawn(program[0], program, os.environ)

    def watch() -> None:
        os.read(lifeline, 1)
        os.kill(process, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if code < 0:
        with suppress(OSError):  # SIGKILL has no other handler
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


# Sockets refused by a filter of system calls (seccomp), which a program inherits.

_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _FILTER = 22, 38, 2
_SOCKET = {"x86_64": 41, "aarch64": 198}
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _NOT_PERMITTED = 0x7FFF0000, 0x00050001


def _refuse_sockets() -> None:
    """Let this process, and what it runs, open no socket, where the kernel has such filters."""
    number = _SOCKET.get(os.uname().machine)
    if number is None:
        return
    instructions = (
        (_LOAD, 0, 0, 0),
        (_JUMP_IF_EQUAL, 0, 1, number),
        (_RETURN, 0, 0, _NOT_PERMITTED),
        (_RETURN, 0, 0, _ALLOW),
    )
    packed = b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)
    code = ctypes.create_string_buffer(packed, len(packed))
    program = struct.pack("HP", len(instructions), ctypes.addressof(code))
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.c_char_p(program), 0, 0)


if __name__ == "__main__":
    lifeline, parent, seconds, memory, *program = sys.argv[1:]
    main(int(lifeline), int(parent), int(seconds), int(memory), *program)
