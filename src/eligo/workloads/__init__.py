"""The workloads of the papers: expressions and events made from a seed, as large as you like."""
