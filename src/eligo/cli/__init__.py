"""What can be typed in a terminal? One file for each command; what they share is in `shared`."""
