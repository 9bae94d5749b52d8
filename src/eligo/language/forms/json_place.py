"""Where in a JSON document is something wrong? A place in it, which an error names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from eligo.errors import ExpressionError, JsonFormError

Made = TypeVar("Made")


@dataclass(frozen=True)
class Place:
    """Where in the document something stands; steps are joined only when an error shows them."""

    step: str = "$"
    above: Place | None = None

    def __truediv__(self, step: str | int) -> Place:
        return Place(f"[{step}]" if isinstance(step, int) else f".{step}", self)

    def __str__(self) -> str:
        steps: list[str] = []
        place: Place | None = self
        while place is not None:
            steps.append(place.step)
            place = place.above
        return "".join(reversed(steps))

    def error(self, message: str, help: str = "") -> JsonFormError:
        return JsonFormError(f"{self}: {message}", help=help)


def checked(place: Place, make: Callable[..., Made], *arguments: Any, **named: Any) -> Made:
    """What `make` gives, or its refusal with the place."""
    try:
        return make(*arguments, **named)
    except ExpressionError as error:
        raise place.error(error.message, error.help) from None
