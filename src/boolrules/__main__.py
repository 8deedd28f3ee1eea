"""``python -m boolrules``: the command line."""

import sys

from boolrules.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
