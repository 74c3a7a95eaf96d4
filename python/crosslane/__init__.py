"""Kernels of AMD GPUs on this machine's CPU.

    import crosslane, numpy as np
    module = crosslane.load("examples/vector_add.cl")
    c = np.zeros(1000, np.float32)
    result = module.vector_add[1000, 256](a, b, c, 1000)
"""
from __future__ import annotations

import os
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _native
from .arguments import Local, Parameter, local
from .arrays import Array, Shape
from .capture import Capture, Dispatch
from .errors import (ArgumentError, ArgumentRangeError, Cancelled, CompileError, DeviceMemoryError, Different,
                    Error, Fault, FindingsError, KernelError, KernelFault, LaunchError, OutputError, Refused,
                    Timeout, UnknownName)
from .launch import Launch, Launcher, Progress
from .module import Context, Kernel, Module, default_context
from .result import Result

__version__: str = _native.version()

#: "v4", "v3" or "v1": the x86-64 level of the host that is in use.
host_level = _native.host_level
#: What kernels may be for: "gfx600", ...
targets = _native.targets
#: For the option `gpu`: "vega10", ...
cards = _native.cards


def set_jit(policy: str) -> None:
    """"on", "off", "always" or "verify", as CROSSLANE_JIT: for the process, before its first launch."""
    try:
        _native.set_jit(policy)
    except UnknownName:
        raise UnknownName(f"JIT policy '{policy}': there are on, off, always and verify") from None
    except Error:
        raise Error(f"JIT policy '{policy}': a launch has settled on another one; say it before the first") from None


def load(file: Union[str, "os.PathLike[str]"], *, target: str = "", clang: Sequence[str] = ()) -> Module:
    return default_context().load(file, target=target, clang=clang)


def compile(source: Union[str, bytes], language: str = "opencl", *, name: Optional[str] = None, target: str = "",
            clang: Sequence[str] = ()) -> Module:
    return default_context().compile(source, language, name=name, target=target, clang=clang)


def load_capture(folder: Union[str, "os.PathLike[str]"]) -> Capture:
    return default_context().load_capture(folder)


def zeros(shape: Shape, dtype: Any = np.float32, *, name: str = "buffer") -> Array:
    return default_context().zeros(shape, dtype, name=name)


def empty(shape: Shape, dtype: Any = np.float32, *, name: str = "buffer") -> Array:
    return default_context().empty(shape, dtype, name=name)


def array(values: Any, dtype: Any = None, *, name: str = "buffer") -> Array:
    return default_context().array(values, dtype, name=name)


for _function in (load, compile, load_capture, zeros, empty, array):
    _function.__doc__ = getattr(Context, _function.__name__).__doc__
del _function

__all__ = [
    "ArgumentError", "ArgumentRangeError", "Cancelled", "Capture", "CompileError", "Context", "DeviceMemoryError", "Different", "Dispatch",
    "Error", "Fault", "FindingsError", "Kernel", "KernelError", "KernelFault", "Launch", "LaunchError", "Launcher",
    "Local", "Module", "OutputError", "Parameter", "Progress", "Refused", "Result", "Timeout", "UnknownName",
    "array", "cards", "compile", "default_context", "empty", "host_level", "load", "load_capture", "local", "set_jit", "targets",
    "zeros",
]
