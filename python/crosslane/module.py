"""Contexts, modules and kernels."""
from __future__ import annotations

import errno
import os
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native, arrays
from .arrays import Array
from .arguments import Parameter, parameters_of
from .capture import Capture
from .errors import ArgumentError, UnknownName
from .launch import Launch, Launcher, Progress, Size
from .result import Result

_ENDINGS = {"opencl": ".cl", "hip": ".hip", "asm": ".s"}


class Kernel:
    """A kernel of a module: kernel[grid, block](arguments)."""

    def __init__(self, module: "Module", native: _native.Kernel) -> None:
        self.module = module
        self._native = native
        #: Registers, LDS, scratch, block sizes.
        self.info: Dict[str, Any] = native.info
        self.name: str = self.info["name"]  #: as the source has it: "ns::f<3, float>"
        self.symbol: str = self.info["symbol"]
        self.signature: str = self.info["signature"]
        self.has_metadata: bool = self.info["has_metadata"]  #: False: parameters are not known
        self.parameters: Tuple[Parameter, ...] = parameters_of(native)
        self._names = frozenset(p.name for p in self.parameters if p.name)
        self.__doc__ = f"kernel {self.signature}"

    def __getitem__(self, size: Any) -> Launcher:
        """kernel[1000], kernel[1000, 256], kernel[(64, 64), (8, 8)]: work-items in all, and of a workgroup."""
        if not isinstance(size, tuple):
            return Launcher(self, size, None)
        if len(size) != 2:
            raise TypeError(f"kernel[grid, block], of which each may be a tuple, such as kernel[(64, 64), (8, 8)]; not "
                            f"{len(size)} sizes")
        return Launcher(self, size[0], size[1])

    def __call__(self, *args: Any, **keywords: Any) -> Result:
        raise TypeError(f"say how many work-items there are: {self.name}[grid, block](...), or "
                        f"{self.name}.launch(..., grid=...)")

    def prepare(self, *args: Any, grid: Optional[Size] = None, block: Optional[Size] = None,
                groups: Optional[Size] = None, arguments: Optional[Dict[str, Any]] = None,
                options: Optional[Dict[str, Any]] = None, strict: bool = False,
                progress: Optional[Callable[[Progress], Any]] = None, **keywords: Any) -> Launch:
        """What launch() does, but to run it, which Launch.run() does, as often as one likes."""
        named: Dict[str, Any] = dict(arguments or {})
        other: Dict[str, Any] = dict(options or {})
        for key, value in keywords.items():
            (named if key in self._names else other)[key] = value
        for key in named:
            if self.has_metadata and key not in self._names:
                raise ArgumentError(f"the kernel has no parameter '{key}'\n  kernel: {self.signature}")
        return Launch(self, grid, block, groups, args, named, other, strict, progress)

    def launch(self, *args: Any, grid: Optional[Size] = None, block: Optional[Size] = None,
               groups: Optional[Size] = None, arguments: Optional[Dict[str, Any]] = None,
               options: Optional[Dict[str, Any]] = None, strict: bool = False,
               progress: Optional[Callable[[Progress], Any]] = None, **keywords: Any) -> Result:
        """Runs it. A keyword is a parameter of that name, or else an option of launch descriptions: profile="all",
        check="memory,race", time=True, gpu="vega10", timeout=10, ... `arguments` and `options` are for names that mean
        something else here.

        grid: work-items; or groups: workgroups; block: work-items of one, by default what the kernel requires, or 256.
        strict: findings of `check` raise FindingsError. progress: called about ten times a second, in another thread,
        with a Progress; what it raises ends the launch.
        """
        return self.prepare(*args, grid=grid, block=block, groups=groups, arguments=arguments, options=options,
                            strict=strict, progress=progress, **keywords).run()

    def __repr__(self) -> str:
        return f"<kernel {self.signature} for {self.module.target}>"


class Module:
    """Code that is loaded: its kernels, by attribute or by name, and its variables."""

    def __init__(self, context: "Context", native: _native.Module, name: str) -> None:
        self.context, self.name = context, name
        self._context: _native.Context = context._native
        self._native = native
        self.target: str = native.target
        self.kernels: List[Kernel] = [Kernel(self, kernel) for kernel in native.kernels()]
        self._by_symbol = {kernel.symbol: kernel for kernel in self.kernels}
        self._by_name: Dict[str, Kernel] = {}

    def __getitem__(self, name: str) -> Kernel:
        """By symbol, as the source spells it ("ns::f<3, float>"), or without the arguments of a template of which there
        is one. "": the only one."""
        if name not in self._by_name:
            self._by_name[name] = self._by_symbol[self._native.kernel(name).info["symbol"]]
        return self._by_name[name]

    def __getattr__(self, name: str) -> Kernel:
        if "_by_name" not in self.__dict__ or name.startswith("__"):  # a copy that is being made; what Python looks for
            raise AttributeError(name)
        return self[name]

    def __iter__(self) -> Iterator[Kernel]:
        return iter(self.kernels)

    def __len__(self) -> int:
        return len(self.kernels)

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and self[name] is not None
        except UnknownName:
            return False

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *(k.name for k in self.kernels if k.name.isidentifier())})

    def _ipython_key_completions_(self) -> List[str]:
        return [kernel.name for kernel in self.kernels]

    def variable(self, name: str, dtype: Any = np.uint8, shape: Optional[arrays.Shape] = None) -> Array:
        """A variable of the code, in place: what kernels write is seen, and what is written they see."""
        memory = self._native.variable(name)
        size = np.dtype(dtype).itemsize
        if shape is None:
            if memory.size % size:
                raise ValueError(f"variable '{name}' has {memory.size} bytes, which are no {np.dtype(dtype)} of {size}")
            shape = memory.size // size
        return arrays.view(memory, shape, dtype)

    def reset(self) -> None:
        """Variables hold again what they held when the module was loaded."""
        self._native.reset()

    def __repr__(self) -> str:
        names = ", ".join(kernel.name for kernel in self.kernels[:4]) + (", ..." if len(self.kernels) > 4 else "")
        return f"<module {self.name} for {self.target}: {names or 'no kernels'}>"


class Context:
    """Memory of a device, and what is loaded there. The functions of the package use one that they share."""

    def __init__(self) -> None:
        self._native = _native.Context()

    def load(self, file: Union[str, "os.PathLike[str]"], *, target: str = "", clang: Sequence[str] = ()) -> Module:
        """Kernels of a file: .cl .hip .s, a code object (.co .hsaco .so), an offload bundle, a HIP program.

        target: "gfx906", "gfx906:xnack-"; "": the code's own, or gfx900 for sources. clang: options for sources in
        OpenCL C and HIP, ["-DN=16"].
        """
        path = os.fspath(file)
        if not os.path.exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return Module(self, self._native.load(path, target, _options(clang)), os.path.basename(path))

    def compile(self, source: Union[str, bytes], language: str = "opencl", *, name: Optional[str] = None,
                target: str = "", clang: Sequence[str] = ()) -> Module:
        """Kernels of a text in "opencl", "hip" or "asm". `name` stands for it in messages, as a file's would."""
        if language not in _ENDINGS:
            raise ValueError(f"language '{language}': there are {', '.join(_ENDINGS)}")
        ending = _ENDINGS[language]
        name = name or "source"
        if not name.endswith(ending):
            name += ending
        data = source.encode() if isinstance(source, str) else bytes(source)
        return Module(self, self._native.load_bytes(data, name, target, _options(clang)), name)

    def load_capture(self, folder: Union[str, "os.PathLike[str]"]) -> Capture:
        """Dispatches of a program, which `crosslane run --capture FOLDER` kept: a sequence, whose items replay()."""
        path = os.fspath(folder)
        if not os.path.exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return Capture(self._native.capture(path), path)

    def zeros(self, shape: arrays.Shape, dtype: Any = np.float32, *, name: str = "buffer") -> Array:
        """An array in memory of the device: kernels get its address, and nothing is copied. `name` is what faults and
        findings call it."""
        return arrays.device_array(self._native, shape, dtype, name)

    def empty(self, shape: arrays.Shape, dtype: Any = np.float32, *, name: str = "buffer") -> Array:
        """As zeros(), for those who write all of it; memory of the device is zeroed anyway."""
        return self.zeros(shape, dtype, name=name)

    def array(self, values: Any, dtype: Any = None, *, name: str = "buffer") -> Array:
        """A copy of anything that numpy.array() takes, in memory of the device."""
        values = np.asarray(values, dtype)
        made = self.zeros(values.shape, values.dtype, name=name)
        made[...] = values
        return made


def _options(clang: Sequence[str]) -> List[str]:
    return [clang] if isinstance(clang, str) else list(clang)


_default: Optional[Context] = None
_default_lock = threading.Lock()


def default_context() -> Context:
    """The one that crosslane.load() and its like use."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Context()
        return _default
