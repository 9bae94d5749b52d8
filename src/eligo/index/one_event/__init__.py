"""How is one event answered? From what is frozen, from what came since, and from documents."""
