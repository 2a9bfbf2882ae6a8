from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Solvers are slow the first time, and machines are noisy: no example fails for its time.
settings.register_profile(
    "quick", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "thorough", deadline=None, max_examples=1500, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("BINAIRO_HYPOTHESIS", "quick"))
