"""Does a million ranges on one attribute fit, if half of their pairs overlap? 40 bytes, 2 µs and 10 s are the bars.

A lookup finds where in the structure the answer lies, and how many ranges it has, and does not write them out. It is
one value of a batch of a thousand that were never asked before; the figure is the median of batches. `auto` is what is
chosen for these ranges.
"""

from __future__ import annotations

from functools import partial

from benchmarks.experiment import Bar, Experiment
from benchmarks.range_races import BUILD, BYTES, LOOKUP, Race, floats_with_overlap, race_ranges
from eligo.ranges.structures import STRUCTURES

MILLION = 1_000_000
CONTENDERS = ("auto", *STRUCTURES)
RACE = Race(
    "ranges",
    {MILLION: partial(race_ranges, make=partial(floats_with_overlap, MILLION, 0.5), contenders=CONTENDERS)},
    CONTENDERS,
)

EXPERIMENT = Experiment(
    "million_ranges",
    "Does a million ranges fit, if half of their pairs overlap?",
    (
        RACE.row(MILLION, "auto", BYTES, Bar(40, at_least=False)),
        RACE.row(MILLION, "auto", LOOKUP, Bar(2, at_least=False)),
        RACE.row(MILLION, "auto", BUILD, Bar(10, at_least=False)),
        *(RACE.row(MILLION, name, metric, None) for name in STRUCTURES for metric in (BYTES, LOOKUP, BUILD)),
    ),
)
