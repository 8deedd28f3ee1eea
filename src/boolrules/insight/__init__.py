"""What people ask of a model: a report, its alternatives, and what an edit would change."""
