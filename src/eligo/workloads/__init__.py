"""What can be tried without data of one's own? The papers' workloads and a sample, made from a seed at any size."""
