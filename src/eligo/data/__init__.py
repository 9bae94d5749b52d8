"""Which integers stand for what an event can have? The vocabulary, and values in columns of fixed size."""
