"""What would a user take instead? Each neighbour with a small harness of ours, on the same expressions and events."""
