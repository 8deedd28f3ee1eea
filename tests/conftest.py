"""How many random examples a run takes, and how tests call the command line.

``--hypothesis-profile=thorough`` takes many more examples.
"""

import pytest
from hypothesis import HealthCheck, settings

_COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow],
}
settings.register_profile("boolrules", max_examples=30, **_COMMON)
settings.register_profile("thorough", max_examples=2000, **_COMMON)
settings.load_profile("boolrules")


@pytest.fixture
def call(capsys):
    """Run the command line in this process: exit code, stdout, stderr."""
    from boolrules.cli.main import main

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
