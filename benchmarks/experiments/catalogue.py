"""Which experiments are there? An experiment joins by standing in this list."""

from __future__ import annotations

from importlib import import_module

from benchmarks.experiment import Experiment

NAMES = (
    "sharing",
    "a_tree_fig9",
    "a_tree_fig10",
    "a_tree_growth",
    "a_tree_reorganisation",
    "default_engine",
    "cold",
    "spark_pipeline",
    "stores",
    "whang_load",
    "whang_fig14",
    "whang_fig15",
    "whang_fig16",
    "whang_fig17",
    "whang_fig18",
    "whang_fig19",
    "fontoura_depth",
    "fontoura_size",
    "fontoura_selectivity",
    "field",
    "a_tree_table4",
    "a_tree_shares",
    "dense",
    "a_tree_fig8",
    "a_tree_sweeps",
    "range_lists",
    "tatbul_fig7",
    "tatbul_fig8",
    "tatbul_table1",
    "range_sweep",
    "range_choice",
    "million_ranges",
    "joins",
    "scale",
    "neighbours",
    "siege",
    "siege_documents",
    "siege_service",
    "service",
)


def get(name: str) -> Experiment:
    """The experiment of that name."""
    if name not in NAMES:
        raise KeyError(f"there is no experiment {name!r}; there are: {', '.join(NAMES)}")
    experiment: Experiment = import_module(f"benchmarks.experiments.{name}").EXPERIMENT
    return experiment
