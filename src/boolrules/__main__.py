"""``python -m boolrules``: the command line."""

import sys

from boolrules.cli.main import main

if __name__ == "__main__":
    code = main()
    # Where Ctrl-C was taken inside an exec, as dataclasses have it when they are imported, Python
    # would still end by that signal: its note of it is only cleared by the next one.
    exec("")
    sys.exit(code)
