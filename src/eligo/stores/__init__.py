"""Where can files be, beside this machine's disk? One border for every address."""
