"""Which loops turn values of events into keys and cells?"""
