"""Which loops grow trees with conjunctions as leaves, label these, and evaluate by labels alone?"""
