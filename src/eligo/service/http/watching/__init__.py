"""What is known of how a service is asked?"""
