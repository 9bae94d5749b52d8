"""Which form of a kernel runs? Interpreted while there is little to do and no code; the answers are the same."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numba import typeof

from eligo.kernels import kernel as kernel_module
from eligo.kernels.code_places import code_places
from eligo.kernels.kernel import LITTLE, NOW, PATIENCE, WHEN, Kernel
from fresh_process import run
from source_tree import REPOSITORY

README_EXAMPLE = (REPOSITORY / "README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]


def test_the_readme_answers_before_anything_is_compiled(tmp_path: Path) -> None:
    script = (
        "from eligo.kernels import background\n"
        "asked = []\n"
        "background._Filler.ask = lambda self, request: asked.append(request)\n"  # nothing is compiled for this test
        f"os.chdir({str(tmp_path)!r})\n"
        f"{README_EXAMPLE}\n"
        "assert index.match(event) == ['golf', 'shop']\n"
        "assert index.top(event, n=1, weights={'interests': 0.5}) == [('golf', 2.0)]\n"
        "assert index.match_batch([event] * 40).ids(39) == ['golf', 'shop']\n"
        "assert index.count_batch([event] * 40).tolist() == [40, 40, 0]\n"
        "print(Compiled.names, len(asked) > 10)"
    )
    assert run(script, tmp_path / "cache").splitlines()[-1] == "[] True"


ALL_ENGINES = """
import eligo
from eligo.engines import registry
from eligo.kernels import background

background._Filler.ask = lambda self, request: None
texts = {
    0: "a between 2 and 5 and b in ('x', 'y', 'z', 'w')",
    1: "not (a > 3 xor vip) or b != 'x'",
    2: "tags contains all ('t', 'u') and (a = 4 or vip)",
    3: "true",
    4: "exists d (a > d.a and b = d.b)",
    5: "(a = 1 or b = 'x' and vip) and forall d (a != d.c)",
}
events = [
    {"a": row % 7, "b": "xyzwv"[row % 5], "vip": row % 3 == 0, "tags": ["t", "u"][: row % 3]} for row in range(70)
]
documents = [{"a": row % 3, "b": "xyz"[row % 3], "c": row} for row in range(9)]
base = eligo.DocumentBase()
base.add_batch(documents)
trees = [eligo.parse(text) for text in texts.values()]
expected = [
    [name for name, tree in enumerate(trees) if eligo.evaluate(tree, event, documents=documents)] for event in events
]
for engine in sorted({*registry.names()} - {"bdd"}):  # which has room for millions of nodes from the start
    index = eligo.build(texts, engine=engine)
    found = index.match_batch(events, documents=base)
    assert [found.ids(row) for row in range(70)] == expected, engine
    assert [index.match(event, documents=base) for event in events[:9]] == expected[:9], engine
    index.insert(6, "a = 4")
    assert index.match({"a": 4}, documents=base) == [*index.match({"a": 4.0}, documents=base)], engine
    index.merge()
print(Compiled.names, sum(map(len, expected)) > 70)
"""


def test_all_engines_answer_before_anything_is_compiled(tmp_path: Path) -> None:
    """Arrays are given by their addresses in a process that compiles, also to kernels that are interpreted."""
    assert run(ALL_ENGINES, tmp_path) == "[] True"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a process beside this one would compile; there is none."""
    names: list[str] = []

    def note(kernel: Kernel, _types: object) -> bool:
        names.append(kernel.py_func.__name__)
        return True

    monkeypatch.delenv(WHEN, raising=False)
    monkeypatch.setattr(kernel_module, "ask_for", note)
    monkeypatch.setattr(kernel_module, "_process", kernel_module._Process())
    return names


def added(square: np.ndarray) -> int:
    """A loop that the tests below compile, or not."""
    total = 0
    for word in square:
        total += word
    return total


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    monkeypatch.setenv("ELIGO_CACHE_DIR", str(tmp_path))
    code_places.cache_clear()
    made = Kernel(added, {}, {"nopython": True})
    made.keep_code()
    yield made
    code_places.cache_clear()


def test_little_is_interpreted_and_asked_for_once(loop: Kernel, asked: list[str]) -> None:
    for size in (3, 4, LITTLE):
        assert loop(np.ones(size, np.int64)) == size
    assert asked == ["added"]
    assert not loop.signatures


def test_much_is_compiled(loop: Kernel, asked: list[str]) -> None:
    assert loop(np.ones(LITTLE + 1, np.int64)) == LITTLE + 1
    assert len(loop.signatures) == 1
    assert not asked


def test_little_is_compiled_when_patience_is_at_its_end(loop: Kernel, asked: list[str]) -> None:
    loop(np.ones(3, np.int64))
    kernel_module._process.seconds_spent = PATIENCE
    assert loop(np.ones(3, np.int64)) == 3
    assert len(loop.signatures) == 1


def test_everything_is_compiled_where_the_environment_says_so(
    loop: Kernel, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WHEN, NOW)
    assert loop(np.ones(3, np.int64)) == 3
    assert len(loop.signatures) == 1
    assert not asked


def test_what_is_kept_is_loaded_and_not_compiled(loop: Kernel, asked: list[str]) -> None:
    loop(np.ones(LITTLE + 1, np.int64))
    other = Kernel(added, {}, {"nopython": True})
    other.keep_code()
    assert other(np.ones(3, np.int64)) == 3
    assert sum(other.stats.cache_hits.values()) == 1
    assert not other.stats.cache_misses
    assert not asked


def test_what_a_signal_handler_asks_while_its_thread_compiles_is_interpreted(
    loop: Kernel, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WHEN, NOW)
    found = []
    load = loop._cache.load_overload

    def interrupted(*given: object) -> object:
        found.append(loop(np.ones(5, np.int64)))
        return load(*given)

    monkeypatch.setattr(loop._cache, "load_overload", interrupted)
    assert loop(np.ones(3, np.int64)) == 3
    assert found == [5]
    assert len(loop.signatures) == 1
    assert not kernel_module._calls.is_compiling


def test_what_another_process_has_compiled_is_used_from_then_on(
    loop: Kernel, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_module, "LOOKS_EACH", 0.0)
    loop(np.ones(3, np.int64))
    other = Kernel(added, {}, {"nopython": True})
    other.keep_code()
    other.compile_entry((typeof(np.ones(3, np.int64)),))
    assert loop(np.ones(3, np.int64)) == 3
    assert sum(loop.stats.cache_hits.values()) == 1


def test_it_is_said_once(loop: Kernel, asked: list[str], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "eligo")
    for kind in (np.int64, np.uint64):
        for _ in range(2):
            loop(np.ones(3, kind))
    loop(np.ones(LITTLE + 1, np.int32))
    loop(np.ones(LITTLE + 1, np.int16))
    messages = [record.getMessage().partition(";")[0] for record in caplog.records if record.name == "eligo"]
    assert messages == ["compiling in the background", "compiling for a large input"]


def test_numbers_wrap_around_interpreted_too(tmp_path: Path, asked: list[str]) -> None:
    def doubled(word: np.uint64) -> np.uint64:
        return word * np.uint64(2)

    made = Kernel(doubled, {}, {"nopython": True})
    made.keep_code()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made(np.uint64(2**63 + 1)) == 2
    assert asked == ["doubled"]


def test_errors_of_interpreted_kernels_leave_the_next_call_alone(asked: list[str]) -> None:
    def failing(array: np.ndarray) -> int:
        raise ZeroDivisionError

    made = Kernel(failing, {}, {"nopython": True})
    made.keep_code()
    with pytest.raises(ZeroDivisionError):
        made(np.ones(3))
    assert not kernel_module._calls.is_interpreting
