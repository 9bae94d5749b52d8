"""How are expressions matched while they come and go? In A-Tree 2021's tree, which changes in place."""
