"""A fitted model as a value: it predicts, explains, is saved and loaded, and can be verified."""
