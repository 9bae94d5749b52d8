"""How are messages posted to addresses that subscribers name?"""
