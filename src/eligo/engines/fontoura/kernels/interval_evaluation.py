"""Is an expression true, by nothing but the intervals of its leaves that are? Fontoura 2010, Algorithm 5.

It is when some of them cover 1 to M one behind the other. The intervals come by where they begin; `matched` says for
each place whether one of them ends there behind others that begin at 1.

    A 1–1, D 1–4, E 5–5, F 6–10        matched   0 1 . . 4 5 . . . . 10      (Table 1)

All expressions that an event touches are gone through in one pass. A place is matched when it holds the number of the
current expression, so that nothing is cleared between two of them.
"""

from __future__ import annotations

import numpy as np

from eligo.engines.fontoura.kernels.dewey_evaluation import LABELS, SKIPPED, TOUCHED
from eligo.engines.fontoura.kernels.interval_labels import IntervalLabels
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Int64s, Integer, UInt32s

ONE = np.uint64(1)
LAST_STAMP = 0xFFFFFFFF
"""The number after which `matched` is cleared and numbers begin anew."""


@hot_loop
def add_interval(begin: Integer, end: Integer, stamp: Integer, matched: UInt32s) -> bool:
    """Take an interval in, in the order of beginnings; whether others cover everything up to it."""
    is_covered = bool(matched[begin - ONE] == stamp)
    if is_covered:
        matched[end] = stamp
    return is_covered


@hot_loop
def evaluate(
    true_leaves: UInt32s,
    true_offsets: Int64s,
    num_events: Integer,
    expression_of_leaf: UInt32s,
    labels: IntervalLabels,
    matched: UInt32s,
    last_stamp: Int64s,
    lengths: Int64s,
    positions: UInt32s,
    counts: Int64s,
) -> int:
    """Write the expressions that events satisfy, and how many each does; `true_offsets` parts leaves by event.

    `matched` has room for 0 to M, and holds no number above `last_stamp[0]`, which grows with each expression.
    """
    most_leaves = np.uint64(labels.most_leaves[0])
    stamp = last_stamp[0]
    count, num_skipped, num_touched, num_true = 0, 0, 0, 0
    for event in range(num_events):
        start = count
        number, end = true_offsets[event], true_offsets[event + 1]
        num_true += end - number
        while number < end:
            expression = expression_of_leaf[true_leaves[number]]
            if stamp == LAST_STAMP:
                for place in range(len(matched)):
                    matched[place] = 0
                stamp = 0
            stamp += 1
            matched[0] = stamp
            num_touched += 1
            is_open = True
            while number < end:
                leaf = np.uint64(true_leaves[number])
                if expression_of_leaf[leaf] != expression:
                    break
                number += 1
                if not is_open:
                    num_skipped += 1
                    continue
                upto = np.uint64(labels.label_end[leaf])
                if add_interval(np.uint64(labels.label_begin[leaf]), upto, stamp, matched) and upto == most_leaves:
                    positions[count] = expression
                    count += 1
                    is_open = False
        lengths[event] = count - start
    last_stamp[0] = stamp
    counts[LABELS] += num_true - num_skipped
    counts[SKIPPED] += num_skipped
    counts[TOUCHED] += num_touched
    return count
