"""Which routes does the service have?"""
