"""Exact searches in integers: over all clauses, and over all rule sets made of some clauses.

``engines`` sum over the covered samples: numpy is the specification, numba and PyTorch are held
equal to it. No solver takes part, and nothing here is rounded.
"""
