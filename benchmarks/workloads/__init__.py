"""The expression sets and events that experiments run on, one file a workload."""
