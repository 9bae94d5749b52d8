"""Do commands on Spark keep to themselves what Py4J says when it is interrupted?"""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("py4j")

SAID = """
import logging
from eligo.cli.shared.spark_session import silence_py4j
silence_py4j()
def say_both():
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        at_root("while sending a command")
        logging.getLogger("py4j.clientserver").exception("while shutting down a connection")
exec(compile("def at_root(text):\\n    logging.exception(text)", "/x/py4j/java_gateway.py", "exec"))
say_both()
logging.getLogger("another").error("what others say is shown")
"""


def test_py4j_says_nothing_and_others_do() -> None:
    told = subprocess.run([sys.executable, "-c", SAID], capture_output=True, text=True, check=True)
    assert told.stderr == "ERROR:another:what others say is shown\n"
