"""Evaluation runs as JSON files."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from citeloom.domain.errors import InvalidQrels
from citeloom.domain.evaluation import RUN_FORMAT, EvaluationRun

_RUN = TypeAdapter(EvaluationRun)
_MAKE_ONE = "Make one with `citeloom eval run --output RUN.json`."


def run_json(run: EvaluationRun) -> str:
    """The run as JSON on one line."""
    return _RUN.dump_json(run).decode()


def read_run(path: Path) -> EvaluationRun:
    """The run in a file. Raises `InvalidQrels` if it is not one."""
    try:
        run = _RUN.validate_json(path.read_bytes())
    except OSError as error:
        raise InvalidQrels(f"{path} cannot be read: {error.strerror}", _MAKE_ONE) from error
    except ValidationError as error:
        raise _no_run(path) from error
    if run.format != RUN_FORMAT:
        raise _no_run(path)
    return run


def _no_run(path: Path) -> InvalidQrels:
    return InvalidQrels(
        f"{path} is not an evaluation run in the format {RUN_FORMAT}",
        _MAKE_ONE,
    )
