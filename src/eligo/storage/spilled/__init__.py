"""Where does wait what a build has made and memory need not hold?"""
