"""How fast and how far: certified gaps, and ratios measured side by side."""
