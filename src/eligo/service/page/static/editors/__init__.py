"""Where does a person write?"""
