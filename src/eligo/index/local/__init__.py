"""How is a file of events matched in this process, without Spark?"""
