"""In which environments does Eligo run? Fresh ones are made, tried and measured; none of them is in the repository."""
