"""Examples in docstrings run."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import sfumato

MODULES = [
    found.name
    for found in pkgutil.walk_packages(sfumato.__path__, "sfumato.")
    if not found.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    assert doctest.testmod(import_module(name)).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    found = sum(bool(t.examples) for name in MODULES for t in finder.find(import_module(name)))
    assert found >= 25
