"""Measurements of boolrules: of its speed here, of rivals later."""
