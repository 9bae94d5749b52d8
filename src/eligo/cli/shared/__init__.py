"""What do commands share? Options, files, sessions, steps, and how they speak and end."""
