"""Which files does a browser get?"""
