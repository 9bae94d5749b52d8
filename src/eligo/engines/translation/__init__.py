"""What does it cost to match conjunctions in place of expressions? Translation first, then another engine."""
