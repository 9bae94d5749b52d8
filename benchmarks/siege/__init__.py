"""What does it take to lose something, to answer wrongly, or to get stuck? A seeded, bounded attack on the system.

`tally` counts what happened; each of the other files is one way to attack. `benchmarks.experiments.siege` runs them
all, and `tests/benchmarks/test_siege.py` a short form of each.
"""
