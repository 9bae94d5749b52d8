"""How is a new event compared with the documents that came before?"""
