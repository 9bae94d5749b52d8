"""What is asked of expressions alone?"""
