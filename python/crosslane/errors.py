"""What can go wrong, as exceptions: all are crosslane.Error, and of Python's own kinds where Python has one."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple, Type

if TYPE_CHECKING:
    from .result import Result


class Error(Exception):
    """What cannot be done: what, where, what to do."""


class CompileError(Error):
    """There is no code that can be run; the text is the compiler's or the reader's."""


class UnknownName(Error, AttributeError, LookupError):
    """No such kernel, variable, parameter, document or target; the text lists what there is."""


class LaunchError(Error):
    """A grid, arguments or options that cannot be. Nothing ran."""


class ArgumentError(LaunchError, TypeError):
    """An argument that is not of its parameter's kind or type."""


class ArgumentRangeError(LaunchError, OverflowError):
    """A number that its parameter's type has no room for."""


class DeviceMemoryError(Error, MemoryError):
    """The device, or the host, has no memory left."""


class KernelError(Error):
    """A launch that did not end well. `result` has what was seen of it."""

    def __init__(self, message: str, result: Optional["Result"] = None) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> Tuple[Any, ...]:  # to another process, without the result
        return _restored, (type(self), str(self), getattr(self, "fault", None))


@dataclass(frozen=True)
class Fault:
    """Where a kernel went wrong."""

    kind: str  #: "memory fault", "trap", ...
    kernel: str
    pc: int  #: of the instruction, from the start of the code object's image
    instruction: str  #: disassembly
    source: str  #: "file:line:column", or empty
    workgroup: Tuple[int, int, int]
    wave: int  #: in the workgroup
    lane: Optional[int]  #: None: not one lane's doing
    address: int  #: of data, if there is one
    detail: str  #: "4 bytes past the end of 'c' (4000 bytes)", or empty


class KernelFault(KernelError):
    """The kernel did what a GPU does not let it do."""

    def __init__(self, message: str, result: Optional["Result"] = None) -> None:
        super().__init__(message, result)
        self.fault: Optional[Fault] = result.fault if result is not None else None


class Refused(KernelError):
    """The dispatch is impossible: a block that is too large, more LDS than there is."""


class Timeout(KernelError, TimeoutError):
    """It took longer than the option `timeout` allows."""

    def __init__(self, message: str, result: Optional["Result"] = None) -> None:
        super().__init__(message, result)


class Cancelled(KernelError):
    """Launch.cancel() was called."""


class Different(KernelError, AssertionError):
    """The kernel ran, and a buffer is not what the option `expect` says."""


class OutputError(KernelError):
    """The kernel ran, and a file that an option names could not be written."""


class FindingsError(KernelError, AssertionError):
    """With strict=True: the option `check` found something."""


def _restored(kind: Type[KernelError], message: str, fault: Optional[Fault]) -> KernelError:
    error = kind(message)
    if isinstance(error, KernelFault):
        error.fault = fault
    return error


# By the statuses of crosslane.h.
_OF_STATUS: Dict[int, Type[Error]] = {2: UnknownName, 3: CompileError, 4: LaunchError, 5: DeviceMemoryError}
_OF_RESULT: Dict[int, Type[KernelError]] = {
    16: KernelFault, 17: Refused, 18: Timeout, 19: Cancelled, 20: Different, 21: OutputError}


def error_of(status: int, message: str) -> Error:
    """What the extension raises."""
    return _OF_STATUS.get(status, Error)(message)


def error_of_result(status: int, message: str, result: Any) -> KernelError:
    return _OF_RESULT.get(status, KernelError)(message, result)
