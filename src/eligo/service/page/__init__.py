"""What do people see of a service?"""
