"""On what does it run? A Spark session, its Java, its workers, and how far they are."""
