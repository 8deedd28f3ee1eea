"""The command line: one module per command, and ``main`` that puts them together."""
