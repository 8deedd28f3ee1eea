"""The command line: ``boolrules demo | fit | predict | verify``."""
