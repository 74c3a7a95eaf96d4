"""What unit tests of kernels ask: that a launch is clean, and that results are right. Fixtures: crosslane.pytest."""
from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from .errors import FindingsError
from .launch import Launcher
from .module import Kernel
from .result import Result

#: What assert_clean() looks for.
ALL_CHECKS = "memory,sync,race,init"


def assert_clean(kernel: Union[Kernel, Launcher], *args: Any, check: str = ALL_CHECKS, **keywords: Any) -> Result:
    """Launches kernel[grid, block], or a kernel with grid=..., with those arguments under `check`; findings are an
    AssertionError with their text."""
    __tracebackhide__ = True
    if isinstance(kernel, Launcher):
        keywords = {"grid": kernel.grid, "block": kernel.block, **keywords}
        kernel = kernel.kernel
    try:
        return kernel.launch(*args, check=check, strict=True, **keywords)
    except FindingsError as error:
        assert error.result is not None
        count = error.result.stats["findings"]
        told = f"{count} finding{'s' if count != 1 else ''} of check=\"{check}\" in {kernel.name}:\n{error}"
        raise FindingsError(told, error.result) from None


def assert_close(actual: Any, expected: Any, rtol: Optional[float] = None, atol: float = 0, name: str = "") -> None:
    """numpy.testing's comparison and messages. By default integers are equal, and floating-point numbers within four
    units in the last place of the type of `actual`: about what a few roundings come to."""
    __tracebackhide__ = True
    actual, expected = np.asarray(actual), np.asarray(expected)
    if rtol is None:
        rtol = 4 * float(np.finfo(actual.dtype).eps) if actual.dtype.kind in "fc" else 0
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol, err_msg=name)
