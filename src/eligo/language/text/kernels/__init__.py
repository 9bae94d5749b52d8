"""Which loops read a text? A shunting-yard over bytes, from tokens to the postfix form."""
