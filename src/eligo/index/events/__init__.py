"""How does an index read tables of events? Block by block, in one layout; bad events are put aside."""
