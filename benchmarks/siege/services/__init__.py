"""What does it take to break a service? Kills, disks that fail, subscribers that do not answer, damaged logs."""
