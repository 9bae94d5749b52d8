"""Which commands run a service?"""
