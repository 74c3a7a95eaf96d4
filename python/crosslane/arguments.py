"""From Python's values to a kernel's arguments: numbers by the parameter's type, arrays by the memory that they lie in.

An array in memory of the device goes as its address. Any other that is contiguous is copied to the device when the
launch begins, and back when it has completed; one that is not, by way of a contiguous copy. Arrays that overlap are one
buffer, so that kernels see them overlap; where copies would hide that, it is an error.
"""
from __future__ import annotations

import ctypes
import operator
import struct
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Type

import numpy as np

from . import _native
from .arrays import Array, address, device_memory, dtype_of
from .errors import ArgumentError, ArgumentRangeError, LaunchError

VALUE, POINTER, LOCAL, UNSUPPORTED = range(4)
KINDS = ("value", "pointer", "local", "unsupported")


@dataclass(frozen=True)
class Parameter:
    """What a kernel takes."""

    name: str  #: may be empty
    type: str  #: as the source writes it; may be empty
    kind: str  #: "value", "pointer", "local" or "unsupported"
    bytes: int
    dtype: Optional[np.dtype[Any]]  #: of an element; None: a structure, or not known
    elements: int  #: of a vector, 4 for those of 3
    read_only: bool  #: a pointer to const

    def __str__(self) -> str:
        return f"{self.type or self.kind} {self.name}".strip()


@dataclass(frozen=True)
class Local:
    """Bytes of dynamic LDS, for a local pointer."""

    bytes: int


def local(bytes: int) -> Local:
    """So many bytes of dynamic LDS, for a parameter that is a local pointer."""
    return Local(int(bytes))


def parameters_of(kernel: _native.Kernel) -> Tuple[Parameter, ...]:
    return tuple(Parameter(name, type, KINDS[kind], size, dtype_of(element), elements, read_only)
                 for name, type, kind, size, element, elements, read_only in kernel.parameters)


def _describe(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}"
    if isinstance(value, np.generic):
        return f"a {value.dtype}"
    return "None" if value is None else f"a {type(value).__name__}"


_TooHard: Any = getattr(np, "exceptions", np).TooHardError  # NumPy 2 has moved it


def _same_view(a: Array, b: Array) -> bool:
    return address(a) == address(b) and (a.shape, a.strides, a.dtype) == (b.shape, b.strides, b.dtype)


def _overlap(a: Array, b: Array) -> bool:
    try:
        return np.shares_memory(a, b, max_work=10_000)
    except _TooHard:
        return True


@dataclass
class _Copy:
    """Of an array that is not contiguous."""

    name: str
    array: Array
    contiguous: Array
    put_back: bool


class Binder:
    """The arguments of one launch, and what has to stay while it may run: the library copies from and to the arrays."""

    def __init__(self, context: _native.Context, launch: _native.Launch, signature: str,
                 parameters: Optional[Tuple[Parameter, ...]]) -> None:
        self._context, self._launch, self._signature = context, launch, signature
        self._parameters = parameters  # None: not known
        self._arrays: List[Tuple[int, int, Array, bool, str]] = []  # address, index, contiguous, put back, name
        self._copies: List[_Copy] = []
        self._given: List[Tuple[str, Array, bool]] = []  # name, whether contiguous or not, put back
        self.words: List[str] = []  # names of parameters that were given in words

    def bind(self, args: Tuple[Any, ...], named: Dict[str, Any]) -> None:
        if self._parameters is None:
            if named:
                raise ArgumentError(f"the kernel has no metadata, and so no names: '{next(iter(named))}'")
            for index, value in enumerate(args):
                self._set_untyped(index, value)
        else:
            for index, value in enumerate(self._in_order(self._parameters, args, named)):
                self._set(index, self._parameters[index], value)
        self._wrap()

    def begin(self) -> None:
        """Before each run: copies have what their arrays have."""
        for copy in self._copies:
            np.copyto(copy.contiguous, copy.array)

    def complete(self) -> None:
        """After a run that completed."""
        for copy in self._copies:
            if copy.put_back:
                np.copyto(copy.array, copy.contiguous)

    def _error(self, parameter: Parameter, text: str, kind: Type[LaunchError] = ArgumentError) -> LaunchError:
        return kind(f"argument '{parameter.name}': {text}\n  kernel: {self._signature}")

    def _in_order(self, parameters: Tuple[Parameter, ...], args: Tuple[Any, ...], named: Dict[str, Any]) -> List[Any]:
        if len(args) > len(parameters):
            raise ArgumentError(f"{len(args)} arguments for {len(parameters)} parameters\n  kernel: {self._signature}")
        values = list(args)
        for index, parameter in enumerate(parameters):
            if index < len(args):
                if parameter.name in named:
                    raise ArgumentError(f"argument '{parameter.name}' is given twice\n  kernel: {self._signature}")
            elif parameter.name in named:
                values.append(named[parameter.name])
            else:
                raise ArgumentError(f"argument '{parameter.name or index}' is missing\n  kernel: {self._signature}")
        return values

    def _set(self, index: int, parameter: Parameter, value: Any) -> None:
        if isinstance(value, str):
            name = parameter.name or f"arg{index}"
            self.words.append(name)
            self._launch.word(f"{name}={value}")
        elif parameter.kind == "value":
            self._launch.value(index, self._bytes(parameter, value))
        elif parameter.kind == "pointer":
            self._set_pointer(index, parameter, value)
        elif parameter.kind == "local":
            if not isinstance(value, Local):
                raise self._error(parameter, f"a local pointer needs crosslane.local(bytes), not {_describe(value)}")
            self._launch.local(index, value.bytes)
        else:
            raise self._error(parameter, f"parameters of type {parameter.type} are not supported", LaunchError)

    # ---- Values

    def _bytes(self, parameter: Parameter, value: Any) -> bytes:
        if isinstance(value, (bytes, bytearray)):
            data = bytes(value)
        elif isinstance(value, np.void) or isinstance(value, np.ndarray) and value.dtype.names:
            data = value.tobytes()
        elif parameter.dtype is None:
            data = self._of_size(parameter, value)
        elif parameter.elements > 1 or isinstance(value, np.ndarray):
            data = self._vector(parameter, value)
        else:
            data = self._number(parameter, parameter.dtype, value)
        if len(data) != parameter.bytes:
            raise self._error(parameter, f"{len(data)} bytes where {parameter} has {parameter.bytes}")
        return data

    def _of_size(self, parameter: Parameter, value: Any) -> bytes:
        """Where the type is not known, as in HIP's extern "C" kernels: a number says what it is, and so do NumPy's."""
        if isinstance(value, (np.generic, np.ndarray)):
            return value.tobytes()
        if parameter.bytes in (1, 2, 4, 8):
            if isinstance(value, float) and parameter.bytes > 1:
                return self._number(parameter, np.dtype(f"f{parameter.bytes}"), value)
            if isinstance(value, int):
                return self._number(parameter, np.dtype(f"{'i' if value < 0 else 'u'}{parameter.bytes}"), value)
        raise self._error(parameter, f"a structure of {parameter.bytes} bytes needs an element of a structured array, "
                                     f"or bytes, not {_describe(value)}")

    def _vector(self, parameter: Parameter, value: Any) -> bytes:
        assert parameter.dtype is not None
        count = parameter.bytes // parameter.dtype.itemsize
        try:
            values = list(value.ravel()) if isinstance(value, np.ndarray) else list(value)
        except TypeError:
            values = [value] * count  # one for all, as OpenCL C has it
        if count == 4 and len(values) == 3:
            values.append(0)
        if len(values) != count:
            raise self._error(parameter, f"{len(values)} values where {count} are needed")
        return b"".join(self._number(parameter, parameter.dtype, v) for v in values)

    def _number(self, parameter: Parameter, dtype: np.dtype[Any], value: Any) -> bytes:
        if dtype.kind == "f":
            try:
                return struct.pack("<" + dtype.char, value)
            except OverflowError:
                raise self._error(parameter, f"{value} is beyond {dtype}", ArgumentRangeError) from None
            except struct.error:
                raise self._error(parameter, f"{_describe(value)} where a number is needed") from None
        try:
            number = int(value) if isinstance(value, np.bool_) else operator.index(value)
        except TypeError:
            raise self._error(parameter, f"{_describe(value)} where an integer is needed") from None
        if dtype.kind == "b":
            return bytes([number != 0])
        try:
            return number.to_bytes(dtype.itemsize, "little", signed=dtype.kind == "i")
        except OverflowError:
            limits = np.iinfo(dtype)
            raise self._error(parameter, f"{value} is not from {limits.min} to {limits.max}",
                              ArgumentRangeError) from None

    # ---- Pointers

    def _set_pointer(self, index: int, parameter: Parameter, value: Any) -> None:
        if value is None:
            self._launch.buffer(index, None, 0)
            return
        if isinstance(value, ctypes.c_void_p):
            self._launch.pointer(index, value.value or 0)
            return
        array = self._as_array(value)
        if array is None:
            raise self._error(parameter, f"{parameter} needs an array, not {_describe(value)}")
        self._judge(parameter, array)
        put_back = array.flags.writeable and not parameter.read_only
        self._set_array(index, array, put_back, parameter.name or f"arg{index}")

    @staticmethod
    def _as_array(value: Any) -> Optional[Array]:
        """The memory of whatever shares it; nothing is copied."""
        if isinstance(value, np.ndarray):
            return value
        if isinstance(value, np.generic):
            return None
        if hasattr(value, "__array_interface__"):
            return np.asarray(value)
        try:
            return np.asarray(memoryview(value))
        except (TypeError, ValueError):
            return None

    def _judge(self, parameter: Parameter, array: Array) -> None:
        """The command's rule: signedness and bytes are the user's business; another size or kind is a mistake."""
        dtype, wanted = array.dtype, parameter.dtype
        if dtype.hasobject:
            raise self._error(parameter, "an array of Python objects; give it a dtype")
        if not dtype.isnative:
            raise self._error(parameter, f"an array of {dtype}, which is not in the byte order of the GPU")
        if wanted is None or dtype in (np.uint8, np.int8):
            return
        if dtype.names or dtype.kind == "V":
            fits = parameter.elements > 1 and dtype.itemsize == wanted.itemsize * parameter.elements
        elif dtype.kind == "c":
            fits = wanted.kind == "f" and parameter.elements == 2 and dtype.itemsize == 2 * wanted.itemsize
        else:
            fits = (dtype.itemsize == wanted.itemsize and (dtype.kind == "f") == (wanted.kind == "f") and
                    dtype.kind in "iufb")
        if not fits:
            raise self._error(parameter, f"an array of {dtype} where {wanted} is needed")

    def _set_array(self, index: int, array: Array, put_back: bool, name: str) -> None:
        self._given.append((name, array, put_back))
        if not array.flags.c_contiguous:
            array = self._copy_of(array, put_back, name).contiguous
        elif (memory := device_memory(array)) is not None:
            self._launch.buffer(index, memory, address(array) - memory.address)
            return
        self._arrays.append((address(array), index, array, put_back, name))

    def _copy_of(self, array: Array, put_back: bool, name: str) -> _Copy:
        for copy in self._copies:
            if _same_view(copy.array, array):
                copy.put_back |= put_back
                return copy
        self._copies.append(_Copy(name, array, np.empty(array.shape, array.dtype), put_back))
        return self._copies[-1]

    def _wrap(self) -> None:
        """One buffer for each run of arrays that overlap."""
        for copy in self._copies:
            for name, other, put_back in self._given:
                if (copy.put_back or put_back) and not _same_view(copy.array, other) and _overlap(copy.array, other):
                    raise LaunchError(f"arguments '{copy.name}' and '{name}' overlap and are not contiguous, so that "
                                      f"the kernel would not see it: give it a copy\n  kernel: {self._signature}")
        runs: List[List[Any]] = []  # begin, end, put back, name, arguments
        for begin, index, array, put_back, name in sorted(self._arrays, key=lambda a: a[0]):
            end = begin + array.nbytes
            if runs and (begin < runs[-1][1] or begin == runs[-1][0]):
                runs[-1][1] = max(runs[-1][1], end)
                runs[-1][2] |= put_back
                runs[-1][4].append((index, begin))
            else:
                runs.append([begin, end, put_back, name, [(index, begin)]])
        for begin, end, put_back, name, arguments in runs:
            buffer = self._context.wrap(begin, end - begin, not put_back, name)
            for index, at in arguments:
                self._launch.buffer(index, buffer, at - begin)

    # ---- Kernels without metadata: values carry their types

    def _set_untyped(self, index: int, value: Any) -> None:
        if isinstance(value, str):
            self.words.append(f"arg{index}")
            self._launch.word(value)
        elif isinstance(value, Local):
            self._launch.local(index, value.bytes)
        elif value is None:
            self._launch.buffer(index, None, 0)
        elif isinstance(value, bytes):
            self._launch.value(index, value)
        elif isinstance(value, np.generic):
            self._launch.value(index, value.tobytes())
        elif (array := self._as_array(value)) is not None and not array.dtype.hasobject:
            self._set_array(index, array, array.flags.writeable, f"arg{index}")
        else:
            raise ArgumentError(f"argument {index}: the kernel has no metadata: {_describe(value)} does not say its "
                                f"type, numpy.int32(5) does\n  kernel: {self._signature}")
