"""What did a job do? Pages with numbers and plots, which need neither Spark nor a server."""
