"""How are records kept in order, so that none is lost that was acknowledged?"""
