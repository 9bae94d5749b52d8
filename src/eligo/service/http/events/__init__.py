"""How are events matched that come over HTTP?"""
