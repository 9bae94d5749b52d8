"""What must hold of facts for a literal to hold? One of six things, since a predicate is hit or not, and there or not.

A positive literal that holds when its attribute is missing is an OR of two facts, a negated one that does not is an
AND; all others are a fact, its opposite, or decided in advance:

    a = 3                     TRUE_FACT      a = 3             not (a = 3), weak     FALSE_FACT       a = 3
    a = 3, or a is missing    TRUE_OR_AWAY   a = 3, a there    not (a = 3), strong   FALSE_BUT_THERE  a = 3, a there
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.engines.kernels.clauses import ALWAYS, IN_ATOM, NEVER, WEAK_OUT_ATOM
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE
from eligo.kernels.parameter_types import UInt32s

NEVER_HOLDS, ALWAYS_HOLDS, TRUE_FACT, FALSE_FACT, TRUE_OR_AWAY, FALSE_BUT_THERE = range(6)
"""What a literal wants: nothing helps; nothing is needed; its fact is true; its fact is false; its fact is true or the
other one, that its attribute is there, is false; its fact is false and the other one is true."""


class LiteralFacts(NamedTuple):
    """For each literal: what it wants of which facts."""

    kinds: npt.NDArray[np.uint8]
    """NEVER_HOLDS to FALSE_BUT_THERE."""
    facts: npt.NDArray[np.uint32]
    """The predicate that is hit, or the number of predicates plus the attribute that is there; NONE without one."""
    others: npt.NDArray[np.uint32]
    """The number of predicates plus the attribute that is there, where the kind has two facts; else NONE."""


@kernel
def find_literal_facts(
    firsts: UInt32s, seconds: UInt32s, attribute_of_predicate: UInt32s, literals: LiteralFacts
) -> None:
    """Write the facts of literals, given their atoms; see `clauses.literal_atoms`."""
    num_predicates = len(attribute_of_predicate)
    missing_base = 4 * num_predicates
    for literal in range(len(firsts)):
        literals.facts[literal] = NONE
        literals.others[literal] = NONE
        if firsts[literal] == NEVER or firsts[literal] == ALWAYS:
            literals.kinds[literal] = ALWAYS_HOLDS if firsts[literal] == ALWAYS else NEVER_HOLDS
            continue
        atom = np.int64(firsts[literal])
        if atom >= missing_base:
            literals.facts[literal] = num_predicates + ((atom - missing_base) >> 1)
            literals.kinds[literal] = TRUE_FACT if atom & 1 == 1 else FALSE_FACT
            continue
        predicate = atom >> 2
        literals.facts[literal] = predicate
        if atom & 3 == IN_ATOM:
            literals.kinds[literal] = TRUE_FACT if seconds[literal] == NONE else TRUE_OR_AWAY
        else:
            literals.kinds[literal] = FALSE_FACT if atom & 3 == WEAK_OUT_ATOM else FALSE_BUT_THERE
        if literals.kinds[literal] >= TRUE_OR_AWAY:
            literals.others[literal] = num_predicates + np.int64(attribute_of_predicate[predicate])
