"""Captured dispatches of programs, and running them again."""
from __future__ import annotations

import threading
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

from . import _native, errors
from .launch import Progress
from .options import toml_of
from .result import Result


class Dispatch:
    """One dispatch of a capture."""

    def __init__(self, capture: "Capture", info: Dict[str, Any]) -> None:
        self.capture = capture
        #: number, launch, kernel, symbol, target, card, command, ended, grid, block, workgroups, memory_bytes, comparable.
        self.info = info
        self.number: int = info["number"]
        self.name: str = info["kernel"]
        self.signature: str = self.name
        self.grid: Tuple[int, int, int] = info["grid"]  #: work-items
        self.block: Tuple[int, int, int] = info["block"]

    def replay(self, *, expect: bool = False, workgroups: Optional[Tuple[int, int]] = None, strict: bool = False,
               progress: Optional[Callable[[Progress], Any]] = None, **options: Any) -> Result:
        """Runs it again, with its code, arguments and memory where they were.

        expect: what it leaves, memory or fault, must be what the captured dispatch left, or crosslane.Different is
        raised. workgroups: the first and the last one that run, by their numbers in the order of launch. Options are
        those of launches: profile="all", check="memory,race", late=True, time=True, gpu="vega10", timeout=10, ...
        """
        native = self.capture._native.replay(self.number)
        if expect:
            native.expect_captured(True)
        if workgroups is not None:
            first, last = workgroups
            if not 0 <= first <= last:
                raise errors.LaunchError(f"workgroups: ({first}, {last}) are no first and last one")
            native.workgroups(first, last - first + 1)
        if toml := toml_of(options):
            native.configure(toml)
        told = None if progress is None else lambda *numbers: progress(Progress(*numbers))
        run = native.run(told, threading.current_thread() is threading.main_thread())
        result = Result(run, self, [])
        if run.status:
            raise errors.error_of_result(run.status, run.message, result)
        if strict and result.stats["findings"]:
            raise errors.FindingsError(result.document("findings.txt").rstrip("\n"), result)
        return result

    def __repr__(self) -> str:
        ended = self.info["ended"] or "not seen to end"
        return f"<dispatch {self.number}: {self.name}, {self.info['workgroups']} workgroups, {ended}>"


class Capture:
    """What `crosslane run --capture FOLDER` kept: a sequence of dispatches."""

    def __init__(self, native: _native.Capture, folder: str) -> None:
        self._native, self.folder = native, folder

    def __len__(self) -> int:
        return self._native.size

    def __getitem__(self, index: int) -> Dispatch:
        size = len(self)
        if not -size <= index < size:
            raise IndexError(f"{self.folder}: has {size} dispatches, and none at {index}")
        return Dispatch(self, self._native.dispatch(index % size))

    def __iter__(self) -> Iterator[Dispatch]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<capture {self.folder}: {len(self)} dispatch{'' if len(self) == 1 else 'es'}>"
