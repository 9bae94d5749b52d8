"""Which ranges does a value fall into? One file for each structure that tells; engines number its nodes as lists."""
