"""NumPy arrays in the memory of the device, and how NumPy's types are called there."""
from __future__ import annotations

import math
from typing import Any, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _native

Array = NDArray[Any]
Shape = Union[int, Tuple[int, ...]]

#: crosslane_type, in its order; 0 is unknown.
_TYPES = (None,) + tuple(np.dtype(name) for name in (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "bool"))


def dtype_of(element: int) -> Optional[np.dtype[Any]]:
    return _TYPES[element]


def view(memory: Any, shape: Shape, dtype: Any) -> Array:
    """An array over what has the buffer protocol, which lives as long as any view of it."""
    return np.ndarray(shape, dtype, buffer=memory)


def device_array(context: _native.Context, shape: Shape, dtype: Any, name: str) -> Array:
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise TypeError(f"a kernel cannot use Python objects: dtype {dtype}")
    count = math.prod(shape) if isinstance(shape, tuple) else int(shape)
    if count < 0:
        raise ValueError(f"negative dimensions are not allowed: {shape}")
    return view(context.buffer(count * dtype.itemsize, name), shape, dtype)


def device_memory(array: Array) -> Optional[_native.Buffer]:
    """The device's buffer that an array is a view of; None: it lies in memory of NumPy's or somebody else's."""
    base = array.base
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview):
        base = base.obj
    return base if isinstance(base, _native.Buffer) else None


def address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])
