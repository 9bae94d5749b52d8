"""What is asked of an index on Spark? Match, top, count, explain, diff and stream."""
