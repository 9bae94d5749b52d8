"""What does a call in SQL say? Constants by place or by name, checked as the arguments of the Python functions are.

eligo_match(TABLE(events), 'ads.index', event_id => 'id')
            └─ table ────┘ └─ index ─┘  └─ by name ─────┘
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pyspark.sql.types import StructType
from pyspark.sql.udtf import AnalyzeArgument

from eligo.errors import InputError, shown
from eligo.spark.call_arguments import CHECKS

EVENTS = "events"
EVENT_NAMES = ("event_id", "json", "attributes", "tenant", "time")
"""How to find the events of a table, as `EventOptions` has it."""


class TableCall(NamedTuple):
    """A call of a table function."""

    schema: StructType
    """Of the table of events."""
    constants: dict[str, Any]
    """Of the arguments that were given, and are not null."""

    def only(self, names: Sequence[str]) -> dict[str, Any]:
        """The constants of these names."""
        return {name: self.constants[name] for name in names if name in self.constants}


def read_call(
    function: str,
    places: Sequence[str],
    names: Sequence[str],
    args: Sequence[AnalyzeArgument],
    kwargs: Mapping[str, AnalyzeArgument],
) -> TableCall:
    """The call, if it is one: `places` are what arguments without a name are, `names` which others there may be."""
    form = f"{function}(TABLE(events), {', '.join(f'{name} => …' for name in places[1:])})"
    if len(args) > len(places):
        raise InputError(f"{function} takes {len(places)} arguments without a name, not {len(args)}", help=form)
    given = dict(zip(places, args, strict=False))
    for name, argument in kwargs.items():
        if name not in (*places, *names):
            known = ", ".join((*places, *names))
            raise InputError(f"{function} has no argument {shown(name)}", help=f"it has {known}")
        if name in given:
            raise InputError(f"{function} is given {name} twice, by its place and by its name", help=form)
        given[name] = argument
    table = given.pop(EVENTS, None)
    if table is None or not table.isTable or not isinstance(table.dataType, StructType):
        raise InputError(f"the first argument of {function} is a table", help=form)
    constants = {name: _constant(function, name, argument) for name, argument in given.items()}
    constants = {name: value for name, value in constants.items() if value is not None}
    for name in places[1:]:
        if name not in constants:
            raise InputError(f"{function} is not told its {name}", help=form)
    return TableCall(table.dataType, constants)


def _constant(function: str, name: str, argument: AnalyzeArgument) -> Any:
    if argument.isTable or not argument.isConstantExpression:
        raise InputError(f"{name} of {function} is a constant, not a column or a table", help=f"such as {name} => 'x'")
    return checked_constant(name, argument.value)


def checked_constant(name: str, value: Any) -> Any:
    """The value, if the argument can have it; None stands for one that is not given."""
    if value is not None and name in CHECKS:
        CHECKS[name](value, name)
    return value
