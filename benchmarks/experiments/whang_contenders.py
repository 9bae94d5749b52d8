"""Who meets in the figures of Whang 2009? The paper's algorithms, ours beside them, and the rivals.

"lists as in the paper" is Algorithm 1 or 2 on inverted lists; without it, the same engine goes through a tree of common
beginnings. The paper splits expressions into conjunctions for its rivals and deduplicates them for its own algorithm
only: "not deduplicated" is a rival as it was compared there, without it the rival has the same items as ours.

Where the paper prints a range over a whole figure ("11.2 to 20.9 times"), each ratio of that figure stands beside the
range: which end belongs to which point is not printed.
"""

from __future__ import annotations

from benchmarks.contest import Contender

APART = {"deduplicate": False}

K_INDEX = Contender("k_index", "k_index")
K_INDEX_LISTS = Contender("k_index, lists as in the paper", "k_index", "match_by_lists")
PROPAGATION = Contender("propagation", "propagation")
PROPAGATION_APART = Contender("propagation, not deduplicated", "propagation", options=APART)
SIFT = Contender("sift", "sift")
SIFT_APART = Contender("sift, not deduplicated", "sift", options=APART)
SCAN = Contender("scan", "scan", num_events=4)

CNF = Contender("cnf", "cnf")
CNF_LISTS = Contender("cnf, lists as in the paper", "cnf", "match_by_lists")
PSCAN = Contender("pscan", "pscan")
PSCAN_APART = Contender("pscan, not deduplicated", "pscan", options=APART)

K_INDEX_TOP = Contender("k_index, top 5", "k_index", "top")
K_INDEX_LISTS_TOP = Contender("k_index, top 5, lists as in the paper", "k_index", "top_by_lists")
CNF_TOP = Contender("cnf, top 5", "cnf", "top")
CNF_LISTS_TOP = Contender("cnf, top 5, lists as in the paper", "cnf", "top_by_lists")

DNF = (K_INDEX, K_INDEX_LISTS, PROPAGATION, PROPAGATION_APART, SIFT, SIFT_APART)

CNF_MONTHS = 8
"""Months at which the share of CNF expressions that match comes near the paper's 5.16 %."""
