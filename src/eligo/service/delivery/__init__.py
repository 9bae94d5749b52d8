"""How does a document reach those who subscribed to it?"""
