"""Which loops find facts, and count, cluster or collect by them?"""
