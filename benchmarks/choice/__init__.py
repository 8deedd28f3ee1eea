"""Which rule of choosing the complexity is best."""
