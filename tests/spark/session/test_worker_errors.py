"""Does an error of Eligo's that a worker raised come back as itself?"""

from __future__ import annotations

import inspect

import pytest
from pyspark.errors import PySparkException

from eligo import errors
from eligo.errors import BuildError, EligoError, ExpressionSyntaxError, InputError, Position, Reject
from eligo.spark.session.worker_errors import worker_errors

CLASSES = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, EligoError)]


def raised_by_a_worker(error: EligoError | str, name: str) -> EligoError:
    """What comes out when Spark's error has that of a worker in it."""
    trace = f"Job aborted\n\tat java\nTraceback\n  File x\neligo.errors.{name}: {error}\n\n\tat org.apache\nSQLSTATE: 1"
    with pytest.raises(EligoError) as caught, worker_errors():
        raise PySparkException(message=trace)
    return caught.value


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error(kind: type[EligoError]) -> None:
    found = raised_by_a_worker("it is wrong\nin two lines\n  help: do better", kind.__name__)
    assert type(found) is kind
    assert (found.message, found.help) == ("it is wrong\nin two lines", "do better")
    assert str(found) == "it is wrong\nin two lines\n  help: do better"


def test_a_build_error_with_help_for_each_expression() -> None:
    wrong = ExpressionSyntaxError("no", text="a =", position=Position(3, 1, 4), help="write a value")
    given = BuildError([Reject("a", "a =", wrong)])
    found = raised_by_a_worker(given, "BuildError")
    assert isinstance(found, BuildError)
    assert (str(found), found.rejects) == (str(given), ())
    assert found.help == given.help


@pytest.mark.parametrize(
    ("cause", "reason"),
    [
        (
            "Caused by: org.apache.X: no\n\tat y\nCaused by: java.io.EOFException: Unexpected end\n\tat z",
            "Unexpected end",
        ),
        ("", "it is damaged"),
    ],
)
def test_a_damaged_file_is_named(cause: str, reason: str) -> None:
    text = "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///x/a.gz.  SQLSTATE: KD001\n\tat v\n"
    with pytest.raises(InputError, match=f"file:///x/a.gz cannot be read to its end: {reason}"), worker_errors():
        raise PySparkException(message=text + cause)


def test_others_stay_as_they_are() -> None:
    assert type(raised_by_a_worker("gone", "NoSuchError")) is EligoError
    with pytest.raises(PySparkException, match="of its own"), worker_errors():
        raise PySparkException(message="of its own")
