"""Is a document lost, or a damaged base answered from? Attacks on a document base, counted as in `siege`."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.experiment import Bar, Experiment, Measurement, Outcome
from benchmarks.experiments.siege import shared_out

ADDERS, DAMAGES = 200, 1_000


def adders(bench: Bench) -> Outcome:
    """Processes that add documents are killed, at every call of a change and at moments of chance."""
    from benchmarks.siege.kill_adders import kill_adders

    return shared_out(kill_adders, bench, ADDERS, share=50)


def damages(bench: Bench) -> Outcome:
    """Files of a base are damaged, and their checksums with them."""
    from benchmarks.siege.damage_bases import damage_bases

    return shared_out(damage_bases, bench, DAMAGES, share=125)


EXPERIMENT = Experiment(
    name="siege_documents",
    question="Is a document lost, or a damaged base answered from?",
    measurements=(
        Measurement("adders", "processes killed that add documents", "survived", adders, Bar(ADDERS)),
        Measurement("damages", "damaged files of document bases", "refused, or nothing lost", damages, Bar(DAMAGES)),
    ),
)
