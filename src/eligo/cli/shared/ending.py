"""How does a command end that does not come to its end? With one line, a code for the shell, and nothing left running.

an error of ours, a file that cannot be read      error: …                              2
a failure of Spark's or one that nobody foresaw   error: … ELIGO_TRACEBACK=1 …          70
Ctrl-C                                            interrupted                           130
SIGTERM                                           terminated                            143
nobody reads what is written (| head)             nothing                               141
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from eligo.cli.shared.console import ExitCode, print_error, print_message
from eligo.errors import EligoError, printable

TRACEBACK = "ELIGO_TRACEBACK"
"""The environment variable that asks for the traceback of what was not foreseen."""
LONGEST_REASON = 300
LONGEST_CHAIN = 100
"""Errors that came of one another, among which an interruption is looked for."""


class Terminated(BaseException):
    """SIGTERM came."""


@contextmanager
def endings() -> Iterator[None]:
    """Turns whatever ends a command into a message and an exit code, without a traceback."""
    with _terminable():
        try:
            with _interruptions():
                yield
        except EligoError as error:
            _refuse(str(error))
        except BrokenPipeError:
            _unread()
        except OSError as error:
            _drop_stdout()
            _refuse(_reason_of(error))
        except MemoryError:
            _refuse("there is not enough memory for this")
        except KeyboardInterrupt:
            _leave("interrupted", ExitCode.INTERRUPTED)
        except Terminated:
            _leave("terminated", ExitCode.TERMINATED)
        except SystemExit as exit:  # the library of commands exits itself on Ctrl-C, and when a pipe breaks
            if exit.code == ExitCode.INTERRUPTED:
                _leave("interrupted", ExitCode.INTERRUPTED)
            if isinstance(exit.__context__, BrokenPipeError):
                _unread()
            _flush()
            raise
        except Exception as error:
            _unforeseen(error)


@contextmanager
def _interruptions() -> Iterator[None]:
    """A signal in the middle of a library's work may come out as an error of that library: it stays what it was."""
    try:
        yield
    except Exception as error:
        before: BaseException | None = error
        for _ in range(LONGEST_CHAIN):
            if before is None:
                break
            if isinstance(before, KeyboardInterrupt | Terminated):
                raise type(before) from error
            before = before.__cause__ or before.__context__
        raise


def _flush() -> None:
    """Write out what is still held back now, where it can be told that it cannot be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _unread()
    except OSError as error:
        _drop_stdout()
        _refuse(f"the output cannot be written: {_reason_of(error)}")


def _drop_stdout() -> None:
    """What is still held back goes nowhere, so that the interpreter does not try again at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(message: str) -> NoReturn:
    _show_traceback()
    print_error(message)
    sys.exit(ExitCode.CANNOT_RUN)


def _reason_of(error: OSError) -> str:
    reason = error.strerror or str(error) or type(error).__name__
    return reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"


def _unforeseen(error: Exception) -> NoReturn:
    """What is no error of ours is Spark's, or a bug."""
    _show_traceback()
    module = type(error).__module__.partition(".")[0]
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or ["no reason given"]
    reason = printable(f"{type(error).__name__}: {lines[0]}")[:LONGEST_REASON]
    how = f"set {TRACEBACK}=1 to see where"
    if module in ("pyspark", "py4j"):
        from eligo.spark.tables.csv_tables import first_line

        reason = printable(f"{type(error).__name__}: {first_line(error)}")[:LONGEST_REASON]
        print_error(f"Spark failed: {reason}\n  help: {how}; Spark's own log says more")
    else:
        print_error(f"this is a bug in Eligo: {reason}\n  help: {how}, and report it with what you ran")
    sys.exit(ExitCode.UNFORESEEN)


def _show_traceback() -> None:
    if os.environ.get(TRACEBACK):
        traceback.print_exc()


def _unread() -> NoReturn:
    """Nobody reads stdout any more: what is still to be flushed goes nowhere."""
    _drop_stdout()
    sys.exit(ExitCode.UNREAD)


def _leave(line: str, code: ExitCode) -> NoReturn:
    """Say why the command ends, then end Spark without the noise that its Java makes of it."""
    with _undisturbed():
        _show_traceback()
        print_message(line)
        session = sys.modules.get("eligo.spark.session.session")
        if session is not None:
            session.stop_quietly()
    sys.exit(code)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """While the command ends, further signals say nothing new."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM unwinds what is open, such as temporary files, unless someone has made other arrangements."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return

    def terminate(number: int, frame: FrameType | None) -> NoReturn:
        raise Terminated

    signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
