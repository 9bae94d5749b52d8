"""How do tables get in and out? Of events and of expressions, in every format, with every value's kind."""
