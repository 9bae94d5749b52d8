"""How are documents kept on disk, so that none is lost that was acknowledged?"""
