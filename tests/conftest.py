"""How many random examples a run takes: ``--hypothesis-profile=thorough`` takes many more."""

from hypothesis import HealthCheck, settings

_COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow],
}
settings.register_profile("boolrules", max_examples=30, **_COMMON)
settings.register_profile("thorough", max_examples=2000, **_COMMON)
settings.load_profile("boolrules")
