"""What does a person see of expressions, events and the service?"""
