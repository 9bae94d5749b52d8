"""Which loops look something up in a vocabulary? Also what any kernel sees of events and expressions (`tables`)."""
