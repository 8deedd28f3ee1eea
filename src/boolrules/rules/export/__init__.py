"""Rules in other languages: SQL and Python to run, LaTeX and Markdown to read."""
