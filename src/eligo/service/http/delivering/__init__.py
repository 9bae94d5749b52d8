"""What is said over HTTP of publications and subscriptions?"""
