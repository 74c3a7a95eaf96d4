"""A pytest plugin for unit tests of kernels. Installed, it is there; else pytest_plugins = ["crosslane.pytest"].

    def test_scale(kernel, assert_clean, assert_close):
        scale = kernel("scale.cl")
        data = np.arange(1000, dtype=np.float32)
        assert_clean(scale[1000, 256], data, 2.0, 1000)
        assert_close(data, np.arange(1000) * 2)
"""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Dict, Sequence, Tuple, Union

import pytest

from . import testing
from .module import Context, Kernel, Module

_loaded = pytest.StashKey[Dict[Tuple[Any, ...], Module]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("crosslane")
    group.addoption("--crosslane-target", default="", metavar="gfx900",
                    help="what OpenCL C and HIP are compiled for, unless a test says it")
    group.addoption("--crosslane-check", default=testing.ALL_CHECKS, metavar="CHECKS",
                    help="what assert_clean looks for, unless a test says it (default: %(default)s)")


def _find(path: Union[str, "os.PathLike[str]"], request: pytest.FixtureRequest) -> Path:
    """Beside the test, or from where pytest's rootdir is."""
    folders = (request.path.parent, request.config.rootpath)
    for folder in folders:
        if (found := folder / path).exists():
            return found
    raise FileNotFoundError(f"{os.fspath(path)} is neither in {folders[0]} nor in {folders[1]}")


@pytest.fixture
def kernel(request: pytest.FixtureRequest) -> Callable[..., Kernel]:
    """kernel("scale.cl"), kernel("scale.cl", "name", target="gfx906", clang=["-DN=16"]): loaded once in a session."""
    modules: Dict[Tuple[Any, ...], Module] = request.config.stash.setdefault(_loaded, {})

    def load(file: Union[str, "os.PathLike[str]"], name: str = "", *, target: str = "",
             clang: Sequence[str] = ()) -> Kernel:
        path = _find(file, request)
        if not target and path.suffix in (".cl", ".hip"):
            target = request.config.getoption("--crosslane-target")
        options = (clang,) if isinstance(clang, str) else tuple(clang)
        key = (path, path.stat().st_mtime_ns, target, options)
        if key not in modules:
            modules[key] = Context().load(path, target=target, clang=options)
        modules[key].reset()  # no test sees what another one left in variables
        return modules[key][name]

    return load


@pytest.fixture
def assert_clean(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """crosslane.testing.assert_clean, with the checks of --crosslane-check."""

    def launch(kernel: Any, *args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        keywords.setdefault("check", request.config.getoption("--crosslane-check"))
        return testing.assert_clean(kernel, *args, **keywords)

    return launch


@pytest.fixture
def assert_close() -> Callable[..., None]:
    """crosslane.testing.assert_close."""
    return testing.assert_close
