"""What became of a record? It was applied, with a result; or it was refused, and nothing changed."""

from __future__ import annotations

from typing import NamedTuple

from eligo.errors import EligoError


class Outcome(NamedTuple):
    """What a writer hears."""

    seq: int
    """The number of the record in the log."""
    result: object = None
    """What the change gave: see `ServiceState.apply`."""


class NewEtag(str):
    """The etag of something that was not there before."""

    __slots__ = ()


def is_new(outcome: Outcome) -> bool:
    """Whether a record that puts something has found nothing there: known only when it is applied."""
    return isinstance(outcome.result, NewEtag)


Answer = Outcome | EligoError
"""What became of one of several records that were written together."""


class ConditionError(EligoError):
    """A change whose condition did not hold, such as an etag; nothing was changed."""


class ForeignTenantError(ConditionError):
    """A change of what belongs to another tenant; nothing was changed."""


class ReadOnlyError(EligoError):
    """A change of what can only be read: a follower, or a service whose disk has failed."""


class FollowerError(ReadOnlyError):
    """A change that was sent to a follower; only the owner, whom it follows, takes changes."""


class BusyError(EligoError):
    """A change that was not taken because too many wait already; nothing was changed."""

    def __init__(self, message: str, *, retry_after: float, help: str = "") -> None:
        super().__init__(message, help=help)
        self.retry_after = retry_after
        """Seconds after which there is likely to be room."""
