"""How else is an expression written? In JSON, as the WHERE of SQL, or in Python."""
