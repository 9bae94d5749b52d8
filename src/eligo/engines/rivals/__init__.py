"""With what does Whang 2009 compare itself? SIFT, Propagation and a scan of posting lists."""
