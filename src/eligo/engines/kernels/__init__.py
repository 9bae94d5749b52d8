"""Which loops do several engines share? The state of an event, normal forms, scores and marks."""
