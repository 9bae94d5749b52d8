"""How do answers become files? Whole, and of one attempt at each task."""
