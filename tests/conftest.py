"""Shared by all tests: where the real data lies, and small tables of people."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# No test asserts a time, and a first call may have to compile.
settings.register_profile("sfumato", deadline=None)
settings.load_profile("sfumato")

DATA = Path(os.environ.get("SFUMATO_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data sets; tests that need it are skipped where it is absent."""
    if not DATA.is_dir():
        pytest.skip("no real data here: set SFUMATO_DATA to a folder that holds adult.parquet")
    return DATA
