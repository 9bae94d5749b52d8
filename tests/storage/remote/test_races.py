"""When many publish at once, or are killed while they do: does one win each version, and is each of them whole?"""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import pytest

import eligo
from eligo.errors import VersionConflictError
from eligo.storage.kept_versions import list_versions


def started(home: str) -> str:
    eligo.build({1: "a = 1"}, engine="scan", merge_at=None).save(home)
    return home


def require_one_more_each(home: str, num_versions: int) -> None:
    """Version n has n expressions: those of the version before it, and one that its publisher brought."""
    versions = list_versions(home)
    assert [manifest.version for manifest in versions] == list(range(1, num_versions + 1))
    before: set[int] = set()
    for manifest in versions:
        ids = set(eligo.open(home, manifest=manifest).ids)
        assert len(ids) == manifest.version and before < ids
        before = ids  # type: ignore[assignment]
    assert eligo.verify(home).is_whole


class Racers:
    """Threads that open one index, change it and publish it, all at once."""

    def __init__(self, home: str, count: int) -> None:
        self.home = home
        self.start = threading.Barrier(count)
        self.won: list[tuple[int, int]] = []
        """Versions, and whose they are."""
        self.errors: list[BaseException] = []
        self.threads = [threading.Thread(target=self.race, args=(number,)) for number in range(count)]

    def run(self) -> None:
        for thread in self.threads:
            thread.start()
        for thread in self.threads:
            thread.join()

    def race(self, number: int) -> None:
        try:
            index = eligo.open(self.home, merge_at=None)
            index.insert(100 + number, "a = 1")
            self.start.wait()
            self.won.append((index.publish(self.home, keep_versions=None), number))
        except BaseException as error:
            self.errors.append(error)


def test_one_of_64_wins_and_the_others_are_told(store_home: str) -> None:
    home = started(store_home)
    racers = Racers(home, 64)
    racers.run()
    [(version, winner)] = racers.won
    assert version == 2 and eligo.open(home).ids == [1, 100 + winner]
    assert [type(error) for error in racers.errors] == [VersionConflictError] * 63
    require_one_more_each(home, 2)


INSISTING = """
import sys, eligo
from eligo.errors import VersionConflictError
home, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for id in range(first, first + count):
    while True:
        index = eligo.open(home, merge_at=None)
        index.insert(id, "a = 1")
        try:
            print(index.publish(home, keep_versions=None), flush=True)
            break
        except VersionConflictError:
            pass
"""


def insist(home: str, num_processes: int, each: int) -> list[int]:
    """Processes that each publish some ids, however often they are refused; the versions that they were told."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", INSISTING, home, str(1000 + number * each), str(each)], stdout=subprocess.PIPE
        )
        for number in range(num_processes)
    ]
    told = [process.communicate(timeout=3000)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * num_processes
    return sorted(int(line) for lines in told for line in lines.split())


def test_what_four_processes_publish_at_once_is_all_there(store_home: str) -> None:
    home = started(store_home)
    assert insist(home, 4, 3) == list(range(2, 14))
    require_one_more_each(home, 13)


@pytest.mark.long
def test_what_64_processes_publish_at_once_is_all_there(store_home: str) -> None:
    home = started(store_home)
    assert insist(home, 64, 1) == list(range(2, 66))
    require_one_more_each(home, 65)


KILLS = """
import json, os, random, signal, sys, time
import eligo, eligo.index.build_open, eligo.index.stored.verification
import eligo.stores.store, pyarrow.compute
home, num_kills = sys.argv[1], int(sys.argv[2])
server = home.partition("://")[2].partition("/")[0] if home.startswith("hdfs") else os.environ["AWS_ENDPOINT_URL"]
port = int(server.rpartition(":")[2])

def publish_once(acknowledge):
    # Version n has the ids 1 to n.
    index = eligo.open(home, merge_at=None)
    index.insert(len(index) + 1, "a = 1")
    version = index.publish(home, keep_versions=3)
    os.write(acknowledge, b"%d\\n" % version)

def publish(acknowledge):
    while True:
        publish_once(acknowledge)

def check(tell):
    index = eligo.open(home)
    found = eligo.verify(home)
    os.write(tell, json.dumps([sorted(index.ids), found.versions[-1], found.is_whole]).encode())

def await_server():
    # What a killed process has asked for may still be done: the server then holds a connection that the other end has
    # left, which Linux calls CLOSE_WAIT.
    while any(state == "08" and int(own.rpartition(":")[2], 16) == port for own, state in connections()):
        time.sleep(0.01)

def connections():
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in open(name).readlines()[1:] if os.path.exists(name) else ():
            fields = line.split()
            yield fields[1], fields[3]

def forked(function, seconds=None):
    # The first process uses no store, so that those that it forks may.
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            function(writing)
        finally:
            os._exit(1)
    os.close(writing)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    with os.fdopen(reading, "rb") as told:
        text = told.read()
    os.waitpid(child, 0)
    return text

random.seed(15)
# A kill falls into the first publication of a process or the next, however quick the machine is.
start = time.perf_counter()
least = int(forked(publish_once))
seconds = time.perf_counter() - start
for number in range(num_kills):
    acknowledged = [int(line) for line in forked(publish, random.uniform(0.02, 2 * seconds)).split()]
    least = max([least, *acknowledged])
    await_server()
    ids, live, is_whole = json.loads(forked(check))
    assert is_whole, "what is published is whole"
    assert ids == list(range(1, live + 1)), (ids, live)
    assert least <= live <= least + 1, (least, live)
    least = live
print(json.dumps(least))
"""


def kill_publishers(home: str, num_kills: int) -> int:
    ended = subprocess.run([sys.executable, "-c", KILLS, home, str(num_kills)], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr[-3000:]
    return int(json.loads(ended.stdout))


def test_a_killed_publisher_leaves_the_old_version_or_the_new_one(store_home: str) -> None:
    home = started(store_home)
    assert kill_publishers(home, 5) == len(eligo.open(home))


@pytest.mark.long
def test_200_kills_leave_the_old_version_or_the_new_one(store_home: str) -> None:
    home = started(store_home)
    assert kill_publishers(home, 200) == len(eligo.open(home)) > 10
