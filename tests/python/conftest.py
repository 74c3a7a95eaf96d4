"""What the tests of the Python module share."""
from pathlib import Path

import pytest

import crosslane

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def example():
    """example("vector_add.cl"): a module, loaded once."""
    loaded = {}

    def load(name, **options):
        key = (name, repr(options))
        if key not in loaded:
            loaded[key] = crosslane.load(ROOT / "examples" / name, **options)
        return loaded[key]

    return load


@pytest.fixture
def rng():
    import numpy
    return numpy.random.default_rng(7)
