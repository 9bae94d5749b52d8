"""Which loops read events from memory as others laid it out?"""
