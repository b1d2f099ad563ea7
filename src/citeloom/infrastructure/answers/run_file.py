"""Evaluation runs as JSON files."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from citeloom.domain.errors import InvalidQrels
from citeloom.domain.evaluation.comparison import ModeComparison, gain
from citeloom.domain.evaluation.measures import RUN_FORMAT, EvaluationRun

_RUN = TypeAdapter(EvaluationRun)
_MAKE_ONE = "Make one with `citeloom eval run --output RUN.json`."


def run_json(run: EvaluationRun) -> str:
    """The run as JSON on one line, with the gain of a reranker, if there is one."""
    if run.reranked is None:
        return _RUN.dump_json(run, fallback=_none).decode()
    written = _RUN.dump_python(run, mode="json", fallback=_none)
    return json.dumps({**written, "gain": [_gain_json(mode) for mode in gain(run)]})


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


def _none(_: object) -> None:
    """What is written of a chunking strategy's function."""


def _gain_json(mode: ModeComparison) -> dict[str, object]:
    differences = [asdict(replace(difference, changes=())) for difference in mode.differences]
    for difference in differences:
        del difference["changes"]
    return {"mode": mode.mode.value, "differences": differences}


def _no_run(path: Path) -> InvalidQrels:
    return InvalidQrels(
        f"{path} is not an evaluation run in the format {RUN_FORMAT}",
        _MAKE_ONE,
    )
