"""Is anything lost, wrong or stuck, whatever is done to it? Attacks, counted; each figure is what was survived.

A bar is the number of tries at scale `full`: it is reached when every one of them was survived. What failed is in the
details, with what is needed to see it again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import machine
from benchmarks.bench import Bench
from benchmarks.experiment import Bar, Experiment, Measurement, Outcome
from benchmarks.siege.tally import Tally, in_processes
from eligo.engines import registry

if TYPE_CHECKING:
    from benchmarks.siege.tenants import TenantKind

SMALL_SHARE = 1_000
"""At scale `small`, one try where `full` has so many; at least a handful."""


def tries(bench: Bench, full: int) -> int:
    """How often something is tried at a scale."""
    return full if bench.is_full else max(full // SMALL_SHARE, 8)


def outcome(tally: Tally, wanted: int) -> Outcome:
    """The figure of an attack, and all that was counted; more tries than wanted do not make up for one that failed."""
    for failure in tally.failures:
        print(f"  FAILED: {failure}")
    survived = tally.num_survived if not tally.num_failed else min(tally.num_survived, wanted - tally.num_failed)
    return Outcome(survived, tally.to_json())


def shared_out(attack: Callable[..., Tally], bench: Bench, full: int, *arguments: Any, share: int) -> Outcome:
    """An attack in pieces of a size, each with a seed of its own, over all cores."""
    number = tries(bench, full)
    calls: list[Sequence[Any]] = [
        (*arguments, bench.seed * 1_000_000 + start, min(share, number - start)) for start in range(0, number, share)
    ]
    return outcome(in_processes(attack, calls, machine.available_cores()), number)


def faults(bench: Bench) -> Outcome:
    """Something is raised at one call boundary after the other of every change of a live index."""
    from benchmarks.siege.faults import inject_faults

    return shared_out(inject_faults, bench, FAULTS, share=500)


def publishers(bench: Bench) -> Outcome:
    """Publishers are killed, most of them inside a publication."""
    from benchmarks.siege.kill_publishers import kill_publishers

    return shared_out(kill_publishers, bench, PUBLISHERS, share=100)


def updaters(bench: Bench) -> Outcome:
    """Drivers of Spark updates are killed inside their commits."""
    from benchmarks.siege.kill_updaters import kill_updaters

    return shared_out(kill_updaters, bench, UPDATERS, share=UPDATERS)


def streams(bench: Bench) -> Outcome:
    """Streams are killed inside the commits of their micro-batches."""
    from benchmarks.siege.kill_streams import kill_streams

    number = STREAMS if bench.is_full else 2
    return outcome(kill_streams(bench.seed, number), number)


def damages(bench: Bench) -> Outcome:
    """Files are damaged, and their checksums with them."""
    from benchmarks.siege.damage import damage_files

    return _of_every_engine(damage_files, bench, DAMAGES)


def forgeries(bench: Bench) -> Outcome:
    """Files are changed by one who mends every checksum."""
    from benchmarks.siege.judging import forge_files

    return _of_every_engine(forge_files, bench, FORGERIES)


def _of_every_engine(attack: Callable[..., Tally], bench: Bench, full: int) -> Outcome:
    names = (registry.AUTO, *registry.names())
    number = -(-tries(bench, full) // len(names))
    share = 250
    calls = [
        (name, bench.seed * 1_000_000 + start, min(share, number - start))
        for name in names
        for start in range(0, number, share)
    ]
    return outcome(in_processes(attack, calls, machine.available_cores()), number * len(names))


def texts(bench: Bench) -> Outcome:
    """Texts that are almost right: expressions, JSON forms, SQL, schemas."""
    from benchmarks.siege.fuzz import fuzz_texts

    return shared_out(fuzz_texts, bench, TEXTS, share=TEXTS // 40)


def events(bench: Bench) -> Outcome:
    """Events of odd values, and lines of JSON that are almost right."""
    from benchmarks.siege.fuzz_events import fuzz_events

    return shared_out(fuzz_events, bench, EVENTS, share=EVENTS // 40)


def tenants(bench: Bench) -> Outcome:
    """Tenants and validity windows in the library, against a brute-force evaluator."""
    from benchmarks.siege.tenants import attack_tenants

    return shared_out(attack_tenants, bench, TENANT_PAIRS, share=TENANT_PAIRS // 10)


def tenants_on_spark(bench: Bench) -> Outcome:
    """The same on Spark: build, update, and every way of asking."""
    from benchmarks.siege.tenants_on_spark import attack_spark
    from eligo.spark.session.session import local_session

    tally = Tally()
    number = SPARK_TENANT_PAIRS if bench.is_full else 1
    spark = local_session("eligo siege", config={"spark.ui.enabled": "false"})
    seed = bench.seed
    with tempfile.TemporaryDirectory() as home:
        while tally.num_tried < number:
            kind: TenantKind = ("string", "int")[seed % 2]  # type: ignore[assignment]
            size = 400 if bench.is_full else 60
            tally.add(
                attack_spark(spark, Path(home), seed, kind, num_rules=size, num_events=size, thorough=bench.is_full)
            )
            seed += 1
    spark.stop()
    return outcome(tally, number)


def pairs(bench: Bench) -> Outcome:
    """Expressions and events of every kind, through every engine and way of asking, against the oracle."""
    from benchmarks.siege.pairs import compare_worlds

    return shared_out(compare_worlds, bench, PAIRS, share=PAIRS // 40)


FAULTS = 4_000
PUBLISHERS, UPDATERS, STREAMS = 858, 130, 12
DAMAGES, FORGERIES = 3_500, 7_000
TEXTS, EVENTS = 9_500_000, 500_000
TENANT_PAIRS, SPARK_TENANT_PAIRS = 2_000_000, 2_000_000
PAIRS = 100_000_000

EXPERIMENT = Experiment(
    name="siege",
    question="Is anything lost, wrong or stuck, whatever is done to it?",
    measurements=(
        Measurement("faults", "faults at call boundaries of changes", "survived", faults, Bar(FAULTS)),
        Measurement("publishers", "publishers killed", "survived", publishers, Bar(PUBLISHERS)),
        Measurement("updaters", "Spark updates killed inside the commit", "survived", updaters, Bar(UPDATERS)),
        Measurement("streams", "streams killed inside a commit", "survived", streams, Bar(STREAMS)),
        Measurement("damages", "damaged files", "refused, or without effect", damages, Bar(DAMAGES)),
        Measurement("forgeries", "forged files, checksums mended", "refused, or harmless", forgeries, Bar(FORGERIES)),
        Measurement("texts", "fuzzed texts", "read, or refused with a typed error", texts, Bar(TEXTS)),
        Measurement("events", "fuzzed events", "answered alike, or refused", events, Bar(EVENTS)),
        Measurement("tenants", "pairs with tenants and windows", "right", tenants, Bar(TENANT_PAIRS)),
        Measurement("tenants_on_spark", "the same on Spark", "right", tenants_on_spark, Bar(SPARK_TENANT_PAIRS)),
        Measurement("pairs", "pairs of expression and event", "as the oracle says", pairs, Bar(PAIRS)),
    ),
)
