"""What does Eligo cost, and against what? Workloads of the papers, experiments on them, stored results, plots."""
