"""Which expressions does an event satisfy? One package for each engine or family, behind one protocol."""
