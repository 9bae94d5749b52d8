"""Which loops turn parsed texts into tables? They number points and predicates and register them."""
