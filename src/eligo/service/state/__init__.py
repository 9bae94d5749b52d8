"""What does a service know, and how does it keep it?"""
