"""How does a service keep up with an index, or a service, of another?"""
