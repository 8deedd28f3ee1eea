"""How the tests call the command line."""

import pytest

from boolrules.cli.main import main


@pytest.fixture
def call(capsys):
    """Run the command line in this process: exit code, stdout, stderr."""

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
