"""Groups of options that commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature

Group = Callable[..., object]


def with_options(**groups: Group) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Give a command the options of each group in place of the parameter of its name; the command
    receives there what the group makes of them.
    """

    def grouped(command: Callable[..., object]) -> Callable[..., object]:
        @wraps(command)
        def ungrouped(**given: object) -> object:
            made = {
                name: group(**{one: given.pop(one) for one in _parameters(group)})
                for name, group in groups.items()
            }
            return command(**given, **made)

        parameters: list[Parameter] = []
        for name, parameter in _parameters(command, *groups).items():
            own = name not in groups
            parameters += [parameter] if own else _parameters(groups[name]).values()
        options = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in parameters]
        ungrouped.__annotations__ = {one.name: one.annotation for one in options}
        vars(ungrouped)["__signature__"] = Signature(options)
        return ungrouped

    return grouped


def _parameters(function: Callable[..., object], *untyped: str) -> dict[str, Parameter]:
    """The parameters with their types; not with those that only type checkers may import."""
    for name in (*untyped, "return"):
        function.__annotations__.pop(name, None)
    return dict(inspect.signature(function, eval_str=True).parameters)
