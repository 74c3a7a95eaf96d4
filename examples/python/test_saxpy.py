"""A kernel's unit tests: what it computes, that it goes nowhere else, and what it takes on a card. docs/python.md explains.

    python3 -m pytest examples/python              # where crosslane is installed; of a build: PYTHONPATH=build/release/python
"""
import numpy as np
import pytest

pytest_plugins = ["crosslane.pytest"]


@pytest.fixture
def saxpy(kernel):
    return kernel("../saxpy.cl", "saxpy")


@pytest.mark.parametrize("n", [1, 64, 1000])
def test_values(saxpy, assert_clean, assert_close, n):
    x, y = np.random.default_rng(n).standard_normal((2, n)).astype(np.float32)
    expected = 2.5 * x.astype(np.float64) + y
    assert_clean(saxpy[n, 64], 2.5, x, y, n)
    assert_close(y, expected, rtol=1e-6, atol=1e-7)


def test_accesses_are_coalesced(saxpy):
    profile = saxpy[4096, 256](2.0, np.zeros(4096, np.float32), np.zeros(4096, np.float32), 4096, profile="all").profile
    assert not [f["title"] for f in profile["kernels"][0]["findings"] if f["kind"] == "coalescing"]


def test_time_on_a_card(saxpy):
    result = saxpy[4096, 256](2.0, np.zeros(4096, np.float32), np.zeros(4096, np.float32), 4096, time=True, gpu="vega10")
    assert result.timing["nanoseconds"] < 20_000
