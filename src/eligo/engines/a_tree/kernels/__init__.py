"""Which loops build a frozen tree, and walk it with one event or a block of them?"""
