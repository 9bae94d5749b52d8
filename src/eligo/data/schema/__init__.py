"""What may attributes hold? Schemas, hierarchies, and the two attributes that guards ask for."""
