"""Which expressions do not fit the events that come?"""
