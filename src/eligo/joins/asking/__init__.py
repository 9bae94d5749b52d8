"""Which parts of expressions are decided for an event, and which need not be?"""
