"""Which loops make decision diagrams, share them, and walk them?"""
