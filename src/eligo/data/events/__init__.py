"""How does an event become keys and cells? From a mapping, JSON lines, or the columns of a table."""
