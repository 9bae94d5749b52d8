"""How does Whang 2009 match? With K-indexes of conjunctions or of CNF expressions, and trees of beginnings."""
