"""The paper's evaluation, and the rival learners: ``make bench-paper``."""
