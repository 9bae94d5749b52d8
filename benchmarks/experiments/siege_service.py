"""Is anything lost, doubled in the wrong place or stuck when a service is killed, or its disk, clock or readers fail?

Counted as in `siege`. The kills are of one service with two writers, three publishers and four subscribers.
"""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.experiment import Bar, Experiment, Measurement, Outcome
from benchmarks.experiments.siege import outcome, shared_out, tries
from benchmarks.siege.tally import in_processes

KILLS, FAULTS, SUBSCRIBERS, DAMAGES = 1_000, 200, 20, 2_000


def kills(bench: Bench) -> Outcome:
    """One service is killed again and again; how long it took to recover is among the details."""
    from benchmarks.siege.services.kill_services import kill_services

    number = tries(bench, KILLS)
    found = outcome(in_processes(kill_services, [(bench.seed, number)], 1), number)
    for name, value in found.details.items():
        if "recovery" in name:
            print(f"  {name}: {value}")
    return found


def faults(bench: Bench) -> Outcome:
    """Disks that are full, fail or are slow, and clocks that jump."""
    from benchmarks.siege.services.service_faults import service_faults

    return shared_out(service_faults, bench, FAULTS, share=50)


def subscribers(bench: Bench) -> Outcome:
    """Subscribers that are slow, never acknowledge, or are not there."""
    from benchmarks.siege.services.bad_subscribers import bad_subscribers

    return shared_out(bad_subscribers, bench, SUBSCRIBERS, share=10)


def damages(bench: Bench) -> Outcome:
    """A short log is cut at every byte, and a bit of every byte is flipped."""
    from benchmarks.siege.services.damage_logs import damage_logs

    return shared_out(damage_logs, bench, DAMAGES, share=250)


EXPERIMENT = Experiment(
    name="siege_service",
    question="Is anything lost, misdelivered or stuck when a service is killed, or its disk, clock or readers fail?",
    measurements=(
        Measurement("kills", "kills of a service under load", "survived", kills, Bar(KILLS)),
        Measurement("faults", "disks and clocks that failed a service", "nothing lost", faults, Bar(FAULTS)),
        Measurement(
            "subscribers", "services with subscribers that fail", "held up nobody", subscribers, Bar(SUBSCRIBERS)
        ),
        Measurement("damages", "damaged logs of a service", "refused, or nothing lost", damages, Bar(DAMAGES)),
    ),
)
