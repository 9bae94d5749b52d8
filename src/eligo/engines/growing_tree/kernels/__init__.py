"""Which loops search and match in a tree that grows?"""
