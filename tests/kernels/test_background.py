"""Who compiles while the caller goes on? A process that ends by itself, and whose code the caller takes up."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fresh_process import run

LONGEST = 120
"""Seconds after which a wait has failed; a busy machine takes some."""

WAIT_FOR_CODE = f"""
assert turned() == EXPECTED
assert not transpose.signatures
end = time.monotonic() + {LONGEST}
while not transpose.signatures and time.monotonic() < end:
    time.sleep(0.05)
    assert turned() == EXPECTED
print(Compiled.names, len(transpose.signatures))
"""


def processes_of(directory: Path) -> list[int]:
    """The processes that compile into a directory."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            arguments = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"eligo.kernels.filling" in arguments and any(str(directory).encode() in one for one in arguments):
            found.append(int(path.parent.name))
    return found


def gone(directory: Path) -> bool:
    end = time.monotonic() + LONGEST
    while processes_of(directory) and time.monotonic() < end:
        time.sleep(0.05)
    return not processes_of(directory)


has_processes = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="lists processes as Linux does")


@has_processes
def test_code_comes_from_another_process_which_ends(tmp_path: Path) -> None:
    assert run(WAIT_FOR_CODE, tmp_path) == "[] 1"
    assert gone(tmp_path)
    # A second process finds the code and asks for nothing.
    again = "assert turned() == EXPECTED\nprint(Compiled.names, len(transpose.signatures))"
    assert run(again, tmp_path) == "[] 1"
    assert not processes_of(tmp_path)


@has_processes
def test_two_processes_at_once_both_get_their_code(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda _: run(WAIT_FOR_CODE, tmp_path), range(2))) == ["[] 1"] * 2
    assert len(list(tmp_path.glob("*/kernels.bits/*.code"))) == 1
    assert gone(tmp_path)


@has_processes
def test_a_process_without_a_parent_ends(tmp_path: Path) -> None:
    script = "turned()\nos.kill(os.getpid(), 9)"
    with pytest.raises(AssertionError):
        run(script, tmp_path)
    assert gone(tmp_path)


@has_processes
def test_the_idle_process_ends_and_leaves_no_zombie(tmp_path: Path) -> None:
    script = f"""
from eligo.kernels import background
background.IDLE = 0.1
turned()
end = time.monotonic() + {LONGEST}
while background._filler.is_serving and time.monotonic() < end:
    time.sleep(0.05)
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("none", background._filler.has_failed)
"""
    assert run(script, tmp_path) == "none False"
    assert not processes_of(tmp_path)


def test_a_forked_process_asks_for_itself(tmp_path: Path) -> None:
    script = """
from eligo.kernels import background
turned()
deadline = time.monotonic() + 60
while background._filler.pipe is None and time.monotonic() < deadline:
    time.sleep(0.01)
pipe = background._filler.pipe
child = os.fork()
if not child:
    is_new = background._filler.pipe is None and not background._filler.is_serving
    is_closed = os.readlink(f"/proc/self/fd/{pipe}") == "/dev/null"
    os._exit(0 if is_new and is_closed and turned() == EXPECTED else 1)
print(os.waitpid(child, 0)[1])
"""
    assert run(script, tmp_path) == "0"


def test_where_no_process_can_be_started_callers_compile(tmp_path: Path) -> None:
    script = "sys.executable = ''\nassert turned() == EXPECTED\nprint(Compiled.names[:1])"
    assert run(script, tmp_path) == "['transpose']"


def test_kernels_that_another_process_cannot_find_are_compiled(tmp_path: Path) -> None:
    script = """
from eligo.kernels.compiled import kernel
@kernel
def own(word):
    return word + 1
print(own(1), Compiled.names)
"""
    assert run(script, tmp_path) == "2 ['own']"
