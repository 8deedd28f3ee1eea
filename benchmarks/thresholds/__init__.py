"""Deciles against every threshold: what is lost and proved, and what rows left out say."""
