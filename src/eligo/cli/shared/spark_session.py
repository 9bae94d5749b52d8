"""Which Spark do the commands run on? A local one, unless a master is named; errors are told once, by the command."""

from __future__ import annotations

import logging
from typing import Any

from eligo.cli.shared.console import print_message
from eligo.cli.shared.steps import Steps


def started_session(steps: Steps, name: str, master: str) -> Any:
    """A Spark session, started as a step."""
    from eligo.spark.session.session import local_session

    steps.begin("start Spark")
    silence_py4j()
    show_warnings()
    # Expressions come to the driver in one piece, and may be more than Spark's default of one gigabyte.
    spark = local_session(name, master=master, config={"spark.driver.maxResultSize": "0"})
    # Spark would print an error of a worker's once for each attempt, and the command prints it as well.
    spark.sparkContext.setLogLevel("FATAL")
    steps.finish()
    return spark


def silence_py4j() -> None:
    """Py4J writes tracebacks of its own when it is interrupted: to its loggers, and to the root of all loggers."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)
    logging.getLogger().addFilter(_is_not_py4j)


class _Notes(logging.Handler):
    """Shows what the library warns of as notes of the command."""

    def emit(self, record: logging.LogRecord) -> None:
        print_message(f"note: {record.getMessage()}")


def show_warnings() -> None:
    """From now on, what the library warns of is a note on stderr."""
    logger = logging.getLogger("eligo")
    if not any(isinstance(handler, _Notes) for handler in logger.handlers):
        logger.addHandler(_Notes(logging.WARNING))


def _is_not_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in record.pathname
