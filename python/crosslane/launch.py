"""Launches: a kernel with its size, arguments and options, and what becomes of it."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import errors
from .arguments import Binder
from .options import toml_of
from .result import Result

if TYPE_CHECKING:
    from .module import Kernel

Size = Union[int, Tuple[int, ...]]


class Progress(NamedTuple):
    """How far a launch is."""

    workgroups_done: int  #: of the run
    workgroups: int
    runs_done: int  #: of the option `runs`
    instructions: int  #: wave-instructions of all runs
    seconds: float


def sizes_of(value: Any, what: str) -> Tuple[int, ...]:
    """1000, (64, 64): one to three sizes."""
    sizes = (value,) if isinstance(value, (int, np.integer)) else tuple(value)
    if not 1 <= len(sizes) <= 3:
        raise errors.LaunchError(f"{what}: one to three sizes, not {len(sizes)}")
    for size in sizes:
        if not 0 <= size < 1 << 32:
            raise errors.LaunchError(f"{what}: {size} is not from 0 to {(1 << 32) - 1}")
    return tuple(int(size) for size in sizes)


class Launch:
    """A launch that can be run again and again, as Kernel.prepare() makes it.

    It keeps the arrays that are its arguments: each run begins with what they hold.
    """

    def __init__(self, kernel: "Kernel", grid: Optional[Size], block: Optional[Size], groups: Optional[Size],
                 args: Tuple[Any, ...], named: Dict[str, Any], options: Dict[str, Any], strict: bool,
                 progress: Optional[Callable[[Progress], Any]]) -> None:
        self.kernel = kernel
        self._native = kernel._native.launch()
        self._strict, self._progress = strict, progress
        if groups is not None:
            if grid is not None:
                raise errors.LaunchError("grid (work-items) and groups (workgroups): give one of the two")
            self._native.groups(sizes_of(groups, "groups"))
        elif grid is not None:
            self._native.grid(sizes_of(grid, "grid"))
        if block is not None:
            self._native.block(sizes_of(block, "block"))
        if toml := toml_of(options):
            try:
                self._native.configure(toml)
            except errors.LaunchError as error:  # what is no parameter's name is an option's
                raise errors.LaunchError(f"{error}\n  kernel: {kernel.signature}") from None
        self._binder = Binder(kernel.module._context, self._native, kernel.signature,
                              kernel.parameters if kernel.has_metadata else None)
        self._binder.bind(args, named)

    def run(self) -> Result:
        """Blocks until the kernel has ended, while other Python threads go on. Ctrl-C ends it, and so does any signal
        handler that raises."""
        progress = self._progress
        told = None if progress is None else lambda *numbers: progress(Progress(*numbers))
        self._binder.begin()
        native = self._native.run(told, threading.current_thread() is threading.main_thread())
        status = native.status
        result = Result(native, self.kernel, self._binder.words)
        if status == 0 or status == 20 or status == 21:  # the kernel ran
            self._binder.complete()
        if status:
            raise errors.error_of_result(status, native.message, result)
        if self._strict and result.stats["findings"]:
            raise errors.FindingsError(result.document("findings.txt").rstrip("\n"), result)
        return result

    def cancel(self) -> None:
        """From any other thread: a run that is under way ends, in crosslane.Cancelled; without one nothing happens.
        Returns when it has ended, or after a second."""
        self._native.cancel()


class Launcher:
    """kernel[grid, block], which is called with the arguments."""

    __slots__ = ("kernel", "grid", "block")

    def __init__(self, kernel: "Kernel", grid: Size, block: Optional[Size]) -> None:
        self.kernel, self.grid, self.block = kernel, grid, block

    def __call__(self, *args: Any, **keywords: Any) -> Result:
        return self.kernel.launch(*args, grid=self.grid, block=self.block, **keywords)

    def prepare(self, *args: Any, **keywords: Any) -> Launch:
        return self.kernel.prepare(*args, grid=self.grid, block=self.block, **keywords)

    def __repr__(self) -> str:
        return f"<{self.kernel.name}[{self.grid}, {self.block}]>"
